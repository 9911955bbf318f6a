/** Calls that are wrong in one place. */
import { Json } from "@wield/core"

export interface Mutation {
  readonly name: "required removed" | "type changed" | "enum value changed"
  /** The parameter that an issue has to name. */
  readonly parameter: string
  readonly arguments: Json.JsonSchema
}

type Fields = Json.JsonSchema

const values: ReadonlyArray<readonly [type: string, value: unknown]> = [
  ["object", { unexpected: true }],
  ["string", "neither here nor there"],
  ["array", [["unexpected"]]],
  ["boolean", true],
  ["number", 0.5]
]

export const mutationsOf = (schema: Fields, sent: Fields): ReadonlyArray<Mutation> => {
  const properties = Json.isObject(schema["properties"]) ? schema["properties"] : {}
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const mutations: Array<Mutation> = []
  const removed = Object.keys(sent).find((key) => required.includes(key))
  if (removed !== undefined) {
    const { [removed]: _, ...others } = sent
    mutations.push({ name: "required removed", parameter: removed, arguments: others })
  }
  for (const key of Object.keys(sent)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!Json.isObject(property)) continue
    const { enum: listed, type } = property
    const types: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type]
    const other = values.find(([name]) => !types.includes(name) && !(name === "number" && types.includes("integer")))
    if (type !== undefined && other !== undefined) {
      mutations.push({ name: "type changed", parameter: key, arguments: { ...sent, [key]: other[1] } })
    }
    if (Array.isArray(listed)) {
      const value = types.includes("string") ? "none of those listed" : 987_654_321
      mutations.push({ name: "enum value changed", parameter: key, arguments: { ...sent, [key]: value } })
    }
  }
  return mutations
}
