/**
 * A place in a list of conversations as text. It names the last conversation of
 * the page before, so that pages neither repeat nor skip one that has stayed in
 * its place.
 */
import * as Effect from "effect/Effect"
import { StoreError } from "../ConversationError.js"

/** The place after a conversation. */
export interface Place {
  readonly changedAt: number
  readonly id: string
}

export const cursorOf = ({ changedAt, id }: Place): string => `${changedAt}:${id}`

export const readCursor = (cursor: string): Effect.Effect<Place, StoreError> => {
  const match = /^(\d{1,16}):([^]*)$/.exec(cursor)
  return match === null
    ? new StoreError({ operation: "list", detail: "`from` is no `next` of a page: pass on what a list gave" })
    : Effect.succeed({ changedAt: Number(match[1]), id: match[2] ?? "" })
}
