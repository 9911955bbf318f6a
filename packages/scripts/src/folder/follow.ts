/** Follows a folder: looks again when something in it has changed and settled. */
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type { Duration, Scope } from "effect"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { UnreadableScript } from "../ScriptError.js"
import { nameOf } from "./languages.js"
import { changesBetween, mayMatter, walk, type Walk } from "./walk.js"

/** Editors write a file in several steps; steps closer together than this count as one change. */
const settling = "100 millis"

/** What never comes to rest is looked at all the same. */
const longest = "2 seconds"

/**
 * `look` reads the folder and gives what it found before it read. Besides the
 * news of the operating system, which is missing on some file systems and comes
 * only from when it has begun to watch, the folder is compared with that again
 * and again.
 */
export const follow = <E, R>(
  folder: string,
  first: Walk,
  look: Effect.Effect<Walk, E, R>,
  interval: Duration.DurationInput,
  linkRoots: ReadonlyArray<string>
): Effect.Effect<never, E, R | FileSystem.FileSystem | Path.Path | Scope.Scope> =>
  Effect.gen(function* () {
    const news = yield* Queue.sliding<void>(1)
    const watchers = yield* FiberMap.make<string>()
    let last = first
    // What was announced is not announced again while it settles.
    let seen = first
    const watchAll = Effect.gen(function* () {
      for (const [place] of watchers) if (!last.folders.includes(place)) yield* FiberMap.remove(watchers, place)
      for (const place of last.folders) {
        yield* FiberMap.run(watchers, place, watch(place, news), { onlyIfMissing: true })
      }
    })
    const compare = Effect.flatMap(walk(folder, linkRoots), (now) => {
      const isOther = changesBetween(seen, now).length > 0
      seen = now
      return isOther ? Queue.offer(news, undefined) : Effect.void
    })
    yield* Effect.forkScoped(Effect.repeat(compare, Schedule.spaced(interval)))
    yield* watchAll
    return yield* Effect.forever(
      Effect.gen(function* () {
        yield* awaitRest(news)
        last = yield* look
        seen = last
        yield* watchAll
      })
    )
  })

/**
 * A defect would end the following of a folder without a word: also what no file
 * can be blamed for, such as the application's own code that is asked for facts,
 * is a problem, and the next change is read.
 */
export const failOnDefect = <A, E, R>(
  folder: string,
  read: Effect.Effect<A, E, R>
): Effect.Effect<A, E | UnreadableScript, R> =>
  Effect.catchAllDefect(read, (defect) =>
    Effect.fail(new UnreadableScript({ file: folder, detail: `a defect ended its reading: ${String(defect)}` }))
  )

/** A watcher that fails, for there are too many, is not missed: the folder is compared as well. */
const watch = (folder: string, news: Queue.Enqueue<void>): Effect.Effect<void, never, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    files.watch(folder).pipe(
      Stream.filter(({ path }) => mayMatter(nameOf(path))),
      Stream.runForEach(() => Queue.offer(news, undefined)),
      Effect.ignoreLogged
    )
  )

const awaitRest = (news: Queue.Dequeue<void>): Effect.Effect<void> =>
  Queue.take(news).pipe(
    Effect.zipRight(
      Queue.take(news).pipe(
        Effect.timeoutOption(settling),
        Effect.repeat({ until: Option.isNone }),
        Effect.timeoutOption(longest)
      )
    ),
    Effect.asVoid
  )
