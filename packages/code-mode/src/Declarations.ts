/** What a program may call, as TypeScript: the types that it is checked by, and what a model reads of them. */
import type { ToolDefinition } from "@wield/core"
import { isObject, type JsonSchema } from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"

/**
 * How much a model reads of each tool: with all descriptions, with the first sentence of the tool's own, or its types
 * alone.
 *
 * @category models
 */
export type Detail = "full" | "brief" | "types"

/**
 * The declaration of `tools` for these definitions. What a JSON Schema says and TypeScript cannot say is left out: the
 * runner decodes each call.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Declarations } from "@wield/code-mode"
 * import { ToolDefinition } from "@wield/core"
 *
 * const inputSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] } as const
 * const read = ToolDefinition.make({ name: "read_order", description: "Reads an order.", inputSchema })
 * assert.strictEqual(
 *   Declarations.render([read], "brief"),
 *   `declare const tools: {
 *   /** Reads an order. *\/
 *   read_order(args: { id: string }): Promise<any>
 * }`
 * )
 * ```
 *
 * @category rendering
 */
export const render = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>, detail: Detail): string =>
  `declare const tools: {\n${definitions.map((definition) => lineOf(definition, detail)).join("\n")}\n}`

/** What stands beside the tools, and is the same for all programs. */
export const surroundings = `
/** How a call ended that came to no result. */
declare class ToolError extends Error {
  /** Such as "Failure", "Denied", "InvalidArguments", "TimedOut", "Uncertain", "Unavailable". */
  readonly outcome: string
  readonly tool: string
  /** Of a Failure: what the tool says. */
  readonly data: any
}
`

const lineOf = ({ description, inputSchema, name, outputSchema }: ToolDefinition.ToolDefinition, detail: Detail) => {
  const root = new Root(inputSchema, detail === "full")
  const isOptional = !Array.isArray(inputSchema.required) || inputSchema.required.length === 0
  const result = outputSchema === undefined ? "any" : new Root(outputSchema, detail === "full").text()
  const about =
    detail === "types" || description === undefined ? undefined : detail === "full" ? description : firstOf(description)
  return `${comment(about, "  ")}  ${keyOf(name)}(args${isOptional ? "?" : ""}: ${root.text()}): Promise<${result}>`
}

/** The first sentence, or so many characters of it. */
const firstOf = (text: string): string => {
  const [first = ""] = text.trim().split(/(?<=[.!?])\s|\n/)
  return first.length > 120 ? `${first.slice(0, 119)}…` : first
}

const comment = (text: string | undefined, indent: string): string =>
  text === undefined || text.trim() === ""
    ? ""
    : `${indent}/** ${text
        .trim()
        .replaceAll("*/", "*\\/")
        .replace(/\s*\n\s*/g, " ")} */\n`

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** Beyond, a type is `any`: it would say no more than it takes to read. */
const deepest = 8

/** As many parts of a schema are shown: definitions that name one another would have no end of them. */
const most = 2_000

class Root {
  readonly #open = new Set<unknown>()
  #shown = 0

  constructor(
    readonly schema: JsonSchema,
    readonly hasDescriptions: boolean
  ) {}

  text(): string {
    return this.#of(this.schema, 0)
  }

  #of(schema: unknown, depth: number): string {
    if (schema === false) return "never"
    if (++this.#shown > most || !isObject(schema) || depth > deepest || this.#open.has(schema)) return "any"
    this.#open.add(schema)
    const text = this.#within(schema, depth)
    this.#open.delete(schema)
    return text
  }

  #within(schema: { readonly [key: string]: unknown }, depth: number): string {
    if (typeof schema.$ref === "string") return this.#of(JsonPointer.schemaAt(this.schema, schema.$ref), depth + 1)
    if ("const" in schema) return literal(schema.const)
    if (Array.isArray(schema.enum)) return union(schema.enum.map(literal))
    const choices = Array.isArray(schema.anyOf) ? schema.anyOf : Array.isArray(schema.oneOf) ? schema.oneOf : undefined
    const parts = [
      ...(choices === undefined ? [] : [union(choices.map((one) => this.#of(one, depth + 1)))]),
      ...(Array.isArray(schema.allOf) ? schema.allOf.map((one) => this.#of(one, depth + 1)) : [])
    ]
    const own = this.#typed(schema, depth)
    if (own !== undefined) parts.push(own)
    const known = parts.filter((part) => part !== "any")
    const text = known.length === 0 ? "any" : known.length === 1 ? (known[0] ?? "any") : known.map(grouped).join(" & ")
    return schema.nullable === true && text !== "any" ? union([text, "null"]) : text
  }

  #typed(schema: { readonly [key: string]: unknown }, depth: number): string | undefined {
    const { type } = schema
    if (Array.isArray(type)) return union(type.map((one) => this.#typed({ ...schema, type: one }, depth) ?? "any"))
    switch (type ?? (isObject(schema.properties) ? "object" : "items" in schema ? "array" : undefined)) {
      case "string":
        return "string"
      case "number":
      case "integer":
        return "number"
      case "boolean":
        return "boolean"
      case "null":
        return "null"
      case "array":
        return this.#array(schema, depth)
      case "object":
        return this.#object(schema, depth)
      default:
        return undefined
    }
  }

  #array({ items, prefixItems }: { readonly [key: string]: unknown }, depth: number): string {
    // How many of them there are, a type would say too narrowly.
    if (Array.isArray(prefixItems) || Array.isArray(items)) return "any[]"
    return `${grouped(this.#of(items ?? true, depth + 1))}[]`
  }

  #object(schema: { readonly [key: string]: unknown }, depth: number): string {
    const required = new Set(Array.isArray(schema.required) ? schema.required : [])
    const properties = Object.entries(isObject(schema.properties) ? schema.properties : {})
    const others = schema.additionalProperties ?? (isObject(schema.patternProperties) ? true : undefined)
    const isOpen = others !== undefined && others !== false
    // Beside properties of other types, one that is narrower would contradict them.
    const rest = isOpen ? [`[name: string]: ${properties.length === 0 ? this.#of(others, depth + 1) : "any"}`] : []
    if (properties.length + rest.length === 0) return others === false ? "{}" : "{ [name: string]: any }"
    const members = properties.map(([name, property]) => {
      const about = this.hasDescriptions && isObject(property) ? property.description : undefined
      const text = `${keyOf(name)}${required.has(name) ? "" : "?"}: ${this.#of(property, depth + 1)}`
      return typeof about === "string" ? `${comment(about, "").trimEnd()} ${text}` : text
    })
    return `{ ${[...members, ...rest].join("; ")} }`
  }
}

const literal = (value: unknown): string =>
  typeof value === "object" && value !== null ? "any" : (JSON.stringify(value) ?? "any")

const union = (parts: ReadonlyArray<string>): string => {
  const different = [...new Set(parts)]
  return different.includes("any") || different.length === 0 ? "any" : different.join(" | ")
}

const grouped = (text: string): string => (/[|&]/.test(text) && !/^\{.*\}$/.test(text) ? `(${text})` : text)
