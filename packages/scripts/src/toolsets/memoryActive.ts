/**
 * Active sets in memory.
 */
import * as Effect from "effect/Effect"
import type { Selection, Service } from "../ActiveToolsets.js"

export const makeMemoryActive = (): Service => {
  const active = new Map<string, Selection>()
  return {
    get: (conversation) => Effect.sync(() => active.get(conversation)),
    set: (conversation, selection) => Effect.sync(() => void active.set(conversation, selection)),
    remove: (conversation) => Effect.sync(() => void active.delete(conversation)),
    conversationsOf: (name) => Effect.sync(() => conversationsOf(active, name))
  }
}

export const conversationsOf = (active: ReadonlyMap<string, Selection>, name: string): ReadonlyArray<string> =>
  [...active].flatMap(([conversation, selection]) =>
    selection._tag === "Named" && selection.name === name ? [conversation] : []
  )
