/**
 * Reads HTML and PDFs in processes of their own, which can be given up at a page of seconds or gigabytes, and end when
 * idle. Where none can be started, the program reads HTML itself, since it is cut down before, but no PDF.
 */
import { createRequire } from "node:module"
import { availableParallelism } from "node:os"
import { pathToFileURL } from "node:url"
import * as NodeProcess from "@wield/process/NodeProcess"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RcMap from "effect/RcMap"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import type { Converted, HtmlDocument, HtmlPage, Reading } from "../web/html.js"
import { type Name, type PdfDocument, type PdfReading, perform, purpose, type Task, type Works } from "./work.js"

/** It cannot be read: it is too much work, or breaks what reads it. */
export class ReaderFault extends Data.TaggedError("ReaderFault")<{
  /** Why, for who asked: `it takes more than …`. */
  readonly detail: string
}> {}

export interface Reader {
  readonly read: (page: HtmlPage) => Effect.Effect<Reading, ReaderFault>
  readonly convert: (document: HtmlDocument) => Effect.Effect<Converted, ReaderFault>
  readonly readPdf: (document: PdfDocument) => Effect.Effect<PdfReading, ReaderFault>
}

/** What one page may take. Only pages that were made for it take seconds; most need less than 100 MB. */
const pageLimits = { megabytes: 512, processorTime: Duration.seconds(20) }

/** For a process that waits: on a busy machine, 20 seconds of processor time can take minutes. */
const timeLimit = Duration.minutes(5)

/** Bytes of a page that is not worth a process, whatever stands in it. */
const small = 2048

const idleTime = Duration.seconds(5)

/** Research reads three pages at a time; one processor is left to the program. */
const mostProcesses = Math.max(1, Math.min(3, availableParallelism() - 1))

const tooMuch = new ReaderFault({
  detail: `it takes more than ${Duration.format(pageLimits.processorTime)} of processor time or ${pageLimits.megabytes} MB of memory to read`
})

export const makeReader = (
  start: Effect.Effect<ReaderProcess, NoProcess, Scope.Scope> = startProcess(pageLimits)
): Effect.Effect<Reader, never, Scope.Scope> =>
  Effect.gen(function* () {
    const processes = yield* RcMap.make({ lookup: (_place: number) => start, idleTimeToLive: idleTime })
    const turns = yield* Effect.makeSemaphore(mostProcesses)
    const free = yield* Ref.make<ReadonlyArray<number>>(Array.from({ length: mostProcesses }, (_, place) => place))
    const isAlone = yield* Ref.make(false)

    // The last that was given back is the first that is taken: its process is still there.
    const place = Effect.acquireRelease(
      Ref.modify(free, ([first = 0, ...others]) => [first, others]),
      (place) => Ref.update(free, (others) => [place, ...others])
    )

    const runInProcess = <N extends Name>(task: Task<N>): Effect.Effect<Works[N]["made"], NoProcess | ReaderFault> =>
      Effect.flatMap(place, (place) =>
        Effect.flatMap(RcMap.get(processes, place), (process) => Effect.timeout(process.run(task), timeLimit)).pipe(
          // It may be at this page still, or has ended with it.
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : RcMap.invalidate(processes, place)))
        )
      ).pipe(
        Effect.scoped,
        turns.withPermits(1),
        Effect.catchTags({ ProcessEnded: () => tooMuch, TimeoutException: () => tooMuch })
      )

    const run = <N extends "convert" | "read">(task: Task<N>, size: number) =>
      Effect.gen(function* () {
        if (size <= small || (yield* Ref.get(isAlone))) return yield* runHere(task)
        return yield* Effect.catchTag(runInProcess(task), "NoProcess", () =>
          Effect.zipRight(Ref.set(isAlone, true), runHere(task))
        )
      })

    return {
      read: (page) => run({ name: "read", given: page }, page.bytes.length),
      convert: (document) => run({ name: "convert", given: document }, document.html.length),
      readPdf: (document) =>
        Effect.catchTag(
          runInProcess({ name: "readPdf", given: document }),
          "NoProcess",
          () =>
            new ReaderFault({
              detail:
                "a PDF is read in a process of its own, and none can be started here: keep @wield/assistant out of a bundle"
            })
        )
    }
  })

const runHere = <N extends Name>(task: Task<N>): Effect.Effect<Works[N]["made"], ReaderFault> =>
  Effect.tryPromise({ try: () => perform(task), catch: () => new ReaderFault({ detail: "it breaks its reader" }) })

/** No process can be started here: a runtime without them, or its file is not where it was published. */
export class NoProcess extends Data.TaggedError("NoProcess")<{ readonly cause: unknown }> {}

export interface ReaderProcess {
  readonly run: <N extends Name>(task: Task<N>) => Effect.Effect<Works[N]["made"], NodeProcess.ProcessEnded>
}

/** Of objects and texts. Pages that are cut down to 12,000 elements need a fraction of it. */
const heapMegabytes = 256

export interface PageLimits {
  /** Of all that the process holds, what a PDF is unpacked to included. */
  readonly megabytes: number
  readonly processorTime: Duration.Duration
}

export const startProcess = (
  limits: PageLimits,
  bundle?: string
): Effect.Effect<ReaderProcess, NoProcess, Scope.Scope> =>
  Effect.gen(function* () {
    const { ask, receive } = yield* Effect.acquireRelease(
      Effect.flatMap(
        Effect.try(() => moduleOf(limits, bundle)),
        NodeProcess.start
      ),
      // At once, whatever it is doing: no message would reach it before it is done.
      ({ end }) => end
    )
    // It says that it is ready.
    yield* receive
    return {
      run: <N extends Name>(task: Task<N>) =>
        // Only `ReaderProcess` is at the other end.
        Effect.map(ask(task), (made) => made as Works[N]["made"])
    }
  }).pipe(Effect.mapError((cause) => new NoProcess({ cause })))

const moduleOf = ({ megabytes, processorTime }: PageLimits, bundle?: string): NodeProcess.Options => {
  const require = createRequire(import.meta.url)
  const file = bundle ?? require.resolve("@wield/assistant/ReaderProcess")
  return {
    file,
    arguments: [purpose, String(megabytes * 1024 * 1024), String(Duration.toMillis(processorTime) * 1000)],
    heapMegabytes,
    nodeOptions: file.endsWith(".ts") ? compiler(require) : []
  }
}

/** Within this repository the sources run as they are, and Node 20 compiles none. */
const compiler = (require: NodeJS.Require): ReadonlyArray<string> => [
  "--import",
  pathToFileURL(require.resolve("tsx")).href
]
