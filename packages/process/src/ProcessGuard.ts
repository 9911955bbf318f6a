/**
 * Limits on the processes and the memory of running work, and on the size of a
 * file that it writes. Limits of the operating system would not do: the one on
 * processes is per user and does not bind root, and the one on files binds each
 * file by itself.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { lstatSync } from "node:fs"
import { aCount, aFunction, aLimit, aText, check, checkOptions, milliseconds, type Kind } from "./internal/check.js"
import {
  countThreads,
  isLinux,
  listByPs,
  listPids,
  readMark,
  readProcess,
  readResident,
  type RunningProcess
} from "./ProcessTable.js"

/**
 * What work may have.
 *
 * @category models
 */
export interface Limits {
  readonly processes: number
  /** Bytes of resident memory of all processes together; no limit where `undefined`. */
  readonly memory: number | undefined
  /** Bytes of `outputFile`; no limit where absent. */
  readonly output?: number | undefined
}

/**
 * One piece of work, such as a call that a program serves.
 *
 * @category models
 */
export interface Work {
  /** The process that does the work, and other work beside it or later. */
  readonly worker: number
  /** The process group of this work; the worker's own unless it forks for each. */
  readonly group: number
  /** The mark of the worker. */
  readonly mark: string
  /** A file that the work may write. */
  readonly outputFile?: string | undefined
  /** Called at each look that finds too much. */
  readonly exceed: (limit: "processes" | "memory" | "output") => void
}

// Of a name that is misspelt, work would have no limit.
const limitKinds: { readonly [Name in keyof Required<Limits>]: Kind } = {
  processes: aLimit,
  memory: aLimit,
  output: aLimit
}

const workKinds: { readonly [Name in keyof Required<Work>]: Kind } = {
  worker: aCount,
  group: aCount,
  mark: aText,
  outputFile: aText,
  exceed: aFunction
}

/** Milliseconds until work is looked at, and between looks. Most calls are over by then. */
const usualInterval = 50

/**
 * Milliseconds between glances at how many processes the machine has. What
 * doubles has hundreds by the first look, and then leaves no time for another.
 */
const glanceInterval = 10

/** Looking takes at most this part of the time. */
const share = 20

/** Milliseconds for which a process is known not to be ours. After that its number may belong to another. */
const remembered = 1000

interface Marked extends RunningProcess {
  readonly mark: string | undefined
}

/** Reads the processes that can be ours; those of others are read once a second. */
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

/** Processes that a worker has forked ahead of time stand beside those of a call, as do orphans that it adopts. */
const isBeside = (call: Work, found: Marked): boolean =>
  found.mark === call.mark && found.parent === call.worker && found.group !== call.group

/** How many processes a worker has forked ahead of time at most. */
const forkedAhead = 2

const isOf = (call: Work, found: Marked): boolean =>
  found.group === call.group ||
  found.session === call.group ||
  // The worker's own group holds the worker and what it has forked ahead of time.
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

/**
 * Returns a function that begins to watch a piece of work, and returns what
 * ends the watch. Looks are `interval` milliseconds apart, 50 unless given.
 *
 * @example
 * ```ts
 * import { ProcessGuard } from "@wield/process"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const watch = yield* ProcessGuard.make({ processes: 64, memory: 512 * 1024 * 1024 })
 *   const { pid } = process
 *   const unwatch = watch({ worker: pid, group: pid, mark: "", exceed: (limit) => console.log(limit) })
 *   unwatch()
 * })
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @category constructors
 */
export const make = (
  limits: Limits,
  interval = usualInterval
): Effect.Effect<(call: Work) => () => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    checkOptions("The limits of ProcessGuard", limitKinds, limits, ["processes"])
    check("The interval of ProcessGuard", milliseconds, interval)
    const calls = new Map<Work, number>()
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
      const now = isLinux && began - oldest >= glanceInterval ? countThreads() : 0
      if (now > 0) threads = Math.min(threads, now)
      if (now - threads > limits.processes) look([...calls.keys()])
      else if (began >= nextLook) look([...calls].flatMap(([call, since]) => (began - since >= interval ? [call] : [])))
      plan()
    }

    const look = (due: ReadonlyArray<Work>) => {
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

    const examine = (call: Work, all: ReadonlyArray<Marked>) => {
      if (limits.output !== undefined && sizeOf(call.outputFile) > limits.output) return call.exceed("output")
      const own = all.filter((found) => isOf(call, found))
      const beside = all.filter((found) => isBeside(call, found)).length
      if (own.length + Math.max(0, beside - forkedAhead) > limits.processes) call.exceed("processes")
      else if (limits.memory !== undefined) {
        const memory = own.reduce((sum, { pid }) => sum + readResident(pid), 0)
        if (memory > limits.memory) call.exceed("memory")
      }
    }

    const plan = () => {
      if (timer === undefined && calls.size > 0) timer = setTimeout(tick, isLinux ? glanceInterval : interval).unref()
    }

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        calls.clear()
        clearTimeout(timer)
      })
    )
    return (call) => {
      checkOptions("The work of ProcessGuard", workKinds, call, ["worker", "group", "mark", "exceed"])
      const now = performance.now()
      if (calls.size === 0) nextLook = Math.max(nextLook, now + interval)
      calls.set(call, now)
      plan()
      return () => void calls.delete(call)
    }
  })
