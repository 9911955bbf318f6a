/** Tells which tools a conversation has won and lost. */
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type { Inside } from "./inside.js"
import { functionsOfName, type Sets } from "./resolve.js"

type Functions = ReadonlyArray<string> | undefined

/** Without functions, all that are loaded. */
export const announce = <E>(
  { loaded, news }: Inside<E>,
  conversation: string | undefined,
  before: Functions,
  after: Functions
): Effect.Effect<void, E> =>
  Effect.flatMap(loaded, (tools) => {
    const names = [...tools.keys()]
    const had = new Set(before ?? names)
    const has = new Set(after ?? names)
    const added = names.filter((name) => has.has(name) && !had.has(name))
    const removed = names.filter((name) => had.has(name) && !has.has(name))
    return added.length + removed.length === 0
      ? Effect.void
      : Effect.asVoid(PubSub.publish(news, { conversation, change: { added, removed, altered: [] } }))
  })

/** Announces a changed set to its conversations; if that fails, the next turn is still right. */
export const announceSets = <E>(inside: Inside<E>, before: Sets): Effect.Effect<void> =>
  Effect.gen(function* () {
    const after = yield* inside.sets
    const names = new Set([...before.user.keys(), ...before.core.keys(), ...after.user.keys(), ...after.core.keys()])
    for (const name of names) {
      const had = functionsOfName(name, before)
      const has = functionsOfName(name, after)
      if (JSON.stringify(had) === JSON.stringify(has)) continue
      const conversations = yield* inside.store.conversationsOf(name)
      const isInitial = inside.initial._tag === "Named" && inside.initial.name === name
      yield* Effect.forEach(
        isInitial ? [...conversations, undefined] : conversations,
        (conversation) => announce(inside, conversation, had, has),
        { discard: true }
      )
    }
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("A change of toolsets could not be announced to conversations", cause)
    )
  )
