/**
 * A JSON Schema as Anthropic's strict mode accepts it.
 *
 * Strict mode compiles the schema to a grammar that knows types, not ranges.
 * A constraint it does not know moves into the description and is
 * reported: the model may break it, and the full schema still refuses it. A
 * schema whose meaning would change (an open record, a recursive type, a value
 * of any type) cannot be said: strict mode would forbid valid arguments.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"
import { foldAllOf } from "./allOf.js"
import { describe } from "./keywords.js"
import type { Path } from "../internal/wireField.js"

/** `root` is a schema whose root is an object without unions. `undefined` where strict mode cannot say the schema. */
export const anthropicStrict = (subject: string, root: Json.JsonSchema) => {
  const rewriting = new Rewriting(subject, root)
  const schema = rewriting.rewrite(root, [])
  rewriting.reportLimits()
  const refusal = rewriting.refusal
  return refusal === undefined && Json.isObject(schema)
    ? { schema, losses: rewriting.losses }
    : { schema: undefined, losses: refusal === undefined ? [] : [refusal] }
}

/** The API's own limits, for all strict tools of a request together; one tool may already be over them. */
const limits = { optional: 24, unions: 16 }

/** Types within unions of types multiply: more schemas than this are no grammar. */
const maxSchemas = 5_000

const formats: ReadonlySet<string> = new Set(
  "date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" ")
)

/** Keywords that strict mode takes as they are. All others narrow what a type allows, or are of no schema dialect. */
const plain: ReadonlySet<string> = new Set(["type", "title", "description", "default", "required"])

/** Keywords that say nothing about which values are valid. */
const ignorable: ReadonlySet<string> = new Set("$schema $id $comment examples readOnly writeOnly deprecated".split(" "))

/** Lookaround, backreferences and word boundaries have no grammar. */
const hasUnsupportedSyntax = (pattern: string): boolean => /\(\?[=!<]|\\[1-9bBk]/.test(pattern)

class Rewriting {
  readonly losses: Array<Loss.Loss> = []
  refusal: Loss.Loss | undefined
  /** Schemas that are being rewritten: one that comes back to itself, by a reference or in an `allOf`, is recursive. */
  readonly #open = new Set<object>()
  readonly #followed = new Set<string>()
  readonly #count = { optional: 0, unions: 0, schemas: 0 }

  constructor(
    private readonly subject: string,
    private readonly document: Json.JsonSchema
  ) {}

  rewrite(value: unknown, path: Path): unknown {
    if (!Json.isObject(value)) {
      if (value === false) return value
      return this.#refuse(path, "a value of any type")
    }
    // Once one place has refused it, all others could only take time.
    if (this.refusal !== undefined) return undefined
    if (++this.#count.schemas > maxSchemas) return this.#refuse(path, `more than ${maxSchemas} schemas in one`)
    if (this.#open.has(value)) return this.#refuse(path, "a type that contains itself")
    this.#open.add(value)
    const rewritten = this.#object(value, path)
    this.#open.delete(value)
    return rewritten
  }

  #object(value: Json.JsonSchema, path: Path): unknown {
    const { schema, conflicts } = foldAllOf(value, this.document)
    for (const keyword of conflicts) this.#lose(path, keyword, "of several statements only the first is kept")
    const types = typesOf(schema)
    if (types !== undefined) return this.rewrite(onePerType(schema, types), path)
    const unstated: { [keyword: string]: unknown } = {}
    const entries: Array<[string, unknown]> = []
    for (const [keyword, stated] of Object.entries(schema)) {
      const kept = this.#keyword(keyword, stated, schema, [...path, keyword], unstated)
      if (kept !== undefined) entries.push(kept)
    }
    if (!("type" in schema) && !typing.some((keyword) => keyword in schema)) {
      return this.#refuse(path, "a value of any type")
    }
    if (schema["type"] === "object" || Json.isObject(schema["properties"])) {
      const properties = Json.isObject(schema["properties"]) ? Object.keys(schema["properties"]) : []
      const isOpen = schema["additionalProperties"] !== false && schema["additionalProperties"] !== undefined
      if (properties.length === 0 && (isOpen || (path.length > 0 && schema["additionalProperties"] === undefined))) {
        return this.#refuse([...path, "additionalProperties"], "an object with keys that are not known beforehand")
      }
      const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
      this.#count.optional += properties.filter((key) => !required.includes(key)).length
      if (isOpen) this.#lose([...path], "additionalProperties", "only the stated properties can be sent")
      entries.push(["additionalProperties", false])
    }
    return describe(Object.fromEntries(entries), unstated)
  }

  reportLimits(): void {
    const { optional, unions } = this.#count
    const over = (count: number, limit: number, what: string): void => {
      if (count > limit)
        this.#lose([], "limit", `a request may have ${limit} ${what}, and this schema alone has ${count}`)
    }
    over(optional, limits.optional, "optional parameters")
    over(unions, limits.unions, "parameters that are unions")
  }

  #keyword(
    keyword: string,
    stated: unknown,
    schema: Json.JsonSchema,
    path: Path,
    unstated: { [keyword: string]: unknown }
  ): [string, unknown] | undefined {
    const lose = (): undefined => {
      unstated[keyword] = stated
      this.#lose(path.slice(0, -1), keyword, "strict mode does not enforce it; the description states it")
    }
    switch (keyword) {
      case "properties":
      case "$defs":
      case "definitions":
        if (!Json.isObject(stated)) return undefined
        return [
          keyword,
          Object.fromEntries(Object.entries(stated).map(([key, inner]) => [key, this.rewrite(inner, [...path, key])]))
        ]
      case "additionalProperties":
      case "additionalItems":
        return undefined
      case "patternProperties":
        return this.#refuse(path, "an object with keys that are not known beforehand")
      case "items":
      case "prefixItems": {
        if (keyword === "items" && schema["prefixItems"] !== undefined) return undefined
        if (!Array.isArray(stated)) return [keyword, this.rewrite(stated, path)]
        this.#lose(path.slice(0, -1), keyword, "each item may have the type of any position")
        const rest = keyword === "items" ? schema["additionalItems"] : schema["items"]
        const all = Json.isObject(rest) ? [...stated, rest] : stated
        return ["items", { anyOf: all.map((inner, index) => this.rewrite(inner, [...path, index])) }]
      }
      case "anyOf":
      case "oneOf":
        if (!Array.isArray(stated)) return undefined
        this.#count.unions++
        if (keyword === "oneOf") {
          if (Array.isArray(schema["anyOf"])) return lose()
          this.#lose(path.slice(0, -1), keyword, "sent as anyOf: a value may fit more than one branch")
        }
        return ["anyOf", stated.map((inner, index) => this.rewrite(inner, [...path, index]))]
      case "$ref":
        return this.#reference(stated, path)
      case "enum":
        return Array.isArray(stated) && stated.some(isComplex) ? lose() : [keyword, stated]
      case "const":
        return isComplex(stated) ? lose() : [keyword, stated]
      case "format":
        return typeof stated === "string" && formats.has(stated) ? [keyword, stated] : lose()
      case "pattern":
        return typeof stated === "string" && !hasUnsupportedSyntax(stated) ? [keyword, stated] : lose()
      case "minItems":
        return stated === 0 || stated === 1 ? [keyword, stated] : lose()
      default:
        if (ignorable.has(keyword)) return undefined
        return plain.has(keyword) ? [keyword, stated] : lose()
    }
  }

  #reference(reference: unknown, path: Path): [string, unknown] | undefined {
    if (typeof reference !== "string") return undefined
    const target = JsonPointer.schemaAt(this.document, reference)
    if (target === undefined) return this.#refuse(path, `a reference to ${reference}`)
    if (this.#open.has(target)) return this.#refuse(path, "a type that contains itself")
    if (!this.#followed.has(reference)) {
      this.#followed.add(reference)
      // Only to find out whether the reference leads back to itself: `$defs` is rewritten in its own place.
      const losses = this.losses.length
      this.rewrite(target, path)
      this.losses.length = losses
    }
    return ["$ref", reference]
  }

  #lose(path: Path, keyword: string, reason: string): void {
    this.losses.push({ subject: this.subject, path, keyword, reason: `Anthropic's strict mode: ${reason}.` })
  }

  #refuse(path: Path, what: string): undefined {
    this.refusal ??= {
      subject: this.subject,
      path,
      keyword: "strict",
      reason: `Anthropic's strict mode cannot say ${what}: the tool is offered without strict mode.`
    }
  }
}

const typing = ["anyOf", "oneOf", "enum", "const", "$ref", "properties", "items", "prefixItems"]

const isComplex = (value: unknown): boolean => typeof value === "object" && value !== null

/** The types of a schema that states several; OpenAPI 3.0 says `nullable` instead of a second type. */
const typesOf = (schema: Json.JsonSchema): ReadonlyArray<unknown> | undefined => {
  if (Array.isArray(schema["type"])) return schema["type"]
  return schema["nullable"] === true && typeof schema["type"] === "string" ? [schema["type"], "null"] : undefined
}

/** `type: ["string", "null"]` as one branch a type. */
const onePerType = (schema: Json.JsonSchema, types: ReadonlyArray<unknown>): Json.JsonSchema => {
  const { type: _1, nullable: _2, description, ...rest } = schema
  const branches = types.map((type) => (type === "null" ? { type } : { ...onlyOf(type, rest), type }))
  if (branches.length === 1) return { ...branches[0], ...(description === undefined ? {} : { description }) }
  return { ...(description === undefined ? {} : { description }), anyOf: branches }
}

/** Keywords that say something of values of these types only. */
const typesOfKeyword: ReadonlyMap<string, ReadonlyArray<unknown>> = new Map(
  (
    [
      [
        "properties required additionalProperties patternProperties propertyNames minProperties maxProperties " +
          "dependentSchemas dependentRequired unevaluatedProperties",
        ["object"]
      ],
      [
        "items prefixItems additionalItems minItems maxItems uniqueItems contains minContains maxContains " +
          "unevaluatedItems",
        ["array"]
      ],
      ["pattern minLength maxLength contentEncoding contentMediaType", ["string"]],
      ["minimum maximum exclusiveMinimum exclusiveMaximum multipleOf", ["number", "integer"]]
    ] as const
  ).flatMap(([keywords, types]) => keywords.split(" ").map((keyword) => [keyword, types] as const))
)

const onlyOf = (type: unknown, schema: Json.JsonSchema): Json.JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => typesOfKeyword.get(keyword)?.includes(type) ?? true))
