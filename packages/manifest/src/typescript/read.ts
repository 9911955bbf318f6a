/** A JSON Schema as a node; what Effect Schema cannot say is a loss. */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Pattern from "@wield/core/Pattern"
import { areDisjoint, flatten, type Lose, sayings } from "./flatten.js"
import { literal, text } from "./literal.js"
import { isEqual, merge } from "./merge.js"
import { type About, type Check, type Node, nothing, type Property } from "./Node.js"
import type { Path } from "../ManifestProblem.js"
import { print } from "./Doc.js"

export interface ReadOptions {
  readonly root: Json.JsonSchema
  readonly subject: string
  readonly losses: Array<Loss.Loss>
  readonly nameOf: (reference: string) => string
  readonly isValid: (schema: unknown, value: unknown) => boolean
}

/** Every schema in a schema must come to an end, whatever a reference is written out to. */
const maxDepth = 60

export const read = (schema: unknown, path: Path, options: ReadOptions, depth = 0): Node => {
  const lose = (keyword: string, reason: string): void => {
    options.losses.push({ subject: options.subject, path, keyword, reason })
  }
  const inner = (value: unknown, ...more: Path): Node => read(value, [...path, ...more], options, depth + 1)
  if (depth > maxDepth) {
    lose("$ref", "it is nested too deep to be written out; any value is taken")
    return unknown
  }
  const flat = flatten(schema, options.root, lose)
  if (typeof flat === "boolean") return flat ? unknown : never
  const about = aboutOf(schema, flat, lose, options)
  const { $ref: reference, anyOf, const: constant, enum: values, oneOf, ...rest } = flat
  if (typeof reference === "string") return { _tag: "Reference", name: options.nameOf(reference), about, checks: [] }
  if (constant !== undefined) return literals([constant], rest, about, lose)
  if (Array.isArray(values)) return literals(values, rest, about, lose)
  for (const [keyword, branches] of [
    ["anyOf", anyOf],
    ["oneOf", oneOf]
  ] as const) {
    if (!Array.isArray(branches)) continue
    const other = keyword === "anyOf" && oneOf !== undefined ? { oneOf } : {}
    const base = without({ ...rest, ...other }, sayings)
    const whole = branches.map((branch) => joined(base, branch, options.root, lose))
    if (keyword === "oneOf" && !areDisjoint(whole.map((branch) => seen(branch, options.root)))) {
      lose("oneOf", "a value may fit several of the branches, where the schema wants exactly one")
    }
    return union(
      whole.map((branch, index) => inner(branch, keyword, index)),
      about
    )
  }
  // Parts of an allOf that have no type in common.
  if (Array.isArray(rest["type"]) && rest["type"].length === 0) return { ...never, about }
  const types = typesOf(rest, lose)
  if (types.length === 0) {
    const plain: Node = { ...unknown, about: { ...about, stated: {} } }
    return stating(plain, unsayable(rest, [], lose))
  }
  return union(
    types.map((type) => ofType(type, rest, inner, lose)),
    about
  )
}

const unknown: Node = { _tag: "Unknown", about: nothing, checks: [] }
const never: Node = { ...unknown, _tag: "Never" }

const aboutOf = (
  schema: unknown,
  { default: preset, description, title }: Json.JsonSchema,
  lose: Lose,
  { isValid }: ReadOptions
): About => {
  const isUsable = preset !== undefined && isValid(schema, preset)
  if (preset !== undefined && !isUsable) lose("default", "it is not valid by its own schema")
  return {
    title: typeof title === "string" ? title : undefined,
    description: typeof description === "string" && description.trim() !== "" ? description : undefined,
    default: isUsable ? { value: preset } : undefined,
    stated: {}
  }
}

const without = (schema: Json.JsonSchema, keywords: ReadonlySet<string>): Json.JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.has(keyword)))

const joined = (base: Json.JsonSchema, branch: unknown, root: Json.JsonSchema, lose: Lose) => {
  if (Object.keys(base).length === 0) return Json.isObject(branch) ? branch : branch !== false
  const flat = flatten({ allOf: [{ ...base, $comment: "" }, branch] }, root, lose)
  if (typeof flat === "boolean" || typeof flat["$ref"] !== "string") return flat
  return merge(base, flat).schema
}

/** A branch as it is compared with others: with its definition. */
const seen = (branch: Json.JsonSchema | boolean, root: Json.JsonSchema): Json.JsonSchema | boolean =>
  typeof branch === "boolean"
    ? branch
    : flatten({ allOf: [branch, {}], $comment: "", type: branch["type"] }, root, () => {})

const union = (members: ReadonlyArray<Node>, about: About): Node => {
  const distinct = members
    .filter((member) => member._tag !== "Never")
    .filter((member, index, all) => all.findIndex((other) => isEqual(member, other)) === index)
  const [only, ...others] = distinct
  if (only === undefined) return { ...never, about }
  if (others.length === 0) return { ...only, about: over(about, only.about) }
  return { _tag: "Union", members: distinct, about, checks: [] }
}

/** What is said of the whole, and where it says nothing what is said of its only part. */
const over = (outer: About, inner: About): About => ({
  title: outer.title ?? inner.title,
  description: outer.description ?? inner.description,
  default: outer.default ?? inner.default,
  stated: { ...inner.stated, ...outer.stated }
})

const literals = (values: ReadonlyArray<unknown>, rest: Json.JsonSchema, about: About, lose: Lose): Node => {
  const beside = Object.keys(rest).filter(
    (keyword) => !sayings.has(keyword) && keyword !== "type" && keyword !== "format"
  )
  const unchecked = beside.filter((keyword) => !isOfScalars.has(keyword))
  if (unchecked.length > 0) {
    lose(unchecked.join(", "), "it stands beside the list of the values, and is not checked for them")
  }
  const fitting = values.filter((value) => fits(value, rest))
  const plain = fitting.filter(isPlain)
  const nested = fitting.filter((value) => !isPlain(value))
  const members: Array<Node> =
    plain.length === 0 ? [] : [{ _tag: "Literal", values: plain, about: nothing, checks: [] }]
  if (nested.length > 0) {
    const texts = print(literal(nested.map((value) => JSON.stringify(value))))
    const check = `Schema.filter((value) => ${texts}.includes(JSON.stringify(value)), { jsonSchema: { enum: ${print(literal(nested))} } })`
    members.push({ ...unknown, checks: [check] })
  }
  return union(members, about)
}

/** Keywords by which the values of a list can be sorted out here. */
const isOfScalars = new Set(
  "minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(" ")
)

const fits = (value: unknown, schema: Json.JsonSchema): boolean => {
  const { type } = schema
  const types = type === undefined ? undefined : Array.isArray(type) ? type : [type]
  if (types !== undefined && !types.some((one) => isOfType(value, one))) return false
  const bound = (keyword: string, otherwise: number): number => {
    const stated = schema[keyword]
    return typeof stated === "number" ? stated : otherwise
  }
  if (typeof value === "string") {
    const length = [...value].length
    const patterns = Array.isArray(schema["pattern"]) ? schema["pattern"] : [schema["pattern"] ?? ""]
    return (
      length >= bound("minLength", 0) &&
      length <= bound("maxLength", Infinity) &&
      patterns.every((pattern) => Pattern.matches(String(pattern), value) !== false)
    )
  }
  return (
    typeof value !== "number" ||
    (value >= bound("minimum", -Infinity) &&
      value <= bound("maximum", Infinity) &&
      value > bound("exclusiveMinimum", -Infinity) &&
      value < bound("exclusiveMaximum", Infinity) &&
      Number.isInteger(value / bound("multipleOf", value === 0 ? 1 : value)))
  )
}

const isPlain = (value: unknown): value is string | number | boolean | null =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const isOfType = (value: unknown, type: unknown): boolean => {
  switch (type) {
    case "null":
      return value === null
    case "array":
      return Array.isArray(value)
    case "object":
      return Json.isObject(value)
    case "integer":
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

const telling: ReadonlyArray<readonly [type: string, keywords: ReadonlyArray<string>]> = [
  ["object", ["properties", "additionalProperties", "required", "minProperties", "maxProperties"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["pattern", "minLength", "maxLength"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]]
]

/** Keywords of one type say nothing of values of others; who leaves out the type means it. */
const typesOf = (schema: Json.JsonSchema, lose: Lose): ReadonlyArray<unknown> => {
  const { type } = schema
  if (type !== undefined) return Array.isArray(type) ? type : [type]
  const types = telling.filter(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined))
  if (types.length > 0) lose("type", `no type is stated; read as ${types.map(([name]) => name).join(" or ")}`)
  return types.map(([name]) => name)
}

type Inner = (value: unknown, ...more: Path) => Node

const ofType = (type: unknown, schema: Json.JsonSchema, inner: Inner, lose: Lose): Node => {
  const simple = (tag: "Null" | "Boolean" | "String" | "Number" | "Int", checks: ReadonlyArray<Check> = []): Node => ({
    _tag: tag,
    about: nothing,
    checks
  })
  switch (type) {
    case "null":
      return simple("Null")
    case "boolean":
      return simple("Boolean")
    case "string":
      return stating(
        simple("String", stringChecks(schema, lose)),
        only(schema, ["format", "contentEncoding", "contentMediaType"])
      )
    case "number":
    case "integer":
      return stating(simple(type === "integer" ? "Int" : "Number", numberChecks(schema)), only(schema, ["format"]))
    case "array":
      return stating(
        listOf(schema, inner),
        unsayable(schema, ["contains", "minContains", "maxContains", "unevaluatedItems"], lose)
      )
    case "object":
      return stating(
        objectOf(schema, inner, lose),
        unsayable(
          schema,
          ["patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "unevaluatedProperties"],
          lose
        )
      )
    default:
      lose("type", `${JSON.stringify(type)} is no type; any value is taken`)
      return unknown
  }
}

const listOf = (schema: Json.JsonSchema, inner: Inner): Node => {
  const { items, minItems, prefixItems } = schema
  const prefix = (Array.isArray(prefixItems) ? prefixItems : []).map((item: unknown, index) =>
    inner(item, "prefixItems", index)
  )
  const needed = typeof minItems === "number" ? Math.min(minItems, prefix.length) : 0
  const rest = restOf(items, () => inner(items, "items"))
  return {
    _tag: "Array",
    required: prefix.slice(0, needed),
    optional: prefix.slice(needed),
    rest,
    about: nothing,
    checks: listChecks(schema, prefix.length)
  }
}

/** What further items or properties are; none where there may be none. */
const restOf = (stated: unknown, read: () => Node): Node | undefined =>
  stated === false ? undefined : stated === undefined || stated === true ? unknown : read()

const objectOf = (schema: Json.JsonSchema, inner: Inner, lose: Lose): Node => {
  const { additionalProperties: further, properties: stated, required } = schema
  const needed = new Set(Array.isArray(required) ? required : [])
  const properties: Array<Property> = []
  for (const [name, property] of Object.entries(Json.isObject(stated) ? stated : {})) {
    if (name === "__proto__") lose("properties", "a property named __proto__ cannot be declared")
    else properties.push({ name, isRequired: needed.has(name), node: inner(property, "properties", name) })
  }
  for (const name of needed) {
    if (typeof name !== "string" || name === "__proto__" || properties.some((property) => property.name === name))
      continue
    properties.push({ name, node: further === false ? never : unknown, isRequired: true })
  }
  const rest = restOf(further, () => inner(further, "additionalProperties"))
  const isClash = rest !== undefined && rest._tag !== "Unknown" && properties.length > 0
  if (isClash) {
    lose(
      "additionalProperties",
      "the type of further properties cannot differ from that of the named ones; any value is taken"
    )
  }
  return {
    _tag: "Object",
    properties,
    rest: isClash ? unknown : rest,
    about: nothing,
    checks: objectChecks(schema)
  }
}

const only = (schema: Json.JsonSchema, keywords: ReadonlyArray<string>): Json.JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)))

/** Keywords that the model reads and no check enforces; one with references is lost altogether. */
const unsayable = (schema: Json.JsonSchema, keywords: ReadonlyArray<string>, lose: Lose): Json.JsonSchema => {
  const stated = only(schema, [...keywords, "not", "if", "then", "else"])
  const tellable = Object.entries(stated).filter(([keyword, value]) => {
    const isShown = !JSON.stringify(value).includes('"$ref"')
    lose(
      keyword,
      isShown ? "the model reads it, but it is not checked" : "it is neither shown to the model nor checked"
    )
    return isShown
  })
  return Object.fromEntries(tellable)
}

const stating = (node: Node, stated: Json.JsonSchema): Node =>
  Object.keys(stated).length === 0
    ? node
    : { ...node, about: { ...node.about, stated: { ...node.about.stated, ...stated } } }

const numeric = (schema: Json.JsonSchema, names: { readonly [keyword: string]: string }): ReadonlyArray<Check> =>
  Object.entries(names).flatMap(([keyword, filter]) => {
    const bound = schema[keyword]
    return typeof bound === "number" ? [`Schema.${filter}(${bound})`] : []
  })

const numberChecks = (schema: Json.JsonSchema): ReadonlyArray<Check> =>
  numeric(schema, {
    minimum: "greaterThanOrEqualTo",
    exclusiveMinimum: "greaterThan",
    maximum: "lessThanOrEqualTo",
    exclusiveMaximum: "lessThan",
    multipleOf: "multipleOf"
  })

const stringChecks = (schema: Json.JsonSchema, lose: Lose): ReadonlyArray<Check> => {
  const patterns = Array.isArray(schema["pattern"]) ? schema["pattern"] : [schema["pattern"]]
  return [
    ...numeric(schema, { minLength: "minLength", maxLength: "maxLength" }),
    ...patterns.flatMap((pattern: unknown) => {
      if (typeof pattern !== "string") return []
      const longest = Pattern.longestText(pattern) ?? 0
      const expression = `new RegExp(${text(pattern)}${isUnicode(pattern) ? ', "u"' : ""})`
      const { maxLength } = schema
      if (longest === Infinity || (typeof maxLength === "number" && maxLength <= longest)) {
        return [`Schema.pattern(${expression})`]
      }
      const annotations = `{ jsonSchema: { pattern: ${text(pattern)} } }`
      if (longest === 0) {
        lose("pattern", "it may take exponential time; the model reads it, but it is not checked")
        return [`Schema.filter(() => true, ${annotations})`]
      }
      lose("pattern", `it may take long for a long text; it is checked for texts of up to ${longest} characters`)
      return [`Schema.filter((value) => value.length > ${longest} || ${expression}.test(value), ${annotations})`]
    })
  ]
}

/** As validators read patterns, where the pattern allows it. */
const isUnicode = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, "u").unicode
  } catch {
    return false
  }
}

const listChecks = (schema: Json.JsonSchema, prefix: number): ReadonlyArray<Check> => {
  const { maxItems, minItems, uniqueItems } = schema
  return [
    ...(typeof minItems === "number" && minItems > prefix ? [`Schema.minItems(${minItems})`] : []),
    ...(typeof maxItems === "number" ? [`Schema.maxItems(${maxItems})`] : []),
    ...(uniqueItems === true
      ? [
          "Schema.filter((items) => new Set(items.map((item) => JSON.stringify(item))).size === items.length, { jsonSchema: { uniqueItems: true } })"
        ]
      : [])
  ]
}

const objectChecks = (schema: Json.JsonSchema): ReadonlyArray<Check> =>
  Object.entries({ minProperties: ">=", maxProperties: "<=" }).flatMap(([keyword, sign]) => {
    const bound = schema[keyword]
    const check = `(value) => Object.keys(value).length ${sign} ${bound}`
    return typeof bound === "number" ? [`Schema.filter(${check}, { jsonSchema: { ${keyword}: ${bound} } })`] : []
  })
