/** What a schema may be of one value: references followed, `allOf` folded in, unions opened. */
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"
import { foldAllOf } from "./allOf.js"

/** A schema that refers to itself without a type in between describes nothing. */
const maxHops = 32

/** Unions of unions multiply: more than this are no schema for a model. */
const maxBranches = 20_000

export class Branches {
  readonly #known = new Map<Json.JsonSchema, ReadonlyArray<Json.JsonSchema>>()
  #count = 0

  constructor(private readonly document: Json.JsonSchema) {}

  /** The schemas of which one describes a value; what stands beside a union belongs to each of its branches. */
  of(schema: Json.JsonSchema, hops = 0): ReadonlyArray<Json.JsonSchema> {
    const known = this.#known.get(schema)
    if (known !== undefined) return known
    if (hops > maxHops || this.#count > maxBranches) return []
    const branches = this.#open(schema, hops)
    this.#known.set(schema, branches)
    return branches
  }

  /** Whether there were too many branches to tell what a value is. */
  get isOver(): boolean {
    return this.#count > maxBranches
  }

  #open(schema: Json.JsonSchema, hops: number): ReadonlyArray<Json.JsonSchema> {
    const plain = plainOf(schema, this.document)
    if (plain === undefined) return []
    const { anyOf, oneOf, ...beside } = plain
    const union = Array.isArray(anyOf) ? anyOf : oneOf
    if (!Array.isArray(union)) return [plain]
    const opened = union.flatMap((branch) => (Json.isObject(branch) ? this.of(branch, hops + 1) : []))
    this.#count += opened.length
    const distinct = [...new Set(opened)]
    if (Object.keys(beside).every((keyword) => silent.has(keyword))) return distinct
    return distinct.map((branch) => foldAllOf({ ...branch, allOf: [beside] }, this.document).schema)
  }
}

/** Keywords that say nothing about values. */
const silent: ReadonlySet<string> = new Set("$defs $id $schema default definitions description title".split(" "))

/** References followed and `allOf` folded in; `undefined` for what refers to nothing. */
const plainOf = (schema: Json.JsonSchema, document: Json.JsonSchema): Json.JsonSchema | undefined => {
  let at = foldAllOf(schema, document).schema
  for (let hop = 0; typeof at["$ref"] === "string"; hop++) {
    const target = JsonPointer.schemaAt(document, at["$ref"])
    if (target === undefined || hop > maxHops) return undefined
    const { $ref: _, ...beside } = at
    at = foldAllOf(Object.keys(beside).length === 0 ? target : { ...target, ...beside }, document).schema
  }
  return at
}
