/** The members of an Enum class and their values. */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import type { Node } from "../syntax/treeSitter.js"
import { assignmentsOf, basesOf, type ClassBinding, classKindOf } from "./classKind.js"
import { literalOf } from "./literal.js"
import { calledName, outsideNameOf } from "./qualifiedName.js"
import type { Reading } from "./reading.js"

/** Each member in JSON: its value, or its name unless all values are known scalars. */
export const membersOf = (binding: ClassBinding, reading: Reading): ReadonlyMap<string, Json.Json> => {
  const bases = basesOf(binding).map(([base]) => outsideNameOf(base, reading.module))
  // No methods, no private names, no annotations.
  const assignments = assignmentsOf(binding.node).filter(
    ({ name, value }) => value !== undefined && !name.startsWith("_")
  )
  const members = new Map<string, Json.Json>()
  for (const { name, value } of assignments) {
    if (value === undefined) continue
    const isAutomatic = /(^|\.)auto$/.test(calledName(value, reading.module))
    const known = isAutomatic ? automatic(name, [...members.values()], bases) : Either.getOrUndefined(literalOf(value))
    if (known === undefined || (typeof known === "object" && known !== null)) {
      return new Map(assignments.map((one) => [one.name, one.name]))
    }
    members.set(name, known)
  }
  return members
}

/** `Color.RED` and `Color.RED.value`, where they are known. */
export const memberValue = (node: Node, reading: Reading): Json.Json | undefined => {
  if (node.type !== "attribute") return undefined
  const [owner = "", member = "", last, ...rest] = node.text.split(".")
  if ((last !== undefined && last !== "value") || rest.length > 0) return undefined
  const binding = reading.module.bindings.get(owner)
  if (binding?.kind !== "class" || classKindOf(binding, reading) !== "enum") return undefined
  return membersOf(binding, reading).get(member)
}

/** What `auto()` gives: the small letters of the name in a StrEnum, otherwise one more than the greatest. */
const automatic = (
  name: string,
  before: ReadonlyArray<Json.Json>,
  bases: ReadonlyArray<string>
): Json.Json | undefined => {
  if (bases.some((base) => /(^|\.)StrEnum$/.test(base))) return name.toLowerCase()
  // A class that is a str besides makes texts of the numbers, another way in each version of Python.
  if (bases.includes("str")) return undefined
  return Math.max(0, ...before.filter((value) => typeof value === "number")) + 1
}
