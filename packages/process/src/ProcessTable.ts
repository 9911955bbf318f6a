/**
 * The processes of the machine, as the kernel lists them, and how to kill them.
 * Linux lists them in `/proc`; elsewhere `ps` does, without marks.
 */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** @category models */
export interface RunningProcess {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
}

/**
 * The environment variable that marks all that a `Process` has started.
 *
 * @category models
 */
export const markVariable = "WIELD_PROCESS"

/** @category reading */
export const isLinux = process.platform === "linux"

/** A process may end at any moment, so a file that cannot be read is one that is gone. */
const readProcFile = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/**
 * The numbers of all processes. Linux only.
 *
 * @category reading
 */
export const listPids = (): ReadonlyArray<number> => {
  const pids: Array<number> = []
  for (const name of readdirSync("/proc")) {
    const first = name.charCodeAt(0)
    if (first >= 48 && first <= 57) pids.push(Number(name))
  }
  return pids
}

/**
 * A process that runs; `undefined` if it is gone or only waits to be reaped.
 * Linux only.
 *
 * @category reading
 */
export const readProcess = (pid: number): RunningProcess | undefined => {
  const text = readProcFile(`/proc/${pid}/stat`)?.toString("latin1")
  if (text === undefined) return undefined
  // `pid (name) state ppid pgrp session …`; the name may hold anything.
  const [state, parent, group, session] = text.slice(text.lastIndexOf(")") + 2).split(" ", 4)
  return state === "Z" || state === "X"
    ? undefined
    : { pid, parent: Number(parent), group: Number(group), session: Number(session) }
}

/**
 * A process that runs, on any system; `undefined` if it is gone.
 *
 * @category reading
 */
export const findProcess = (pid: number): RunningProcess | undefined =>
  isLinux ? readProcess(pid) : listByPs().find((found) => found.pid === pid)

/**
 * The number of threads of the machine or container, from one small file; 0
 * where the system does not say it.
 *
 * @category reading
 */
export const countThreads = (): number => {
  // `0.20 0.18 0.12 1/80 11206`: how many can run, and how many there are.
  const [, , , entities] = (readProcFile("/proc/loadavg")?.toString("latin1") ?? "").split(" ", 4)
  return Number(entities?.split("/")[1] ?? 0)
}

/**
 * The mark that a process was started with. Linux only.
 *
 * @category reading
 */
export const readMark = (pid: number): string | undefined => {
  const environment = readProcFile(`/proc/${pid}/environ`)
  const at = environment?.indexOf(`${markVariable}=`) ?? -1
  if (environment === undefined || at === -1) return undefined
  const end = environment.indexOf(0, at)
  return environment.toString("latin1", at + markVariable.length + 1, end === -1 ? environment.length : end)
}

/**
 * Bytes of resident memory; 0 if the process is gone.
 *
 * @category reading
 */
export const readResident = (pid: number): number => {
  if (!isLinux) {
    return Number(spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }).stdout) * 1024
  }
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readProcFile(`/proc/${pid}/status`)?.toString("latin1") ?? "")
  return Number(kilobytes?.[1] ?? 0) * 1024
}

/**
 * All processes as `ps` lists them; a group stands for the session.
 *
 * @category reading
 */
export const listByPs = (): ReadonlyArray<RunningProcess> =>
  (spawnSync("ps", ["-A", "-o", "pid=,ppid=,pgid="], { encoding: "utf8" }).stdout ?? "")
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, parent, group]) =>
      pid === undefined || parent === undefined || group === undefined ? [] : [{ pid, parent, group, session: group }]
    )

/** Whether there was a process to signal. */
const signal = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/**
 * Signals all processes of a group at once, so that no fork in it gets away.
 * Returns whether there were any.
 *
 * @category killing
 */
export const killGroup = (leader: number, name: NodeJS.Signals = "SIGKILL"): boolean => signal(-leader, name)

/**
 * Says which processes of a mark are left alone; `undefined` for a mark whose
 * processes all are.
 *
 * @category killing
 */
export type Spare = (mark: string) => ((found: RunningProcess) => boolean) | undefined

/**
 * Kills the marked processes that are not spared, and returns how many there
 * were. It does nothing where there are no marks.
 *
 * @category killing
 */
export const killMarked = (spare: Spare): number => {
  if (!isLinux) return 0
  let count = 0
  for (const pid of listPids()) {
    if (pid === process.pid) continue
    const mark = readMark(pid)
    const isSpared = mark === undefined ? undefined : spare(mark)
    if (isSpared === undefined) continue
    const found = readProcess(pid)
    if (found !== undefined && !isSpared(found) && signal(pid, "SIGKILL")) count++
  }
  return count
}

/** A fork bomb starts processes while others of it are killed: the faster it is, the more rounds it takes. */
const mostRounds = 400

/** Milliseconds between rounds: a killed process is gone after a turn of the scheduler. */
const pause = 5

/**
 * Kills until no marked process is left that is not spared, then calls `done`.
 * Processes that hang in the kernel are left after two seconds.
 *
 * @category killing
 */
export const killUntilGone = (spare: Spare, done: () => void, rounds = mostRounds): void => {
  if (killMarked(spare) === 0 || rounds === 0) done()
  else setTimeout(() => killUntilGone(spare, done, rounds - 1), pause)
}

/**
 * Kills until no process of a mark is left.
 *
 * @category killing
 */
export const killAllMarked = (mark: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    killUntilGone(
      (found) => (found === mark ? () => false : undefined),
      () => resume(Effect.void)
    )
  })
