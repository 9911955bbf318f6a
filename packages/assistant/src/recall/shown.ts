/** Which memories and goals stand in the results of tools, as they are now: the model has them before it already. */
import type { Content, ToolResult } from "@wield/core"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Goal, toText } from "../Goal.js"
import type { Memory } from "../Memory.js"

export interface Shown {
  /** How many were found; what they were before a change counts too. */
  readonly size: number
  readonly hasMemory: (memory: Memory) => boolean
  readonly hasGoal: (goal: Goal) => boolean
}

export const shownIn = (results: ReadonlyArray<ToolResult.ToolResult>): Shown => {
  const objects = objectsIn(results.flatMap(({ content }) => content.flatMap(jsonOf)))
  const memories = new Set(objects.flatMap((object) => Option.toArray(Option.map(asMemory(object), keyOf))))
  // Also the memory that a completed goal has left has the goal's text.
  const goals = new Set(objects.flatMap((object) => Option.toArray(Option.map(asGoal(object), toText))))
  return {
    size: memories.size + goals.size,
    hasMemory: (memory) => memories.has(keyOf(memory)) || goals.has(memory.text),
    hasGoal: (goal) => goals.has(toText(goal))
  }
}

/** What all tools that show memories have in common. */
const asMemory = Schema.decodeUnknownOption(
  Schema.Struct({ number: Schema.Int, name: Schema.String, text: Schema.String })
)

const asGoal = Schema.decodeUnknownOption(Goal)

/** A memory that was changed has another text or name, and is not the one that was shown. */
const keyOf = ({ name, number, text }: Pick<Memory, "name" | "number" | "text">): string =>
  JSON.stringify([number, name, text])

const jsonOf = (part: Content.Part): ReadonlyArray<unknown> => (part._tag === "JsonValue" ? [part.value] : [])

/** All objects, at whatever depth; without recursion, since a result can be of any depth. */
const objectsIn = (values: ReadonlyArray<unknown>): ReadonlyArray<object> => {
  const found: Array<object> = []
  let left = values
  while (left.length > 0) {
    const objects = left.filter((value) => typeof value === "object" && value !== null)
    for (const object of objects) found.push(object)
    left = objects.flatMap((object): ReadonlyArray<unknown> => Object.values(object))
  }
  return found
}
