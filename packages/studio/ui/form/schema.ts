/** What a form needs to know of a JSON Schema. What it cannot show as fields is edited as JSON. */

export type Schema = { readonly [keyword: string]: unknown }

export type Field =
  | { readonly kind: "text"; readonly isLong: boolean; readonly hint: string | undefined }
  | { readonly kind: "number"; readonly isInteger: boolean }
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly values: ReadonlyArray<unknown> }
  | { readonly kind: "list"; readonly items: Schema }
  | {
      readonly kind: "object"
      readonly properties: ReadonlyArray<readonly [name: string, schema: Schema]>
      readonly required: ReadonlySet<string>
      /** Of members with names of the user's choice. */
      readonly more: Schema | undefined
    }
  | { readonly kind: "variants"; readonly variants: ReadonlyArray<Variant> }
  | { readonly kind: "json" }

export interface Variant {
  readonly label: string
  readonly schema: Schema
}

export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const schemaOf = (value: unknown): Schema => (isObject(value) ? value : {})

const find = (root: Schema, reference: string): unknown => {
  if (reference === "#") return root
  if (!reference.startsWith("#/")) return undefined
  let found: unknown = root
  for (const part of reference.slice(2).split("/")) {
    let key = part
    try {
      key = decodeURIComponent(part)
    } catch {
      // Not encoded.
    }
    key = key.replaceAll("~1", "/").replaceAll("~0", "~")
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  }
  return found
}

const merge = (a: Schema, b: Schema): Schema => ({
  ...a,
  ...b,
  ...(isObject(a["properties"]) && isObject(b["properties"])
    ? { properties: { ...a["properties"], ...b["properties"] } }
    : {}),
  ...(Array.isArray(a["required"]) && Array.isArray(b["required"])
    ? { required: [...a["required"], ...b["required"]] }
    : {})
})

/** Follows `$ref` and puts the parts of `allOf` together. */
export const resolve = (root: Schema, schema: Schema, depth = 0): Schema => {
  const { $ref: reference, allOf, ...rest } = schema
  if (depth > 20) return {}
  if (typeof reference === "string") {
    return merge(
      resolve(root, schemaOf(find(root, reference)), depth + 1),
      resolve(root, { ...rest, allOf }, depth + 1)
    )
  }
  return Array.isArray(allOf) ? allOf.map((part) => resolve(root, schemaOf(part), depth + 1)).reduce(merge, rest) : rest
}

const typesOf = (schema: Schema): ReadonlyArray<string> => {
  const { type } = schema
  const types = Array.isArray(type)
    ? type.filter((one) => typeof one === "string")
    : typeof type === "string"
      ? [type]
      : []
  return schema["nullable"] === true && types.length > 0 ? [...types, "null"] : types
}

const labelOf = (root: Schema, schema: Schema): string => {
  const resolved = resolve(root, schema)
  if (typeof resolved["title"] === "string") return resolved["title"]
  if ("const" in resolved) return JSON.stringify(resolved["const"])
  const properties = Object.entries(schemaOf(resolved["properties"]))
  const tag = properties.find(
    ([, property]) => "const" in schemaOf(property) || enumOf(schemaOf(property))?.length === 1
  )
  if (tag !== undefined) {
    const property = schemaOf(tag[1])
    return `${tag[0]}: ${JSON.stringify("const" in property ? property["const"] : enumOf(property)![0])}`
  }
  const { $ref: reference } = schema
  if (typeof reference === "string") return reference.split("/").at(-1)!
  const types = typesOf(resolved)
  return types.length > 0 ? types.join(" or ") : "JSON"
}

const enumOf = (schema: Schema): ReadonlyArray<unknown> | undefined =>
  Array.isArray(schema["enum"]) ? schema["enum"] : undefined

const fieldOfType = (schema: Schema, type: string): Field => {
  switch (type) {
    case "string": {
      const { format, maxLength, pattern } = schema
      const hint = typeof format === "string" ? format : typeof pattern === "string" ? `matches ${pattern}` : undefined
      return { kind: "text", isLong: typeof maxLength === "number" && maxLength > 200, hint }
    }
    case "number":
    case "integer":
      return { kind: "number", isInteger: type === "integer" }
    case "boolean":
      return { kind: "boolean" }
    case "array":
      return isObject(schema["items"]) ? { kind: "list", items: schema["items"] } : { kind: "json" }
    case "object": {
      const { additionalProperties: more, properties, required } = schema
      const entries = Object.entries(schemaOf(properties)).map(
        ([name, property]) => [name, schemaOf(property)] as const
      )
      return {
        kind: "object",
        properties: entries,
        required: new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []),
        more: isObject(more) ? more : more === true || (more === undefined && entries.length === 0) ? {} : undefined
      }
    }
    case "null":
      return { kind: "choice", values: [null] }
    default:
      return { kind: "json" }
  }
}

/** How a resolved schema's value is edited. */
export const fieldOf = (root: Schema, schema: Schema): Field => {
  const values = "const" in schema ? [schema["const"]] : enumOf(schema)
  if (values !== undefined) return { kind: "choice", values }
  const alternatives = [schema["anyOf"], schema["oneOf"]].find((list) => Array.isArray(list)) as
    | ReadonlyArray<unknown>
    | undefined
  const {
    anyOf: _anyOf,
    oneOf: _oneOf,
    title: _title,
    description: _description,
    default: _default,
    ...common
  } = schema
  if (alternatives !== undefined && alternatives.length > 0) {
    const variants = alternatives.map(schemaOf)
    const resolved = variants.map((variant) => resolve(root, variant))
    if (resolved.every((variant) => "const" in variant || enumOf(variant) !== undefined || isNull(variant))) {
      return {
        kind: "choice",
        values: resolved.flatMap((variant) =>
          isNull(variant) ? [null] : "const" in variant ? [variant["const"]] : enumOf(variant)!
        )
      }
    }
    return {
      kind: "variants",
      variants: variants.map((variant) => ({ label: labelOf(root, variant), schema: merge(common, variant) }))
    }
  }
  const types = typesOf(schema)
  if (types.length > 1) {
    return {
      kind: "variants",
      variants: types.map((type) => ({ label: type, schema: { ...common, type, nullable: false } }))
    }
  }
  const type = types[0] ?? ("properties" in schema ? "object" : "items" in schema ? "array" : undefined)
  return type === undefined ? { kind: "json" } : fieldOfType(schema, type)
}

const isNull = (schema: Schema): boolean => schema["type"] === "null"

/** Whether a value could be of the variant, looked at from outside: its type, and constants of its members. */
const couldBe = (root: Schema, schema: Schema, value: unknown): boolean => {
  const field = fieldOf(root, resolve(root, schema))
  switch (field.kind) {
    case "text":
      return typeof value === "string"
    case "number":
      return typeof value === "number"
    case "boolean":
      return typeof value === "boolean"
    case "choice":
      return field.values.some((one) => JSON.stringify(one) === JSON.stringify(value))
    case "list":
      return Array.isArray(value)
    case "object":
      return (
        isObject(value) &&
        field.properties.every(([name, property]) => {
          const resolved = resolve(root, property)
          const isConstant = "const" in resolved || enumOf(resolved)?.length === 1
          return !isConstant || !(name in value) || couldBe(root, resolved, value[name])
        })
      )
    case "variants":
      return field.variants.some((variant) => couldBe(root, variant.schema, value))
    case "json":
      return true
  }
}

/** The place of the first variant that the value could be of; -1 without a value. */
export const variantOf = (root: Schema, variants: ReadonlyArray<Variant>, value: unknown): number =>
  value === undefined ? -1 : variants.findIndex(({ schema }) => couldBe(root, schema, value))

/** What a form starts with: members that can have one value only. */
export const initialOf = (root: Schema, schema: Schema): unknown => {
  const resolved = resolve(root, schema)
  const field = fieldOf(root, resolved)
  if (field.kind === "choice" && field.values.length === 1) return field.values[0]
  if (field.kind === "list") return []
  if (field.kind !== "object") return undefined
  return Object.fromEntries(
    field.properties.flatMap(([name, property]) => {
      if (!field.required.has(name)) return []
      const constant = fieldOf(root, resolve(root, property))
      return constant.kind === "choice" && constant.values.length === 1 ? [[name, constant.values[0]]] : []
    })
  )
}
