/**
 * An entry from a tool of @effect/ai and its handler. Whatever would make a
 * request fail later (a schema that JSON Schema cannot say, a root that is not
 * an object, a handler that is not there) is found here.
 */
import type * as Tool from "@effect/ai/Tool"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as SchemaTree from "../SchemaTree.js"
import { PartsId } from "../Content.js"
import * as Facts from "../Facts.js"
import { decoder, encoder } from "../internal/codec.js"
import { type Handler, partsOf, type ToolParts } from "../internal/effectAi.js"
import { unsafeJsonSchemaOf } from "../internal/jsonSchemaOf.js"
import type { JsonSchema } from "../Json.js"
import { texts, toText } from "../Options.js"
import { noParameters, type ToolDefinition } from "../ToolDefinition.js"
import { InvalidTool } from "../ToolsetError.js"
import { type HiddenCodec, hiddenCodec, invalid, visibleFacts, visibleFields } from "./hidden.js"
import type { Entry } from "./model.js"

export const entryOf = (tool: Tool.Any, handler: Handler | undefined): Either.Either<Entry, InvalidTool> =>
  Either.gen(function* () {
    const parts = partsOf(tool)
    // Without types, `"false"` would be taken for a yes, and what hides nothing for hidden.
    const problem = Facts.check(parts.facts, ["facts"]) ?? texts(parts.hidden, ["hidden"])
    if (problem !== undefined) return yield* invalid(parts.name, toText(problem))
    const hidden =
      parts.hidden.length === 0 ? undefined : yield* hiddenCodec(parts.name, parts.parametersSchema, parts.hidden)
    const visible = visibleSchema(parts, hidden)
    const definition = yield* definitionOf(parts, visible, hidden)
    if (handler === undefined && parts.requiresHandler && parts.facts.kind !== "client") {
      return yield* invalid(parts.name, "it has no handler; provide the Layer that toolkit.toLayer makes")
    }
    const isContent = parts.successSchema.ast.annotations[PartsId] === true
    return {
      definition,
      parameters: visible,
      decode: decoder(visible, "ignore"),
      decodeStrict: decoder(visible, "error"),
      encode: encoder(visible),
      hidden,
      handler: parts.facts.kind === "client" ? undefined : handler?.handler,
      context: handler?.context,
      encodeSuccess: encoder(parts.successSchema),
      encodeFailure: encoder(parts.failureSchema),
      decodeSuccess: decoder(parts.successSchema, "ignore"),
      decodeFailure: decoder(parts.failureSchema, "ignore"),
      isRaising: parts.failureMode === "error",
      isContent
    }
  })

const visibleSchema = (parts: ToolParts, hidden: HiddenCodec | undefined): Schema.Schema.All => {
  if (hidden !== undefined && parts.parametersSchema.fields !== undefined) {
    return Schema.Struct(visibleFields(parts.parametersSchema.fields, parts.hidden))
  }
  // `EmptyParams` rejects every key, though models like to send one to a tool
  // without parameters; a struct treats them like any other unknown argument.
  return isEmptyRecord(parts.parametersSchema.ast) ? Schema.Struct({}) : parts.parametersSchema
}

const isEmptyRecord = (ast: SchemaTree.Node): boolean =>
  ast._tag === "TypeLiteral" &&
  ast.propertySignatures.length === 0 &&
  ast.indexSignatures.every((signature) => signature.type._tag === "NeverKeyword")

const definitionOf = (
  parts: ToolParts,
  visible: Schema.Schema.All,
  hidden: HiddenCodec | undefined
): Either.Either<ToolDefinition, InvalidTool> =>
  Either.gen(function* () {
    return {
      name: parts.name,
      description: parts.description,
      inputSchema: yield* inputSchemaOf(parts.name, visible.ast),
      outputSchema: yield* outputSchemaOf(parts),
      facts: visibleFacts(parts.facts, hidden),
      provider: parts.provider
    }
  })

const inputSchemaOf = (tool: string, ast: SchemaTree.Node): Either.Either<JsonSchema, InvalidTool> => {
  // An empty struct has the JSON Schema of `{}`, "anything", which no API takes as a root.
  if (isEmptyRecord(ast)) return Either.right(noParameters)
  return Either.flatMap(jsonSchemaOf(tool, ast), (schema) =>
    schema.type === "object"
      ? Either.right(schema)
      : invalid(
          tool,
          `its parameters must be one object, but their JSON Schema has ${JSON.stringify(Object.keys(schema))} at the root`
        )
  )
}

const jsonSchemaOf = (
  tool: string,
  ast: SchemaTree.Node,
  part = "parameters"
): Either.Either<JsonSchema, InvalidTool> =>
  Either.try({
    try: () => unsafeJsonSchemaOf(ast),
    catch: (error) =>
      new InvalidTool({
        tool,
        reason: `its ${part} ${part === "parameters" ? "have" : "has"} no JSON Schema: ${error instanceof Error ? error.message.replace(/\s+/g, " ") : String(error)}. Use a schema with an encoded side (Schema.Date rather than Schema.DateFromSelf) or add a jsonSchema annotation`
      })
  })

/** A success or failure that JSON cannot say would reach the model as something else: a Map as `{}`, a Set too. */
const outputSchemaOf = (parts: ToolParts): Either.Either<JsonSchema | undefined, InvalidTool> =>
  Either.flatMap(jsonSchemaOf(parts.name, parts.failureSchema.ast, "failure"), () => {
    const ast = withoutUndefined(parts.successSchema.ast)
    return ast._tag === "VoidKeyword" || ast._tag === "UnknownKeyword" || ast._tag === "AnyKeyword"
      ? Either.right(undefined)
      : jsonSchemaOf(parts.name, ast, "success")
  })

/** A value that may be absent is `null` to the model. */
const withoutUndefined = (ast: SchemaTree.Node): SchemaTree.Node =>
  ast._tag === "Union" ? SchemaTree.unionOf(ast.types.filter((type) => type._tag !== "UndefinedKeyword")) : ast
