/** Makes a set the active one of a conversation. */
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type { Selection } from "../ActiveToolsets.js"
import type { Active } from "../ToolsetManager.js"
import { type ActiveToolsetFailed, UnknownFunctions, type UnknownToolset } from "../ToolsetManagerError.js"
import { announce } from "./announce.js"
import { type Inside, functionsOfSelection } from "./inside.js"
import { active, nearestNames, find, selectionOf } from "./look.js"

export const activate = <E>(
  inside: Inside<E>,
  conversation: string,
  name: string
): Effect.Effect<Active, UnknownToolset | ActiveToolsetFailed | E> =>
  inside.sets.pipe(
    Effect.flatMap((sets) => find(name, sets)),
    Effect.zipRight(select(inside, conversation, { _tag: "Named", name }))
  )

export const custom = <E>(
  inside: Inside<E>,
  conversation: string,
  functions: ReadonlyArray<string>
): Effect.Effect<Active, UnknownFunctions | ActiveToolsetFailed | E> =>
  Effect.flatMap(inside.loaded, (loaded): Effect.Effect<Active, UnknownFunctions | ActiveToolsetFailed | E> => {
    const unknown = functions.filter((name) => !loaded.has(name))
    return unknown.length > 0
      ? unknownFunctions(unknown, loaded.keys())
      : select(inside, conversation, { _tag: "Custom", functions: [...new Set(functions)] })
  })

export const unknownFunctions = (unknown: ReadonlyArray<string>, known: Iterable<string>): UnknownFunctions => {
  const names = [...known]
  return new UnknownFunctions({
    unknown: unknown.map((name) => ({
      name,
      nearest: nearestNames(name, names)
    }))
  })
}

const select = <E>(
  inside: Inside<E>,
  conversation: string,
  selection: Selection
): Effect.Effect<Active, ActiveToolsetFailed | E> =>
  become(inside, conversation, inside.store.set(conversation, selection)).pipe(
    Effect.zipRight(PubSub.publish(inside.events, { _tag: "Activated", conversation, selection })),
    Effect.zipRight(active(inside, conversation))
  )

export const reset = <E>(inside: Inside<E>, conversation: string): Effect.Effect<void, ActiveToolsetFailed | E> =>
  become(inside, conversation, inside.store.remove(conversation)).pipe(
    Effect.zipRight(PubSub.publish(inside.events, { _tag: "Activated", conversation, selection: inside.initial }))
  )

/** A change is announced even if its caller no longer waits. */
const become = <E>(
  inside: Inside<E>,
  conversation: string,
  change: Effect.Effect<void, ActiveToolsetFailed>
): Effect.Effect<void, ActiveToolsetFailed | E> =>
  Effect.gen(function* () {
    const sets = yield* inside.sets
    const before = yield* selectionOf(inside, conversation)
    yield* change
    const after = yield* selectionOf(inside, conversation)
    yield* announce(
      inside,
      conversation,
      functionsOfSelection(before.selection, sets),
      functionsOfSelection(after.selection, sets)
    )
  }).pipe(Effect.uninterruptible)
