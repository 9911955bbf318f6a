/**
 * An entry from a tool that is known at run time only. Whatever would make a
 * request fail later (a schema that cannot be read, a root that is not an
 * object) is found here.
 */
import * as JsonPointer from "../JsonPointer.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Answer, Parts } from "../Content.js"
import * as Facts from "../Facts.js"
import { type Issue, show } from "../Issue.js"
import { isObject, isPlain, type JsonSchema } from "../Json.js"
import { isWithoutParameters } from "../JsonSchema.js"
import { nearest } from "../NearestNames.js"
import { aFunction, aName, aText, holds, type Problem, texts, toText, unknownName } from "../Options.js"
import { noParameters, type ToolDefinition } from "../ToolDefinition.js"
import { InvalidTool } from "../ToolsetError.js"
import type { DynamicTool } from "./dynamic.js"
import { codecOf, invalid, visibleFacts } from "./hidden.js"
import { type Convert, decoder, encoder, type LazyIssues } from "../internal/codec.js"
import { fold } from "../internal/folded.js"
import type { Compile, Compiled } from "../json-schema/compile.js"
import { issuesOf } from "../json-schema/issues.js"
import { keywordsIn } from "../json-schema/keywords.js"
import { meaningOf } from "../json-schema/typeNames.js"
import type { Entry } from "./model.js"

export const entryOfDynamic = <R>(tool: DynamicTool<R>, compile: Compile): Effect.Effect<Entry, InvalidTool> =>
  Effect.gen(function* () {
    const problem = checkTool(tool)
    if (problem !== undefined) return yield* invalid(nameOf(tool), toText(problem, "it"))
    const hiddenNames = tool.hidden ?? []
    const given = isWithoutParameters(tool.inputSchema) ? noParameters : yield* rootOf(tool)
    const parts = yield* splitHidden(tool.name, given, hiddenNames)
    const options = { formats: "assertion" } as const
    const compiled = yield* compile(parts.visible, options).pipe(
      Effect.mapError((error) => invalidTool(tool, error.message))
    )
    const hidden =
      parts.hidden === undefined
        ? undefined
        : codecOf(
            hiddenNames,
            new Set(hiddenNames.map(fold)),
            convertBy(
              yield* compile(parts.hidden, options).pipe(Effect.mapError(({ message }) => invalidTool(tool, message)))
            )
          )
    const definition: ToolDefinition = {
      name: tool.name,
      description: tool.description,
      inputSchema: given === noParameters ? statedNone(tool.inputSchema) : compiled.normalised.schema,
      outputSchema: tool.outputSchema,
      facts: visibleFacts(tool.facts === undefined ? Facts.unstated : Facts.make(tool.facts), hidden),
      provider: undefined,
      ...(tool.providerSettings === undefined ? {} : { providerSettings: tool.providerSettings }),
      ...(tool.native === undefined ? {} : { native: tool.native })
    }
    const convert = convertBy(compiled)
    return {
      definition,
      // Models like to send something to a tool that takes nothing.
      decode: given === noParameters ? withoutArguments : convert,
      decodeStrict: given === noParameters ? convert : strictly(definition.inputSchema, convert),
      encode: Either.right,
      hidden,
      validate: tool.validate === undefined ? undefined : validateBy(tool.validate),
      // What it requires is in the toolset's type; here it is erased. The
      // arguments are an object: the root of its schema says so.
      handler:
        definition.facts.kind === "client"
          ? undefined
          : (tool.execute as (parameters: unknown) => Effect.Effect<unknown, unknown>),
      context: Context.empty(),
      encodeSuccess:
        tool.codec !== undefined
          ? tool.codec.encodeSuccess
          : tool.isContent === true
            ? encodeParts
            : tool.validateResult === undefined
              ? encodeValue
              : encodeValid(tool.validateResult),
      encodeFailure: tool.codec?.encodeFailure ?? encodeFailure,
      decodeSuccess: tool.codec?.decodeSuccess ?? (tool.isContent === true ? decodeParts : decodeValue),
      decodeFailure: tool.codec?.decodeFailure ?? Either.right,
      isRaising: tool.codec?.isRaising ?? false,
      content: tool.codec?.content,
      isContent: tool.isContent ?? false,
      isFresh: tool.isFresh
    }
  })

/** Without a compiler, a field under a misspelt `hidden` would be shown to the model. A tool may carry what is its own. */
const checkTool = (tool: DynamicTool<unknown>): Problem | undefined => {
  if (!isObject(tool)) return aTool(tool)
  const stated = Object.entries(tool).filter(([name, value]) => value !== undefined && !toolNames.includes(name))
  const slip = stated.find(([name]) => nearest(name, toolNames) !== undefined)?.[0]
  if (slip !== undefined) return unknownName([slip], "an option", toolNames)
  const { description, execute, facts, hidden, inputSchema, name, outputSchema } = tool
  return (
    aName(name, ["name"]) ??
    (description === undefined ? undefined : aText(description, ["description"])) ??
    (facts?.kind === "client" ? undefined : aFunction(execute, ["execute"])) ??
    aSchema(inputSchema ?? {}, ["inputSchema"]) ??
    aSchema(outputSchema ?? {}, ["outputSchema"]) ??
    (hidden === undefined ? undefined : texts(hidden, ["hidden"])) ??
    (facts === undefined ? undefined : Facts.check(facts, ["facts"]))
  )
}

const aTool = holds("an object", isObject)

const aSchema = holds("a JSON Schema", isPlain)

const nameOf = (tool: unknown): string =>
  isObject(tool) && typeof tool["name"] === "string" ? tool["name"] : "without a name"

const toolNames = Object.keys({
  name: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  facts: true,
  native: true,
  providerSettings: true,
  hidden: true,
  validate: true,
  validateResult: true,
  codec: true,
  isContent: true,
  isFresh: true,
  execute: true
} satisfies { readonly [Name in keyof Required<DynamicTool>]: true })

const invalidTool = (tool: { readonly name: string }, problem: string): InvalidTool =>
  new InvalidTool({ tool: tool.name, reason: `its input schema cannot be compiled: ${problem}` })

const convertBy =
  ({ engine }: Compiled): Convert =>
  (input) =>
    engine.isValid(input) ? Either.right(input) : Either.left(() => issuesOf(engine, input))

const validateBy =
  (validate: NonNullable<DynamicTool["validate"]>): Convert =>
  (parameters) =>
    // The root of the schema says that they are an object.
    lazily(validate(parameters as { readonly [name: string]: unknown }))

/** At once, where the check answers at once. */
const lazily = (checked: Effect.Effect<unknown, ReadonlyArray<Issue>>): Effect.Effect<unknown, LazyIssues> =>
  // `isEither` narrows to an Either of unknown types.
  Either.isEither(checked)
    ? Either.mapLeft(checked as Either.Either<unknown, ReadonlyArray<Issue>>, (issues) => () => issues)
    : Effect.mapError(checked, (issues) => () => issues)

const withoutArguments: Convert = (input) =>
  isObject(input) ? Either.right({}) : Either.left(() => [{ path: [], expected: "an object", received: show(input) }])

/** Who says in so many words that a tool takes nothing is shown as saying so. */
const statedNone = (stated: JsonSchema | undefined): JsonSchema =>
  stated !== undefined && Object.hasOwn(stated, "properties") && stated["type"] === "object" ? stated : noParameters

/**
 * A schema that says nothing of further properties takes them, as JSON Schema
 * has it; a policy that rejects unknown arguments is about those too.
 */
const strictly = (schema: JsonSchema, convert: Convert): Convert => {
  const { properties } = schema
  if (!isObject(properties) || Object.keys(schema).some((keyword) => saying.has(keyword))) return convert
  return (input) => {
    const unknown = isObject(input) ? Object.keys(input).filter((key) => !Object.hasOwn(properties, key)) : []
    if (unknown.length === 0) return convert(input)
    return Either.left(() =>
      unknown.map((key) => ({ path: [key], expected: "no argument of this name", received: "one" }))
    )
  }
}

/** What tells of properties beyond `properties`. */
const saying = keywordsIn(
  "$ref additionalProperties allOf anyOf dependencies dependentSchemas if oneOf patternProperties unevaluatedProperties"
)

/** Arguments are an object in every API, so a root that does not say so means it. */
const rootOf = (tool: DynamicTool<unknown>): Either.Either<JsonSchema, InvalidTool> => {
  const schema = tool.inputSchema ?? {}
  const { type } = schema
  const meaning = typeof type === "string" ? meaningOf(type) : undefined
  if (meaning?.["type"] === "object") return Either.right(schema)
  // Any value: of these, arguments are an object.
  if (meaning !== undefined && Object.keys(meaning).length === 0) return Either.right({ ...schema, type: "object" })
  if (type === undefined || (Array.isArray(type) && type.includes("object"))) {
    return Either.right({ ...schema, type: "object" })
  }
  return invalid(tool.name, `the root of its input schema must have "type": "object", but has ${JSON.stringify(type)}`)
}

const encodeParts = encoder(Parts)

const decodeParts = decoder(Parts, "ignore")

const encodeAnswer = encoder(Answer)

const decodeAnswer = decoder(Answer, "ignore")

/** JSON from outside with the mark of an encoded `Answer` would be content when it is replayed. */
const encodeValue: Convert = (value) => {
  if (Answer.is(value)) return encodeAnswer(value)
  return isEncodedAnswer(value) ? Either.left(() => [forged]) : Either.right(value)
}

const encodeValid =
  (validate: NonNullable<DynamicTool["validateResult"]>): Convert =>
  (value) => {
    if (Answer.is(value)) return encodeAnswer(value)
    const valid = lazily(validate(value))
    if (!Either.isEither(valid)) return Effect.flatMap(valid, encodeValue)
    return Either.isRight(valid) ? encodeValue(valid.right) : valid
  }

const forged: Issue = {
  path: ["_tag"],
  expected: "a JSON value without the mark of Content.Answer",
  received: "one with it"
}

const decodeValue: Convert = (encoded) => (isEncodedAnswer(encoded) ? decodeAnswer(encoded) : Either.right(encoded))

const isEncodedAnswer = (value: unknown): boolean => isObject(value) && value["_tag"] === Answer._tag

/** An error's message is meant for the model; its stack and its class are not. */
const encodeFailure: Convert = (failure) =>
  Either.right(failure instanceof Error ? { error: failure.message } : failure)

interface SplitSchema {
  readonly visible: JsonSchema
  readonly hidden: JsonSchema | undefined
}

/** An input schema in two: what the model sees, and the properties that the call context supplies. */
const splitHidden = (
  tool: string,
  schema: JsonSchema,
  names: ReadonlyArray<string>
): Either.Either<SplitSchema, InvalidTool> => {
  if (names.length === 0) return Either.right({ visible: schema, hidden: undefined })
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const missing = names.filter((name) => !Object.hasOwn(properties, name))
  if (missing.length > 0) return invalid(tool, `the hidden fields ${missing.join(", ")} are not among its properties`)
  const composite = Object.keys(schema).find((keyword) => composites.has(keyword))
  if (composite !== undefined) {
    return invalid(tool, `hidden fields need an input schema without ${composite} at its root, which might name them`)
  }
  const foldedNames = new Set(names.map(fold))
  const clashing = Object.keys(properties).filter((key) => !names.includes(key) && foldedNames.has(fold(key)))
  if (clashing.length > 0) {
    return invalid(tool, `its properties ${clashing.join(", ")} differ from a hidden field only in case`)
  }
  const pick = (isHidden: boolean): JsonSchema => {
    const isPicked = (name: unknown): boolean => names.some((hidden) => hidden === name) === isHidden
    // The root's own examples and default are of a whole call, hidden fields and all.
    const { default: _default, examples: _examples, propertyOrdering, required, ...rest } = schema
    return {
      ...rest,
      properties: Object.fromEntries(Object.entries(properties).filter(([key]) => isPicked(key))),
      // Gemini's.
      ...(Array.isArray(propertyOrdering) ? { propertyOrdering: propertyOrdering.filter(isPicked) } : {}),
      ...(Array.isArray(required) ? { required: required.filter(isPicked) } : {})
    }
  }
  return Either.right({ visible: withoutUnusedDefinitions(pick(false)), hidden: pick(true) })
}

/** Keywords that speak of the object as a whole. */
const composites = keywordsIn(
  "$ref allOf anyOf const dependencies dependentRequired dependentSchemas else enum if maxProperties minProperties not oneOf propertyNames then"
)

const containers = ["$defs", "definitions"] as const

/**
 * A JSON Schema without the definitions that nothing in it refers to: what only
 * a hidden property was described by must not be shown either.
 */
const withoutUnusedDefinitions = (schema: JsonSchema): JsonSchema => {
  const { $defs: _defs, definitions: _definitions, ...root } = schema
  const used = new Set<string>()
  const waiting: Array<unknown> = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== "object" || value === null) continue
    for (const [keyword, item] of Object.entries(value)) {
      // An anchor can be referred to from anywhere, by a name of its own.
      if (keyword === "$anchor" || keyword === "$dynamicAnchor" || keyword === "$dynamicRef") return schema
      const definition = keyword === "$ref" ? definitionOf(schema, item) : undefined
      if (definition === undefined || used.has(definition.pointer)) {
        waiting.push(item)
      } else {
        used.add(definition.pointer)
        waiting.push(definition.value)
      }
    }
  }
  const kept = containers.flatMap((container) => {
    const definitions = schema[container]
    if (!isObject(definitions)) return []
    const referred = Object.entries(definitions).filter(([name]) => used.has(pointerOf(container, name)))
    return referred.length === 0 ? [] : [[container, Object.fromEntries(referred)] as const]
  })
  return { ...root, ...Object.fromEntries(kept) }
}

interface Definition {
  readonly pointer: string
  readonly value: unknown
}

const definitionOf = (schema: JsonSchema, reference: unknown): Definition | undefined => {
  if (typeof reference !== "string") return undefined
  for (const container of containers) {
    const definitions = schema[container]
    if (!isObject(definitions)) continue
    for (const [name, value] of Object.entries(definitions)) {
      const pointer = pointerOf(container, name)
      if (reference === pointer || reference.startsWith(`${pointer}/`)) return { pointer, value }
    }
  }
  return undefined
}

const pointerOf = (container: string, name: string): string => `#${JsonPointer.make([container, name])}`
