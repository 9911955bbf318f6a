/** A tool as an operation, and back, word for word; its facts stand in `x-wield-facts`. */
import * as JsonPointer from "@wield/core/JsonPointer"
import type { Facts, ToolDefinition } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ManifestFile from "../ManifestFile.js"

const extension = "x-wield-facts"
const bodyAt = ["requestBody", "content", "application/json", "schema"]
const resultAt = ["responses", "200", "content", "application/json", "schema"]

export const pathOf = (name: string): string => `/tools/${encodeURIComponent(name)}`

export const operationOf = (
  { description, facts, inputSchema, name, outputSchema }: ToolDefinition.ToolDefinition,
  failure: Json.JsonSchema
): object => {
  const at = ["paths", pathOf(name), "post"]
  const schemaAt = (schema: Json.JsonSchema, path: ReadonlyArray<string>) => ({
    content: {
      "application/json": { schema: mapReferences(schema, (to) => pointerTo([...at, ...path]) + to.slice(1)) }
    }
  })
  return {
    operationId: name,
    ...(facts.title === undefined ? {} : { summary: facts.title }),
    ...(description === undefined ? {} : { description }),
    [extension]: ManifestFile.encodeFacts({ ...facts, disclosure: disclosureOf(facts) }),
    requestBody: { required: true, ...schemaAt(inputSchema, bodyAt) },
    responses: {
      "200": { description: "The result", ...(outputSchema === undefined ? {} : schemaAt(outputSchema, resultAt)) },
      default: { description: "Why there is no result", content: { "application/json": { schema: failure } } }
    }
  }
}

/** Who learns of it stays on the machine of the server: to the caller that is an endpoint. */
const disclosureOf = ({ disclosure }: Facts.Facts): Facts.Disclosure =>
  disclosure === "none" ? "endpoint" : disclosure

export interface Served {
  readonly facts: Partial<Facts.Facts>
  readonly inputSchema: Json.JsonSchema
  readonly outputSchema: Json.JsonSchema | undefined
}

/** The tool that an operation was made of; `undefined` for any other operation, and for one that was changed since. */
export const readServed = (operation: Json.JsonSchema, at: ReadonlyArray<string | number>): Served | undefined => {
  const facts = decodeFacts(operation[extension])
  if (Option.isNone(facts)) return undefined
  const inputSchema = schemaIn(operation, bodyAt, at)
  const outputSchema = schemaIn(operation, resultAt, at)
  if (inputSchema === undefined || outputSchema === "foreign" || inputSchema === "foreign") return undefined
  return { facts: ManifestFile.decodeFacts(facts.value), inputSchema, outputSchema }
}

const decodeFacts = Schema.decodeUnknownOption(ManifestFile.Facts)

/** "foreign": it refers to other parts of the document, or contains itself. */
const schemaIn = (operation: Json.JsonSchema, path: ReadonlyArray<string>, at: ReadonlyArray<string | number>) => {
  const schema = path.reduce<unknown>((value, key) => (Json.isObject(value) ? value[key] : undefined), operation)
  if (!Json.isObject(schema)) return undefined
  const root = pointerTo([...at, ...path])
  let isForeign = false
  const whole = mapReferences(schema, (to) => {
    if (to === root || to.startsWith(`${root}/`)) return `#${to.slice(root.length)}`
    isForeign = true
    return to
  })
  return isForeign || whole === undefined ? "foreign" : whole
}

const pointerTo = (path: ReadonlyArray<string | number>): string =>
  `#${JsonPointer.make(path).split("/").map(encodeURIComponent).join("/")}`

const maxDepth = 200

/** References by pointer; others mean the same anywhere. `undefined` for a schema that contains itself. */
const mapReferences = (schema: Json.JsonSchema, map: (to: string) => string): Json.JsonSchema | undefined => {
  let isEndless = false
  const walk = (value: unknown, depth: number): unknown => {
    if (depth > maxDepth) isEndless = true
    if (isEndless) return value
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1))
    if (!Json.isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === "$ref" && typeof inner === "string" && /^#(\/|$)/.test(inner) ? map(inner) : walk(inner, depth + 1)
      ])
    )
  }
  // It stays an object.
  const mapped = walk(schema, 0) as Json.JsonSchema
  return isEndless ? undefined : mapped
}
