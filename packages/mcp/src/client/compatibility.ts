/**
 * Whether values of one JSON Schema are of the kind that another one takes: their
 * types, choices and fields. Ranges, patterns and formats are left to the call.
 */
import * as JsonPointer from "@wield/core/JsonPointer"
import * as Json from "@wield/core/Json"

/** One place where they differ. */
export interface Mismatch {
  /** A JSON Pointer into the value; `*` stands for any item or key. */
  readonly path: string
  readonly problem: string
}

interface Options {
  /** Whether fields that `taken` does not name are overlooked. */
  readonly ignoresUnknown: boolean
}

/** Where values of `given` are not what `taken` takes. */
export const findMismatches = (
  given: Json.JsonSchema,
  taken: Json.JsonSchema,
  { ignoresUnknown }: Options
): ReadonlyArray<Mismatch> => {
  const compare = (from: unknown, to: unknown, path: string, depth: number): ReadonlyArray<Mismatch> => {
    const wanted = shapesOf(to, taken)
    return shapesOf(from, given)
      .flatMap(splitShape)
      .flatMap((shape) => {
        const tries = wanted.map((one) => compareShapes(shape, one, path, depth))
        if (tries.some((problems) => problems.length === 0)) return []
        const [only] = tries
        return tries.length === 1 && only !== undefined
          ? only
          : [{ path, problem: `expected ${wanted.map(describe).join(" or ")}, but it may be ${describe(shape)}` }]
      })
  }

  const compareShapes = (from: Shape, to: Shape, path: string, depth: number): ReadonlyArray<Mismatch> => {
    if (from === "unknown" || to === "unknown" || depth > deepest) return []
    const { types = new Set() } = from
    const isOther =
      [...types].some((type) => to.types !== undefined && !to.types.has(type)) ||
      (to.values !== undefined && !areAmong(from.values, to.values))
    if (isOther) return [{ path, problem: `expected ${describe(to)}, but it may be ${describe(from)}` }]
    const missing = [...to.required]
      .filter((name) => !from.required.has(name) && types.has("object"))
      .map((name) => ({
        path: `${path}/${name}`,
        problem: from.properties.has(name) ? "it is required, but it may be absent" : "it is required, but it is absent"
      }))
    const fields = [...from.properties].flatMap(([name, schema]) => {
      const field = `${path}/${name}`
      if (to.properties.has(name)) return compare(schema, to.properties.get(name), field, depth + 1)
      if (to.rest !== false) return compare(schema, to.rest, field, depth + 1)
      return ignoresUnknown ? [] : [{ path: field, problem: "there is no field of this name" }]
    })
    return [
      ...missing,
      ...fields,
      ...(from.rest === false ? [] : compare(from.rest, to.rest === false ? true : to.rest, `${path}/*`, depth + 1)),
      ...compare(from.items, to.items, `${path}/*`, depth + 1)
    ]
  }

  return compare(given, taken, "", 0)
}

/** What a schema says of the value itself. */
type Shape =
  | "unknown"
  | {
      readonly types: ReadonlySet<string> | undefined
      readonly values: ReadonlyArray<unknown> | undefined
      readonly properties: ReadonlyMap<string, unknown>
      readonly required: ReadonlySet<string>
      /** The schema of other fields. */
      readonly rest: unknown
      readonly items: unknown
    }

/** Schemas of servers may be nested without end, or stand for millions. */
const deepest = 16
const mostShapes = 64

/** The shapes that a value may have. */
const shapesOf = (schema: unknown, root: Json.JsonSchema): ReadonlyArray<Shape> =>
  alternativesOf(schema, root, 0).map((parts) => {
    const all = parts.filter(Json.isObject)
    const types = all.flatMap((part) => (part["type"] === undefined ? [] : [typesOf(part)]))
    const values = all.flatMap(({ const: value, enum: several }): ReadonlyArray<ReadonlyArray<unknown>> =>
      value !== undefined ? [[value]] : Array.isArray(several) ? [several] : []
    )
    const objects = all.map(({ properties }) => (Json.isObject(properties) ? Object.entries(properties) : []))
    const isObject = objects.some((properties) => properties.length > 0)
    if (types.length === 0 && values.length === 0 && !isObject) return "unknown"
    return {
      types: types[0] ?? (values.length === 0 ? new Set(["object"]) : undefined),
      values: values[0],
      properties: new Map(objects.flat()),
      required: new Set(all.flatMap(({ required }) => (Array.isArray(required) ? required.map(String) : []))),
      rest:
        all.find(({ additionalProperties }) => additionalProperties !== undefined)?.["additionalProperties"] ?? true,
      items: all.find(({ items }) => items !== undefined)?.["items"] ?? true
    }
  })

/** A shape for each type and each value: they may fit alternatives of their own. */
const splitShape = (shape: Shape): ReadonlyArray<Shape> => {
  if (shape === "unknown") return [shape]
  if (shape.values !== undefined) {
    return shape.values.map((value) => ({ ...shape, types: new Set([typeOf(value)]), values: [value] }))
  }
  return [...(shape.types ?? [])].map((type) => ({ ...shape, types: new Set([type]) }))
}

/** Each alternative is a list of schemas that all hold. */
const alternativesOf = (
  schema: unknown,
  root: Json.JsonSchema,
  depth: number
): ReadonlyArray<ReadonlyArray<unknown>> => {
  if (!Json.isObject(schema) || depth > deepest) return [[]]
  const { $ref, allOf, anyOf, oneOf } = schema
  let all: ReadonlyArray<ReadonlyArray<unknown>> = [[schema]]
  const also = (more: ReadonlyArray<ReadonlyArray<unknown>>) => {
    // What there is too much of counts as unknown.
    if (all.length * more.length <= mostShapes) all = all.flatMap((one) => more.map((other) => [...one, ...other]))
  }
  if (typeof $ref === "string") also(alternativesOf(JsonPointer.schemaAt(root, $ref), root, depth + 1))
  for (const part of Array.isArray(allOf) ? allOf : []) also(alternativesOf(part, root, depth + 1))
  for (const union of [anyOf, oneOf]) {
    if (Array.isArray(union)) also(union.flatMap((branch) => alternativesOf(branch, root, depth + 1)))
  }
  return all
}

/** Numbers that must be whole are left to the call. */
const typesOf = ({ type }: { readonly [keyword: string]: unknown }): ReadonlySet<string> =>
  new Set((Array.isArray(type) ? type : [type]).map((one) => (one === "integer" ? "number" : String(one))))

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value)

const areAmong = (given: ReadonlyArray<unknown> | undefined, taken: ReadonlyArray<unknown>): boolean => {
  const known = new Set(taken.map(Json.canonical))
  return given?.every((value) => known.has(Json.canonical(value))) ?? false
}

const describe = (shape: Shape): string =>
  shape === "unknown"
    ? "anything"
    : (shape.values?.map((value) => JSON.stringify(value)) ?? [...(shape.types ?? [])]).join(" or ")
