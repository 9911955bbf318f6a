/**
 * The process that has begun a call, by a name that another process can ask the
 * system about.
 */
interface System {
  readonly pid: number
  readonly kill: (pid: number, signal: 0) => boolean
  readonly getBuiltinModule?: (name: string) => { readonly hostname: () => string } | undefined
}

/** No import, so that runtimes other than Node's need none. */
const system = (globalThis as { readonly process?: System }).process

const host = system?.getBuiltinModule?.("node:os")?.hostname()

/** This process; `null` where it has no name that tells it from others. */
export const owner: string | null = host === undefined ? null : `${system?.pid}@${host}`

/** Whether the process is known to be no more. Of one on another machine nothing is known. */
export const isGone = (name: string | null): boolean => {
  const at = name?.indexOf("@") ?? -1
  if (name === null || at === -1 || name.slice(at + 1) !== host) return false
  try {
    system?.kill(Number(name.slice(0, at)), 0)
    return false
  } catch (error) {
    // A process of somebody else's may not be asked, and is there.
    return (error as { readonly code?: unknown }).code === "ESRCH"
  }
}
