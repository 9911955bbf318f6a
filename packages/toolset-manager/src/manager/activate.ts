/** Makes a set the active one of a conversation. */
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type { Selection } from "../ActiveToolsets.js"
import { type ActiveToolsetFailed, UnknownFunctions } from "../ToolsetManagerError.js"
import { announce, type Inside, type Manager, functionsOfSelection } from "./inside.js"
import { active, nearestNames, find, selectionOf } from "./look.js"

export const activate =
  <E>(inside: Inside<E>): Manager<E>["activate"] =>
  (conversation, name) =>
    inside.sets.pipe(
      Effect.flatMap((sets) => find(name, sets)),
      Effect.zipRight(select(inside, conversation, { _tag: "Named", name }))
    )

export const custom =
  <E>(inside: Inside<E>): Manager<E>["custom"] =>
  (conversation, functions) =>
    Effect.flatMap(inside.loaded, (loaded): ReturnType<Manager<E>["custom"]> => {
      const unknown = functions.filter((name) => !loaded.has(name))
      return unknown.length > 0
        ? unknownFunctions(unknown, loaded.keys())
        : select(inside, conversation, { _tag: "Custom", functions: [...new Set(functions)] })
    })

export const unknownFunctions = (unknown: ReadonlyArray<string>, known: Iterable<string>): UnknownFunctions => {
  const names = [...known]
  return new UnknownFunctions({ unknown: unknown.map((name) => ({ name, nearest: nearestNames(name, names) })) })
}

const select = <E>(inside: Inside<E>, conversation: string, selection: Selection): ReturnType<Manager<E>["active"]> =>
  become(inside, conversation, inside.store.set(conversation, selection)).pipe(
    Effect.zipRight(active(inside)(conversation))
  )

export const reset =
  <E>(inside: Inside<E>): Manager<E>["reset"] =>
  (conversation) =>
    become(inside, conversation, inside.store.remove(conversation))

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
    const { selection } = yield* selectionOf(inside, conversation)
    const had = functionsOfSelection(before.selection, sets)
    yield* announce(inside, conversation, had, functionsOfSelection(selection, sets))
    return selection
  }).pipe(
    Effect.uninterruptible,
    Effect.flatMap((selection) => PubSub.publish(inside.events, { _tag: "Activated", conversation, selection }))
  )
