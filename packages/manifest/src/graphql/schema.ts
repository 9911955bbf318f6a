/** Reads a schema: SDL, or the JSON of an introspection. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { buildASTSchema, buildClientSchema, GraphQLError, type GraphQLSchema, parse, validateSchema } from "graphql"
import * as Json from "@wield/core/Json"

export class InvalidSchema extends Schema.TaggedError<InvalidSchema>("@wield/manifest/InvalidGraphQlSchema")(
  "InvalidSchema",
  {
    faults: Schema.Array(
      Schema.Struct({
        message: Schema.String,
        /** In SDL; from 1. */
        line: Schema.optional(Schema.Number),
        column: Schema.optional(Schema.Number)
      })
    )
  }
) {
  override get message(): string {
    const faults = this.faults.map(
      ({ column, line, message }) => `${line === undefined ? "" : `${line}:${column ?? 1}: `}${message}`
    )
    return [
      "The GraphQL schema cannot be read: expected SDL, or the JSON of an introspection query.",
      ...faults.slice(0, shown),
      ...(faults.length > shown ? [`and ${faults.length - shown} more`] : [])
    ].join("\n")
  }
}

const shown = 10

/** The schema: SDL as text, introspection as text or as JSON, with or without the `data` around it. */
export const read = (schema: unknown): Either.Either<GraphQLSchema, InvalidSchema> =>
  typeof schema !== "string"
    ? build(() => ofIntrospection(schema))
    : /^\s*\{/.test(schema)
      ? Either.flatMap(json(schema), (parsed) => build(() => ofIntrospection(parsed)))
      : ofSdl(schema)

const json = (text: string): Either.Either<unknown, InvalidSchema> =>
  Either.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new InvalidSchema({ faults: [{ message: "The text begins like JSON, but cannot be read as JSON" }] })
  })

/** Without places at first: finding the lines of thousands of faults takes minutes. Comments are found by places. */
const ofSdl = (text: string): Either.Either<GraphQLSchema, InvalidSchema> => {
  const checked = build(() => buildASTSchema(parse(text, { noLocation: true })))
  if (Either.isRight(checked)) return Either.right(buildASTSchema(parse(text), { assumeValid: true }))
  return checked.left.faults.length <= maxPlaced ? build(() => buildASTSchema(parse(text))) : checked
}

const maxPlaced = 100

/** `graphql` throws where a schema is wrong, and lists what is wrong with one that can be built. */
const build = (make: () => GraphQLSchema): Either.Either<GraphQLSchema, InvalidSchema> =>
  Either.flatMap(
    Either.try({ try: make, catch: (error) => new InvalidSchema({ faults: faultsOf(error) }) }),
    (schema) => {
      const errors = validateSchema(schema)
      return errors.length === 0
        ? Either.right(schema)
        : Either.left(new InvalidSchema({ faults: errors.map(faultOf) }))
    }
  )

const ofIntrospection = (value: unknown): GraphQLSchema => {
  const answer = Json.isObject(value) && Json.isObject(value["data"]) ? value["data"] : value
  if (!Json.isObject(answer) || !Json.isObject(answer["__schema"])) {
    throw new GraphQLError("Expected an object with `__schema`")
  }
  // The library checks what it reads of an introspection, and throws at what is wrong.
  return buildClientSchema({ ...answer, __schema: answer["__schema"] } as never)
}

/** What is wrong with SDL is thrown as one error: its texts, with an empty line between them. */
const faultsOf = (error: unknown): InvalidSchema["faults"] =>
  error instanceof GraphQLError || !(error instanceof Error)
    ? [faultOf(error)]
    : error.message.split("\n\n").map((message) => ({ message }))

const faultOf = (error: unknown): InvalidSchema["faults"][number] => {
  const location = error instanceof GraphQLError ? error.locations?.[0] : undefined
  return {
    message: error instanceof Error ? error.message : String(error),
    ...(location === undefined ? {} : { line: location.line, column: location.column })
  }
}
