/**
 * A JSON Schema in the subset of OpenAPI 3.0 that Gemini's field `parameters`
 * takes: one type in capitals, `nullable`, no references. What it cannot say
 * stands in a description where that is possible, and is reported.
 *
 * @see https://ai.google.dev/api/caching#Schema
 */
import type { Loss } from "@wield/core"
import { Json } from "@wield/core"
import { resolvePointer } from "../internal/objectRoot.js"
import { toJson } from "../internal/toJson.js"
import { foldAllOf } from "./allOf.js"
import { hint, isHint } from "./hint.js"
import { typeOfValues } from "./typeOfValues.js"

type Path = ReadonlyArray<string | number>

type Fields = { readonly [key: string]: unknown }

/** Said with the same meaning under the same name. */
const kept: ReadonlySet<string> = new Set(
  (
    "title description pattern minLength maxLength minimum maximum minItems maxItems minProperties maxProperties " +
    "required propertyOrdering default example"
  ).split(" ")
)

/** Keywords that say nothing about which values are valid, and those that are read elsewhere here. */
const silent: ReadonlySet<string> = new Set(
  (
    "$schema $id $comment $defs definitions $anchor examples readOnly writeOnly deprecated " +
    "type nullable properties items enum const anyOf oneOf allOf $ref format"
  ).split(" ")
)

/** The API refuses other formats of strings. */
const formats: ReadonlySet<string> = new Set(["date-time", "float", "double", "int32", "int64"])

/** The schema is `undefined` for a tool without parameters. */
export const toOpenApi = (
  subject: string,
  root: Json.JsonObject
): { readonly schema: Json.JsonObject | undefined; readonly losses: ReadonlyArray<Loss.Loss> } => {
  const rewriter = new Rewriter(subject, root)
  const schema = { ...rewriter.rewrite(root, [], []), type: "OBJECT" }
  const properties: unknown = Reflect.get(schema, "properties")
  const isEmpty = !Json.isObject(properties) || Object.keys(properties).length === 0
  return { schema: isEmpty ? undefined : schema, losses: rewriter.losses }
}

class Rewriter {
  readonly losses: Array<Loss.Loss> = []
  readonly #subject: string
  readonly #document: Fields

  constructor(subject: string, document: Fields) {
    this.#subject = subject
    this.#document = document
  }

  /** `open`: the references that lead here. */
  rewrite(given: Fields, path: Path, open: ReadonlyArray<string>): Json.JsonObject {
    const reference = given["$ref"]
    if (typeof reference === "string") return this.#inline(given, reference, path, open)
    const folded = foldAllOf(given, this.#document)
    for (const keyword of folded.conflicts) this.#lose(path, keyword, "Stated twice, differently: the first is kept.")
    const schema = folded.schema
    const hints: Array<string> = []
    const out: Array<[string, Json.Json]> = [...this.#typed(schema, path, open)]
    const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]]
    if (Array.isArray(values)) this.#values(values, path, out, hints)
    if (Json.isObject(schema["properties"])) {
      const properties = Object.entries(schema["properties"]).map(
        ([name, inner]) => [name, this.#inner(inner, [...path, "properties", name], open)] as const
      )
      out.push(["properties", Object.fromEntries(properties)])
    }
    if (Json.isObject(schema["items"])) out.push(["items", this.#inner(schema["items"], [...path, "items"], open)])
    const format = schema["format"]
    if (typeof format === "string") {
      if (formats.has(format)) out.push(["format", format])
      else this.#hint("format", format, path, hints)
    }
    for (const [keyword, value] of Object.entries(schema)) {
      if (kept.has(keyword)) out.push([keyword, toJson(value)])
      // `false` is how other dialects write what this one takes for granted.
      else if (!silent.has(keyword) && !(keyword === "additionalProperties" && value === false)) {
        this.#hint(keyword, value, path, hints)
      }
    }
    return withHints(Object.fromEntries(out), hints)
  }

  #inner(schema: unknown, path: Path, open: ReadonlyArray<string>): Json.JsonObject {
    if (Json.isObject(schema)) return this.rewrite(schema, path, open)
    // `true` and `false` as schemas.
    if (schema === false) this.#lose(path, "false", "Gemini cannot be told that no value is valid.")
    return {}
  }

  #inline(schema: Fields, reference: string, path: Path, open: ReadonlyArray<string>): Json.JsonObject {
    const { $ref: _, ...beside } = schema
    const target = resolvePointer(reference, this.#document)
    if (target !== undefined && !open.includes(reference)) {
      return this.rewrite({ ...target, ...beside }, path, [...open, reference])
    }
    const reason =
      target === undefined
        ? `Nothing is at ${reference}: any value is accepted there.`
        : `${reference} contains itself, which Gemini's subset cannot say: it is cut off here, where any object is accepted.`
    this.#lose(path, "$ref", reason)
    return { ...this.rewrite(beside, path, open), ...(target === undefined ? {} : { type: "OBJECT" }) }
  }

  /** `type`, `nullable` and `anyOf`, which together say what JSON Schema says with several types. */
  #typed(schema: Fields, path: Path, open: ReadonlyArray<string>): ReadonlyArray<[string, Json.Json]> {
    const stated = schema["type"] ?? impliedType(schema)
    const types = (Array.isArray(stated) ? stated : [stated]).filter((type) => typeof type === "string")
    const keyword = Array.isArray(schema["anyOf"]) ? "anyOf" : "oneOf"
    const branches: ReadonlyArray<unknown> = Array.isArray(schema[keyword]) ? schema[keyword] : []
    if (keyword === "oneOf" && branches.length > 0) {
      this.#lose(path, "oneOf", "Said as anyOf: a value may fit several branches.")
    }
    const proper = branches.filter((branch) => !(Json.isObject(branch) && branch["type"] === "null"))
    const isNullable =
      schema["nullable"] === true || types.includes("null") || proper.length < branches.length || hasNull(schema)
    const nullable: ReadonlyArray<[string, Json.Json]> = isNullable ? [["nullable", true]] : []
    const named = types.filter((type) => type !== "null").map((type) => type.toUpperCase())
    if (proper.length > 0) {
      const rewritten = proper.map((branch, index) => this.#inner(branch, [...path, keyword, index], open))
      const [only] = rewritten
      // Only a union with null: the branch itself, nullable.
      if (rewritten.length === 1 && only !== undefined) return [...Object.entries(only), ...nullable]
      return [
        ...(named.length === 1 && named[0] !== undefined ? [["type", named[0]] as [string, Json.Json]] : []),
        ["anyOf", rewritten],
        ...nullable
      ]
    }
    if (named.length > 1) return [["anyOf", named.map((type) => ({ type }))], ...nullable]
    return [...named.map((type): [string, Json.Json] => ["type", type]), ...nullable]
  }

  /** The API's `enum` is of strings. */
  #values(values: ReadonlyArray<unknown>, path: Path, out: Array<[string, Json.Json]>, hints: Array<string>): void {
    const texts = values.filter((value) => typeof value === "string")
    const others = values.filter((value) => typeof value !== "string" && value !== null)
    if (others.length === 0) {
      if (texts.length > 0) out.push(["enum", texts])
      return
    }
    this.#lose(path, "enum", "Gemini's subset lists strings only: the values stand in the description.")
    hints.push(`one of ${values.map((value) => JSON.stringify(value)).join(", ")}`)
  }

  #hint(keyword: string, value: unknown, path: Path, hints: Array<string>): void {
    const isSaid = isHint(keyword, value)
    if (isSaid) hints.push(hint(keyword, value))
    const instead = isSaid ? "it stands in the description" : "it is left out"
    this.#lose(path, keyword, `Gemini's subset of OpenAPI does not have it: ${instead}.`)
  }

  #lose(path: Path, keyword: string, reason: string): void {
    this.losses.push({ subject: this.#subject, path, keyword, reason })
  }
}

const impliedType = (schema: Fields): unknown => {
  if (Json.isObject(schema["properties"])) return "object"
  if (schema["items"] !== undefined) return "array"
  if (schema["const"] !== undefined) return typeOfValues([schema["const"]])
  return Array.isArray(schema["enum"]) ? typeOfValues(schema["enum"].filter((value) => value !== null)) : undefined
}

const hasNull = (schema: Fields): boolean =>
  schema["const"] === null || (Array.isArray(schema["enum"]) && schema["enum"].includes(null))

const withHints = (schema: Json.JsonObject, hints: ReadonlyArray<string>): Json.JsonObject => {
  if (hints.length === 0) return schema
  const said = typeof schema["description"] === "string" ? `${schema["description"]} ` : ""
  return { ...schema, description: `${said}(${hints.join("; ")})` }
}
