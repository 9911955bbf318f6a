/**
 * A schema as its author meant it, in the words of a draft. Two kinds of
 * things are changed, each with a note: what no draft allows (so that no valid
 * schema can change its meaning), and, where no draft is declared, what OpenAPI
 * means by `nullable`, which a draft would ignore.
 */
import * as Either from "effect/Either"
import { isObject, type JsonSchema } from "../Json.js"
import { InvalidJsonSchema } from "../JsonSchemaError.js"
import { type Draft, declaredDraft, evidentDraft } from "./draft.js"
import { invalid } from "./invalid.js"
import { eachSubschema, holdsList, holdsNamed, holdsOne, type Path } from "./keywords.js"
import { type Fields, repairs, type Normalisation, type Normaliser } from "./repairs.js"

export interface Normalised {
  /** The given schema itself where nothing had to be changed. */
  readonly schema: JsonSchema
  readonly draft: Draft
  readonly isDeclared: boolean
  readonly normalisations: ReadonlyArray<Normalisation>
  /** Every keyword of every subschema; `items[]` stands for `items` as a list. */
  readonly seen: ReadonlySet<string>
}

/**
 * Larger schemas are no tool's parameters, and take the validator's compiler
 * seconds; deeper ones overflow the stack of every tool that reads them.
 */
export const limits = { subschemas: 20_000, depth: 200 }

export const normalise = (
  root: JsonSchema,
  stated: Draft | undefined
): Either.Either<Normalised, InvalidJsonSchema> => {
  const surveyed = survey(root)
  if (surveyed instanceof InvalidJsonSchema) return Either.left(surveyed)
  const declared = stated ?? declaredDraft(root["$schema"])
  const normalisations: Array<Normalisation> = []
  const draft = declared ?? evidentDraft(surveyed)
  let failure: InvalidJsonSchema | undefined
  const normaliser: Normaliser = {
    draft,
    isDeclared: declared !== undefined,
    note: (normalisation) => void normalisations.push(normalisation),
    fail: (path, problem, kind = "Malformed") => void (failure ??= invalid(kind, path, problem))
  }
  if (typeof root["$schema"] === "string" && declared === undefined) {
    normalisations.push({
      name: "unknown-draft",
      path: [],
      keyword: "$schema",
      reason: `${root["$schema"].slice(0, 100)} names no draft; read as ${draft}.`
    })
  }
  const schema = visit(root, [], normaliser)
  if (failure !== undefined) return Either.left(failure)
  return Either.right({
    // `visit` gives an object for an object.
    schema: schema as JsonSchema,
    draft,
    isDeclared: declared !== undefined,
    normalisations,
    seen: surveyed
  })
}

const visit = (value: unknown, path: Path, normaliser: Normaliser): unknown => {
  if (!isObject(value)) {
    if (typeof value === "boolean") return value
    const repaired = repairs.schema(value, path, normaliser)
    if (repaired === undefined) normaliser.fail(path, "a schema is an object, or true or false")
    return repaired
  }
  const fields: Fields = new Map(Object.entries(value))
  for (const repair of repairs.keywords) repair(fields, path, normaliser)
  for (const [keyword, stated] of fields) {
    const here = [...path, keyword]
    if (Array.isArray(stated)) {
      if (holdsList.has(keyword))
        fields.set(
          keyword,
          kept(stated, (item, index) => visit(item, [...here, index], normaliser))
        )
    } else if (isObject(stated) && holdsNamed.has(keyword)) {
      fields.set(
        keyword,
        keptNames(stated, (item, key) => visit(item, [...here, key], normaliser))
      )
    } else if (holdsOne.has(keyword)) fields.set(keyword, visit(stated, here, normaliser))
  }
  for (const repair of repairs.whole) repair(fields, path, normaliser)
  return isSame(fields, value) ? value : Object.fromEntries(fields)
}

const kept = (list: ReadonlyArray<unknown>, change: (item: unknown, index: number) => unknown) => {
  const changed = list.map(change)
  return changed.every((item, index) => item === list[index]) ? list : changed
}

const keptNames = (named: JsonSchema, change: (item: unknown, key: string) => unknown) => {
  const entries = Object.entries(named)
  const changed = entries.map(([key, item]): [string, unknown] => [key, Array.isArray(item) ? item : change(item, key)])
  return changed.every(([, item], index) => item === entries[index]?.[1]) ? named : Object.fromEntries(changed)
}

const isSame = (fields: Fields, value: JsonSchema): boolean =>
  fields.size === Object.keys(value).length && [...fields].every(([keyword, stated]) => value[keyword] === stated)

/** Which keywords there are, without recursion: how deep the schema is, is found out here. */
const survey = (root: JsonSchema): ReadonlySet<string> | InvalidJsonSchema => {
  const seen = new Set<string>()
  const open: Array<{ readonly schema: JsonSchema; readonly depth: number }> = [{ schema: root, depth: 1 }]
  let count = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { schema, depth } = next
    if (depth > limits.depth) return invalid("TooLarge", [], `it is nested more than ${limits.depth} deep`)
    if (++count > limits.subschemas) return invalid("TooLarge", [], `it has more than ${limits.subschemas} subschemas`)
    for (const keyword of Object.keys(schema)) seen.add(keyword)
    if (Array.isArray(schema["items"])) seen.add("items[]")
    eachSubschema(schema, (inner) => {
      if (isObject(inner)) open.push({ schema: inner, depth: depth + 1 })
    })
  }
  return seen
}
