/**
 * Ends what an executor has started where the executor's own process is killed:
 * then no finalizer runs, and an endless loop would go on for ever.
 *
 * It is a shell that waits for the end of its standard input, which the end of
 * this process is, too. It finds processes as Linux tells them; elsewhere there
 * is none.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { isLinux } from "./processTable.js"

/** What all that an executor has started carries in its environment. */
const variable = "WIELD_EXECUTOR"

/**
 * $1 is what its processes carry, $2 its temporary folder. A line on standard
 * input is the good end; signals that a terminal sends to all are not for it.
 */
const watch = `
trap '' HUP INT TERM
read -r _ && exit 0
rounds=0
while [ $rounds -lt 200 ]; do
  found=$(grep -lzxF "$1" /proc/[0-9]*/environ 2>/dev/null)
  [ -z "$found" ] && break
  for file in $found; do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" 2>/dev/null
  done
  rounds=$((rounds + 1))
done
rm -rf -- "$2"
`

export interface Guardian {
  /** What a program has to be started with; starts the guardian with the first one. */
  readonly variables: () => { readonly [name: string]: string }
}

export const makeGuardian = (folder: string): Effect.Effect<Guardian, never, Scope.Scope> =>
  Effect.gen(function* () {
    if (!isLinux) return { variables: () => ({}) }
    const id = randomBytes(12).toString("hex")
    let child: ChildProcess | undefined
    yield* Effect.addFinalizer(() => (child === undefined ? Effect.void : ended(child)))
    return {
      variables: () => {
        child ??= started(`${variable}=${id}`, folder)
        return { [variable]: id }
      }
    }
  })

const started = (carried: string, folder: string): ChildProcess => {
  const child = spawn("/bin/sh", ["-c", watch, "sh", carried, folder], {
    // Of a session of its own: what ends this process by its group must not end it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
    cwd: "/"
  })
  // Without a shell there is no guardian, and everything else as it is.
  child.on("error", () => undefined)
  child.stdin?.on("error", () => undefined)
  child.unref()
  // The program may end while it waits.
  if (child.stdin !== null && "unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref()
  return child
}

const ended = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.ref()
    child.once("exit", () => resume(Effect.void))
    child.stdin?.end("done\n")
  })
