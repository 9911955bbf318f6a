/**
 * Reads HTML and PDFs in processes of their own, so that a page which takes
 * seconds or gigabytes holds up nobody else, and can be given up in the middle. A
 * process is started for the first page and ended when it has had nothing to do
 * for a while. Where none can be started, HTML is read by the program itself,
 * since it is cut down before; a PDF is not.
 */
import { availableParallelism } from "node:os"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RcMap from "effect/RcMap"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import type { Converted, HtmlDocument } from "../documents/html.js"
import type { Reading } from "../web/html.js"
import type { HtmlPage } from "../web/htmlPage.js"
import type { PdfDocument, PdfReading } from "./pdf.js"
import { type NoProcess, type ReaderProcess, startProcess } from "./process.js"
import { type Name, perform, type Task, type Works } from "./work.js"

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

/** For one page, however patient the reader: only pages that were made for it take seconds. */
const timeLimit = Duration.seconds(20)

/** Of memory. Most pages and documents need less than a hundred. */
const megabytes = 512

/** Bytes of a page that is not worth a process, whatever stands in it. */
const small = 2048

const idleTime = Duration.seconds(5)

/** Research reads three pages at a time; one processor is left to the program. */
const mostProcesses = Math.max(1, Math.min(3, availableParallelism() - 1))

const tooMuch = new ReaderFault({
  detail: `it takes more than ${Duration.format(timeLimit)} or ${megabytes} MB of memory to read`
})

export const makeReader = (
  start: Effect.Effect<ReaderProcess, NoProcess, Scope.Scope> = startProcess(megabytes)
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

    const elsewhere = <N extends Name>(task: Task<N>): Effect.Effect<Works[N]["made"], NoProcess | ReaderFault> =>
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

    const run = <N extends "convert" | "read">(
      task: Task<N>,
      size: number
    ): Effect.Effect<Works[N]["made"], ReaderFault> =>
      Effect.gen(function* () {
        if (size <= small || (yield* Ref.get(isAlone))) return yield* here(task)
        return yield* Effect.catchTag(elsewhere(task), "NoProcess", () =>
          Effect.zipRight(Ref.set(isAlone, true), here(task))
        )
      })

    return {
      read: (page) => run({ name: "read", given: page }, page.bytes.length),
      convert: (document) => run({ name: "convert", given: document }, document.html.length),
      readPdf: (document) =>
        Effect.catchTag(
          elsewhere({ name: "readPdf", given: document }),
          "NoProcess",
          () =>
            new ReaderFault({
              detail:
                "a PDF is read in a process of its own, and none can be started here: keep @wield/assistant out of a bundle"
            })
        )
    }
  })

const here = <N extends Name>(task: Task<N>): Effect.Effect<Works[N]["made"], ReaderFault> =>
  Effect.tryPromise({ try: () => perform(task), catch: () => new ReaderFault({ detail: "it breaks its reader" }) })
