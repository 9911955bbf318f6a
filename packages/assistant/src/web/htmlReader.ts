/**
 * Reads HTML on threads of its own, so that a page which takes seconds holds up
 * nobody else, and can be given up in the middle. A thread is started for the
 * first page and ended when it has had nothing to do for a while. Where none can
 * be started, pages are read on the thread of the program.
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
import type { Reading } from "./html.js"
import type { HtmlPage } from "./htmlPage.js"
import { done, type Name, type Task, type Works } from "./htmlWork.js"
import { type NoThread, startThread, type Thread } from "./thread.js"

/** The page cannot be read: it is too much work, or breaks what reads it. */
export class HtmlFault extends Data.TaggedError("HtmlFault") {}

export interface HtmlReader {
  readonly read: (page: HtmlPage) => Effect.Effect<Reading, HtmlFault>
  readonly convert: (document: HtmlDocument) => Effect.Effect<Converted, HtmlFault>
}

/** For one page, however patient the reader: only pages that were made for it take seconds. */
const timeLimit = Duration.seconds(20)

/** Bytes of a page that is not worth a thread, whatever stands in it. */
const small = 2048

const idleTime = Duration.seconds(5)

/** Research reads three pages at a time; one processor is left to the program. */
const mostThreads = Math.max(1, Math.min(3, availableParallelism() - 1))

export const makeHtmlReader = (
  start: Effect.Effect<Thread, NoThread, Scope.Scope> = startThread
): Effect.Effect<HtmlReader, never, Scope.Scope> =>
  Effect.gen(function* () {
    const threads = yield* RcMap.make({ lookup: (_place: number) => start, idleTimeToLive: idleTime })
    const turns = yield* Effect.makeSemaphore(mostThreads)
    const free = yield* Ref.make<ReadonlyArray<number>>(Array.from({ length: mostThreads }, (_, place) => place))
    const isThreadless = yield* Ref.make(false)

    // The last that was given back is the first that is taken: its thread is still there.
    const place = Effect.acquireRelease(
      Ref.modify(free, ([first = 0, ...others]) => [first, others]),
      (place) => Ref.update(free, (others) => [place, ...others])
    )

    const onThread = <N extends Name>(task: Task<N>) =>
      Effect.flatMap(place, (place) =>
        Effect.flatMap(RcMap.get(threads, place), (thread) => Effect.timeout(thread.run(task), timeLimit)).pipe(
          // It may be at this page still, or has ended with it.
          Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : RcMap.invalidate(threads, place)))
        )
      ).pipe(
        Effect.scoped,
        turns.withPermits(1),
        Effect.catchTags({
          NoThread: () => Effect.zipRight(Ref.set(isThreadless, true), here(task)),
          ThreadEnded: () => new HtmlFault(),
          TimeoutException: () => new HtmlFault()
        })
      )

    const run = <N extends Name>(task: Task<N>, size: number): Effect.Effect<Works[N]["made"], HtmlFault> =>
      size <= small ? here(task) : Effect.flatMap(Ref.get(isThreadless), (isSo) => (isSo ? here(task) : onThread(task)))

    return {
      read: (page) => run({ name: "read", given: page }, page.bytes.length),
      convert: (document) => run({ name: "convert", given: document }, document.html.length)
    }
  })

const here = <N extends Name>(task: Task<N>): Effect.Effect<Works[N]["made"], HtmlFault> =>
  Effect.try({ try: () => done(task), catch: () => new HtmlFault() })
