/**
 * The processes of the machine, as the kernel lists them. Linux says it in
 * `/proc`; elsewhere `ps` does, without the mark.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

export interface RunningProcess {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
}

/** The variable by which all that a worker has started is found, wherever it went. */
export const markVariable = "WIELD_PROCESS"

export const isLinux = process.platform === "linux"

/** A process may end at any moment: what cannot be read is not there. */
const read = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

export const listPids = (): ReadonlyArray<number> => {
  const pids: Array<number> = []
  for (const name of readdirSync("/proc")) {
    const first = name.charCodeAt(0)
    if (first >= 48 && first <= 57) pids.push(Number(name))
  }
  return pids
}

/** Nothing of a process that is gone, or is dead and only waits to be reaped. */
export const readProcess = (pid: number): RunningProcess | undefined => {
  const text = read(`/proc/${pid}/stat`)?.toString("latin1")
  if (text === undefined) return undefined
  // `pid (name) state ppid pgrp session …`; the name may hold anything.
  const [state, parent, group, session] = text.slice(text.lastIndexOf(")") + 2).split(" ", 4)
  return state === "Z" || state === "X"
    ? undefined
    : { pid, parent: Number(parent), group: Number(group), session: Number(session) }
}

/** Nothing of a process that is gone. */
export const findProcess = (pid: number): RunningProcess | undefined =>
  isLinux ? readProcess(pid) : listByPs().find((found) => found.pid === pid)

/** All threads of the machine, or of the container where that has a list of its own: one small file. 0 where it is not told. */
export const countThreads = (): number => {
  // `0.20 0.18 0.12 1/80 11206`: how many can run, and how many there are.
  const [, , , entities] = (read("/proc/loadavg")?.toString("latin1") ?? "").split(" ", 4)
  return Number(entities?.split("/")[1] ?? 0)
}

/** The mark that a process was started with. */
export const readMark = (pid: number): string | undefined => {
  const environment = read(`/proc/${pid}/environ`)
  const at = environment?.indexOf(`${markVariable}=`) ?? -1
  if (environment === undefined || at === -1) return undefined
  const end = environment.indexOf(0, at)
  return environment.toString("latin1", at + markVariable.length + 1, end === -1 ? environment.length : end)
}

/** Bytes of resident memory. */
export const readResident = (pid: number): number => {
  if (!isLinux) {
    return Number(spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }).stdout) * 1024
  }
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`)?.toString("latin1") ?? "")
  return Number(kilobytes?.[1] ?? 0) * 1024
}

export const listByPs = (): ReadonlyArray<RunningProcess> =>
  (spawnSync("ps", ["-A", "-o", "pid=,ppid=,pgid="], { encoding: "utf8" }).stdout ?? "")
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, parent, group]) =>
      pid === undefined || parent === undefined || group === undefined ? [] : [{ pid, parent, group, session: group }]
    )
