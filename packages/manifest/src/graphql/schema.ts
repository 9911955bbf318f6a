/** Reads a schema: SDL, or the JSON of an introspection. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as GraphQl from "graphql"
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
    const expected = "The GraphQL schema cannot be read: expected SDL, or the JSON of an introspection query."
    return [expected, ...linesOf(this)].join("\n")
  }
}

/** The first faults, with their places. */
const linesOf = ({ faults }: InvalidSchema): ReadonlyArray<string> => [
  ...faults
    .slice(0, shown)
    .map(({ column, line, message }) => `${line === undefined ? "" : `${line}:${column ?? 1}: `}${message}`),
  ...(faults.length > shown ? [`and ${faults.length - shown} more`] : [])
]

const shown = 10

/**
 * The schema: SDL as text, introspection as text or as JSON, with or without the `data` around it. `onBroken` gets
 * what is wrong with SDL that can be read all the same.
 */
export const read = (
  schema: unknown,
  onBroken?: (faults: string) => void
): Either.Either<GraphQl.GraphQLSchema, InvalidSchema> =>
  typeof schema !== "string"
    ? build(() => ofIntrospection(schema))
    : /^\s*\{/.test(schema)
      ? Either.flatMap(json(schema), (parsed) => build(() => ofIntrospection(parsed)))
      : ofSdl(schema, onBroken)

const json = (text: string): Either.Either<unknown, InvalidSchema> =>
  Either.try({
    // A file may begin with a byte order mark.
    try: (): unknown => Json.parse(text.replace(/^\uFEFF/, ""), { numbers: "rounded" }),
    catch: () => new InvalidSchema({ faults: [{ message: "The text begins like JSON, but cannot be read as JSON" }] })
  })

/** Without places at first: finding the lines of thousands of faults takes minutes. Comments are found by places. */
const ofSdl = (text: string, onBroken?: (faults: string) => void) => {
  const strict = build(() => GraphQl.buildASTSchema(GraphQl.parse(text, { noLocation: true })))
  if (Either.isRight(strict)) return Either.right(GraphQl.buildASTSchema(GraphQl.parse(text), { assumeValid: true }))
  const lenient = (noLocation: boolean) =>
    build(() => GraphQl.buildASTSchema(complete(GraphQl.parse(text, { noLocation })), { assumeValidSDL: true }))
  const checked = lenient(true)
  if (Either.isRight(checked)) onBroken?.(linesOf(strict.left).join(" "))
  return Either.isRight(checked) || checked.left.faults.length <= maxPlaced ? lenient(false) : checked
}

const maxPlaced = 100

/** Files of a larger schema extend types of other files, and leave out the scalars that their server knows. */
const complete = (document: GraphQl.DocumentNode): GraphQl.DocumentNode => {
  const known = new Set([...GraphQl.specifiedScalarTypes, ...GraphQl.introspectionTypes].map(({ name }) => name))
  const missing = new Map<string, string>()
  for (const node of document.definitions) if (GraphQl.isTypeDefinitionNode(node)) known.add(node.name.value)
  for (const node of document.definitions) {
    // It is printed as `extend type Query …`.
    if (GraphQl.isTypeExtensionNode(node)) missing.set(node.name.value, GraphQl.print(node).split(" ")[1] ?? "")
  }
  GraphQl.visit(document, {
    NamedType: ({ name }) => void (missing.has(name.value) || missing.set(name.value, "scalar"))
  })
  const added = [...missing].map(([name, keyword]) => (known.has(name) ? "" : `${keyword} ${name}`)).join(" ")
  return added.trim() === "" ? document : GraphQl.concatAST([document, GraphQl.parse(added)])
}

/** `graphql` throws where a schema is wrong, and lists what is wrong with one that can be built. */
const build = (make: () => GraphQl.GraphQLSchema): Either.Either<GraphQl.GraphQLSchema, InvalidSchema> =>
  Either.flatMap(
    Either.try({ try: make, catch: (error) => new InvalidSchema({ faults: faultsOf(error) }) }),
    (schema) => {
      const errors = GraphQl.validateSchema(schema)
      return errors.length === 0
        ? Either.right(schema)
        : Either.left(new InvalidSchema({ faults: errors.map(faultOf) }))
    }
  )

const ofIntrospection = (value: unknown): GraphQl.GraphQLSchema => {
  const answer = Json.isObject(value) && Json.isObject(value["data"]) ? value["data"] : value
  if (!Json.isObject(answer) || !Json.isObject(answer["__schema"])) {
    throw new GraphQl.GraphQLError("Expected an object with `__schema`")
  }
  // The library checks what it reads of an introspection, and throws at what is wrong.
  return GraphQl.buildClientSchema({ ...answer, __schema: answer["__schema"] } as never)
}

/** What is wrong with SDL is thrown as one error: its texts, with an empty line between them. */
const faultsOf = (error: unknown): InvalidSchema["faults"] =>
  error instanceof GraphQl.GraphQLError || !(error instanceof Error)
    ? [faultOf(error)]
    : error.message.split("\n\n").map((message) => ({ message }))

const faultOf = (error: unknown): InvalidSchema["faults"][number] => {
  const location = error instanceof GraphQl.GraphQLError ? error.locations?.[0] : undefined
  return {
    message: error instanceof Error ? error.message : String(error),
    ...(location === undefined ? {} : { line: location.line, column: location.column })
  }
}
