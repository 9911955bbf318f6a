/**
 * Counts the processes of running calls and their memory, and says when a call
 * has more than it may; the same of the file that it writes its result to. A
 * limit of the operating system would not do: the one on processes is per user,
 * and does not bind root at all, and the one on files binds each of them.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { lstatSync } from "node:fs"
import {
  countThreads,
  isLinux,
  listByPs,
  listPids,
  readMark,
  readProcess,
  readResident,
  type RunningProcess
} from "./processTable.js"

export interface Bounds {
  readonly processes: number
  /** Bytes of resident memory of all together. */
  readonly memory: number | undefined
  /** Bytes of the file that a result is written to; without a bound where absent. */
  readonly output?: number | undefined
}

export interface Watched {
  /** The process that serves calls. */
  readonly worker: number
  /** The process group of this call; in programs that do not fork, the worker's. */
  readonly group: number
  readonly mark: string
  /** Where it may write its result to. */
  readonly outputFile?: string | undefined
  readonly exceed: (limit: "processes" | "memory" | "output") => void
}

/** Milliseconds until a call is looked at, and between looks. Most calls are over by then. */
const usual = 50

/**
 * Milliseconds between glances at how many processes the machine has. What
 * doubles has hundreds by the first look, and then leaves no time for another.
 */
const glance = 10

/** Looking takes at most this part of the time. */
const share = 20

/** Milliseconds for which a process is known to be none of ours: its number may be given to another by then. */
const remembered = 1000

interface Marked extends RunningProcess {
  readonly mark: string | undefined
}

/** Reads what can be ours; what others run is read once a second. */
const makeReader = () => {
  let others = new Set<number>()
  let since = 0
  return (isOurs: (found: Marked) => boolean): ReadonlyArray<Marked> => {
    if (!isLinux) return listByPs().map((found) => ({ ...found, mark: undefined }))
    const now = performance.now()
    if (now - since > remembered) {
      others = new Set()
      since = now
    }
    const found: Array<Marked> = []
    for (const pid of listPids()) {
      if (others.has(pid)) continue
      const running = readProcess(pid)
      if (running === undefined) continue
      const marked = { ...running, mark: readMark(pid) }
      if (isOurs(marked)) found.push(marked)
      else others.add(pid)
    }
    return found
  }
}

/** What a program has forked ahead of time stands beside the call's processes, and so do orphans that it is given. */
const isBeside = (call: Watched, found: Marked): boolean =>
  found.mark === call.mark && found.parent === call.worker && found.group !== call.group

/** How many a program has forked ahead of time at most. */
const forkedAhead = 2

const isOf = (call: Watched, found: Marked): boolean =>
  found.group === call.group ||
  found.session === call.group ||
  // In the worker's own group are the program, and what it has forked ahead of time.
  (found.mark === call.mark &&
    (call.group === call.worker || (found.group !== call.worker && found.parent !== call.worker)))

const sizeOf = (file: string | undefined): number => {
  if (file === undefined) return 0
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0
  }
}

/** Gives what begins to watch a call; that gives what ends it. Between looks are `interval` milliseconds. */
export const makeGuard = (
  bounds: Bounds,
  interval = usual
): Effect.Effect<(call: Watched) => () => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const calls = new Map<Watched, number>()
    const read = makeReader()
    let timer: NodeJS.Timeout | undefined
    let nextLook = 0
    /** The fewest threads that the machine has had since the last look. */
    let threads = Infinity

    const tick = () => {
      timer = undefined
      const began = performance.now()
      const [oldest = began] = calls.values()
      // Most calls are over before there is anything to glance at.
      const now = isLinux && began - oldest >= glance ? countThreads() : 0
      if (now > 0) threads = Math.min(threads, now)
      if (now - threads > bounds.processes) look([...calls.keys()])
      else if (began >= nextLook) look([...calls].flatMap(([call, since]) => (began - since >= interval ? [call] : [])))
      plan()
    }

    const look = (due: ReadonlyArray<Watched>) => {
      const began = performance.now()
      if (due.length > 0) {
        const found = read(
          (marked) => marked.mark !== undefined || [...calls.keys()].some((call) => isOf(call, marked))
        )
        for (const call of due) examine(call, found)
      }
      const ended = performance.now()
      nextLook = ended + Math.min(Math.max(interval, (ended - began) * share), 4 * interval)
      threads = Infinity
    }

    const examine = (call: Watched, all: ReadonlyArray<Marked>) => {
      if (bounds.output !== undefined && sizeOf(call.outputFile) > bounds.output) return call.exceed("output")
      const own = all.filter((found) => isOf(call, found))
      const beside = all.filter((found) => isBeside(call, found)).length
      if (own.length + Math.max(0, beside - forkedAhead) > bounds.processes) call.exceed("processes")
      else if (bounds.memory !== undefined) {
        const memory = own.reduce((sum, { pid }) => sum + readResident(pid), 0)
        if (memory > bounds.memory) call.exceed("memory")
      }
    }

    const plan = () => {
      if (timer === undefined && calls.size > 0) timer = setTimeout(tick, isLinux ? glance : interval).unref()
    }

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        calls.clear()
        clearTimeout(timer)
      })
    )
    return (call) => {
      const now = performance.now()
      if (calls.size === 0) nextLook = Math.max(nextLook, now + interval)
      calls.set(call, now)
      plan()
      return () => void calls.delete(call)
    }
  })
