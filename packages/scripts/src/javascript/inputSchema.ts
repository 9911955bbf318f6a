/** The schema of all arguments together, with the definitions that its types refer to. */
import type { Json } from "@wield/core"
import type ts from "typescript"
import type { Parameter, ScriptFunction } from "../Script.js"
import { report } from "./reading.js"
import { mostTypes, type Resolution } from "./resolution.js"
import { schemaOf } from "./schema.js"
import { sizeOf } from "./size.js"
import type { Property } from "./type.js"

export type Signature = Pick<ScriptFunction, "parameters" | "inputSchema" | "passing">

export const inputSchemaOf = (
  resolution: Resolution,
  node: ts.Node,
  properties: ReadonlyArray<readonly [string, Property]>,
  passing: ScriptFunction["passing"]
): Signature => {
  const { reading, shared, subject } = resolution
  const all = [...properties.map(([, { type }]) => type), ...shared.definitions.values()]
  const size = all.reduce((sum, type) => sum + sizeOf(type, shared.sizes), 0)
  if (shared.left <= 0 || size > mostTypes) {
    const message = `the types of ${subject} have more than ${mostTypes} parts written out; use fewer types within types`
    report(reading, "error", "type-too-large", node, subject, message)
    return { parameters: [], inputSchema: {}, passing }
  }
  const names = new Map<string, string>()
  const reference = (key: string): string => {
    const known = names.get(key)
    const name = known ?? uniqueName(key, new Set(names.values()))
    names.set(key, name)
    return `#/$defs/${name}`
  }
  const parameters = properties.map(([name, { annotations, isOptional, type }]): Parameter => ({
    name,
    schema: { ...schemaOf(type, reference), ...annotations },
    isRequired: !isOptional
  }))
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const definitions = new Map<string, Json.JsonSchema>()
  // A definition may name another: those are found while there are new ones.
  for (const [key, name] of names) {
    const type = shared.definitions.get(key)
    definitions.set(name, type === undefined ? {} : schemaOf(type, reference))
  }
  return {
    parameters,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      ...(required.length === 0 ? {} : { required }),
      ...(definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) })
    },
    passing
  }
}

/** `Tree<string>` would have to be escaped in a reference. */
const uniqueName = (key: string, taken: ReadonlySet<string>): string => {
  const plain = (/^\w+/.exec(key)?.[0] ?? "") || "type"
  let name = plain
  for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`
  return name
}
