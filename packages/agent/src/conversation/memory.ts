/**
 * A conversation in memory.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Conversation, Entry } from "../Conversation.js"
import { appended } from "./appended.js"
import { isSameEntry } from "./codec.js"
import { makeOneAtATime } from "./oneAtATime.js"

/** To be made inside of an effect: it has state. */
export const makeMemory = (id: string): Conversation => {
  let list: ReadonlyArray<Entry> = []
  const oneAtATime = makeOneAtATime()
  return {
    id,
    isDurable: false,
    exclusively: (effect) => oneAtATime(id, effect),
    entries: Effect.sync(() => list),
    append: (entries, after) =>
      Effect.suspend(() =>
        Either.map(appended(id, list, entries, after, isSameEntry), (added) => {
          if (added.length > 0) list = [...list, ...added]
        })
      )
  }
}
