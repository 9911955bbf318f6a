/** JSON Schemas of GraphQL's input types. An input object that stands in several places is one of `$defs`. */
import type { Json } from "@wield/core"
import * as GraphQl from "graphql"
import type { Settings } from "./fieldEntry.js"
import { describe, isDeprecated, takenInputs, withDeprecation } from "./description.js"

/** The integers of GraphQL have 32 bits; saying so to a model costs more than it tells. */
const builtIn: { readonly [name: string]: Json.JsonSchema } = {
  Int: { type: "integer" },
  Float: { type: "number" },
  String: { type: "string" },
  Boolean: { type: "boolean" },
  ID: { type: "string" }
}

/** Also the scalars without a mapping (`unmapped`) and the optional fields that lie too deep (`cut`). */
export const inputSchemas = (
  parameters: ReadonlyArray<{ readonly name: string; readonly input: GraphQl.GraphQLInputField }>,
  options: Settings
) => {
  const depths = new Map<GraphQl.GraphQLInputObjectType, number>()
  const roots = parameters.map(({ input }) => input.type)
  const shared = sharedTypes(roots, options, depths)
  const definitions = new Map<string, Json.JsonSchema>()
  const unmapped = new Set<string>()
  const cut = new Set<string>()

  const ofNamed = (type: GraphQl.GraphQLNamedInputType): Json.JsonSchema => {
    if (GraphQl.isEnumType(type)) return ofEnum(type, options)
    if (!GraphQl.isInputObjectType(type)) {
      const from = [options.scalars, builtIn].find((schemas) => Object.hasOwn(schemas, type.name))
      const known = from?.[type.name]
      if (known === undefined) unmapped.add(type.name)
      return known ?? { type: "string" }
    }
    if (!shared.has(type)) return ofObject(type)
    if (!definitions.has(type.name)) {
      // Its name is taken before its fields are looked at, among which it may be itself.
      definitions.set(type.name, {})
      definitions.set(type.name, ofObject(type))
    }
    return { $ref: `#/$defs/${type.name}` }
  }

  const of = (type: GraphQl.GraphQLInputType, isNullable = true): Json.JsonSchema => {
    if (GraphQl.isNonNullType(type)) return of(type.ofType, false)
    const schema: Json.JsonSchema = GraphQl.isListType(type) ? { type: "array", items: of(type.ofType) } : ofNamed(type)
    return isNullable ? orNull(schema) : schema
  }

  const ofObject = (type: GraphQl.GraphQLInputObjectType): Json.JsonSchema => {
    const fields = fieldsOf(type, options)
    const kept = fields.filter((field) => !isTooDeep(field, options, depths))
    for (const field of fields) if (!kept.includes(field)) cut.add(`${type.name}.${field.name}`)
    return {
      type: "object",
      ...descriptionOf(describe(type, options)),
      properties: Object.fromEntries(kept.map((field) => [field.name, property(of(field.type), field, options)])),
      required: kept.filter(GraphQl.isRequiredInputField).map((field) => field.name),
      // `@oneOf`: exactly one of the fields.
      ...(type.isOneOf ? { minProperties: 1, maxProperties: 1 } : {}),
      additionalProperties: false
    }
  }

  const properties = parameters.map(({ input, name }) => [name, property(of(input.type), input, options)] as const)
  return {
    properties: Object.fromEntries(properties),
    definitions: Object.fromEntries(definitions),
    unmapped,
    cut: [...cut]
  }
}

/** To give null is not the same as to give nothing: it clears what an update leaves alone otherwise. */
const orNull = (schema: Json.JsonSchema): Json.JsonSchema => {
  const { enum: values, type, ...rest } = schema
  if (typeof type !== "string" || "const" in schema) return { anyOf: [schema, { type: "null" }] }
  return { ...rest, type: [type, "null"], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }
}

const property = (
  schema: Json.JsonSchema,
  input: Pick<GraphQl.GraphQLInputField, "description" | "defaultValue" | "deprecationReason" | "astNode">,
  options: Settings
): Json.JsonSchema => {
  const own = withDeprecation(describe(input, options), input)
  const values = typeof schema["description"] === "string" ? schema["description"] : undefined
  return {
    ...schema,
    ...descriptionOf([own, values].filter((text) => text !== undefined).join("\n")),
    ...(isDeprecated(input) ? { deprecated: true } : {}),
    ...(input.defaultValue === undefined ? {} : { default: input.defaultValue })
  }
}

const ofEnum = (type: GraphQl.GraphQLEnumType, options: Settings): Json.JsonSchema => {
  const values = type.getValues().filter((value) => options.deprecated || !isDeprecated(value))
  const described = values.flatMap((value) => {
    const description = describe(value, options)
    return description === undefined ? [] : [`${value.name}: ${description}`]
  })
  return { type: "string", ...descriptionOf(described.join("\n")), enum: values.map((value) => value.name) }
}

const descriptionOf = (description: string | undefined): { readonly description?: string } =>
  description === undefined || description === "" ? {} : { description }

const fieldsOf = (type: GraphQl.GraphQLInputObjectType, options: Settings): ReadonlyArray<GraphQl.GraphQLInputField> =>
  takenInputs(Object.values(type.getFields()), options)

const isTooDeep = (
  field: GraphQl.GraphQLInputField,
  options: Settings,
  depths: ReadonlyMap<GraphQl.GraphQLInputObjectType, number>
): boolean => {
  const type = GraphQl.getNamedType(field.type)
  return (
    GraphQl.isInputObjectType(type) &&
    !GraphQl.isRequiredInputField(field) &&
    (depths.get(type) ?? Infinity) > options.maxInputDepth
  )
}

/** The input objects that are met twice, by the shortest paths, and how deep each lies. */
const sharedTypes = (
  roots: ReadonlyArray<GraphQl.GraphQLInputType>,
  options: Settings,
  depths: Map<GraphQl.GraphQLInputObjectType, number>
): ReadonlySet<GraphQl.GraphQLInputObjectType> => {
  const shared = new Set<GraphQl.GraphQLInputObjectType>()
  const meet = (
    type: GraphQl.GraphQLInputType,
    depth: number,
    isRequired: boolean
  ): ReadonlyArray<GraphQl.GraphQLInputObjectType> => {
    const named = GraphQl.getNamedType(type)
    if (!GraphQl.isInputObjectType(named)) return []
    if (depths.has(named)) {
      shared.add(named)
      return []
    }
    if (depth > options.maxInputDepth && !isRequired) return []
    depths.set(named, depth)
    return [named]
  }
  let level = roots.flatMap((type) => meet(type, 1, true))
  for (let depth = 2; level.length > 0; depth++) {
    const below = depth
    level = level.flatMap((type) =>
      fieldsOf(type, options).flatMap((field) => meet(field.type, below, GraphQl.isRequiredInputField(field)))
    )
  }
  return shared
}
