/** What a manifest's file may hold, as schemas, of which the published JSON Schema is made. */
import type * as ToolFacts from "@wield/core/Facts"
import * as Json from "@wield/core/Json"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import type { ExecutorFactory } from "./ExecutorFactory.js"
import { Expected } from "./file/decode.js"

const text = (description: string) => Schema.String.annotations({ description })
const optionalText = (description: string) => Schema.optionalWith(text(description), { exact: true })
const flag = (description: string) => Schema.optionalWith(Schema.Boolean.annotations({ description }), { exact: true })
const optional = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema.annotations({ description }), { exact: true })
const count = Schema.Number.pipe(Schema.int({ jsonSchema: { type: "integer" } }), Schema.positive()).annotations({
  [Expected]: "a whole number above 0"
})
const texts = Schema.Record({ key: Schema.String, value: Schema.String })
/** An object with keys of JSON Schema or of a model. */
const object = (description: string) =>
  Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description,
    jsonSchema: { type: "object", description }
  })
const optionalObject = (description: string) => Schema.optionalWith(object(description), { exact: true })
const pointer = Schema.String.pipe(Schema.pattern(/^(?:$|\/)/)).annotations({
  [Expected]: 'a JSON Pointer: empty, or beginning with "/"'
})

/**
 * What a model is shown of a tool.
 *
 * @category schemas
 */
export const FunctionDefinition = Schema.Struct({
  name: text("The name that the model calls: letters, digits, _ and -, at most 64 of them"),
  description: optionalText("What the tool does, and when to use it"),
  parameters: optionalObject(
    "A JSON Schema of the arguments, whose root is an object. Hidden fields are among its properties"
  )
}).annotations({ identifier: "Function", description: "The tool as the model is shown it" })

/**
 * What is stated about a tool; the rest follows from its method or query, or is taken to be unsafe.
 *
 * @category schemas
 */
export const Facts = Schema.Struct({
  title: optionalText("A name for people"),
  readOnly: flag("It changes nothing"),
  destructive: flag("It may destroy or overwrite something"),
  idempotent: flag("Calling it twice does no more than calling it once"),
  openWorld: flag("It reaches beyond the application"),
  disclosure: optional(
    Schema.Literal("none", "endpoint", "any"),
    "Who learns what the tool is given: no one beyond this machine, the configured endpoint only, or anyone"
  ),
  sequential: flag("Nothing runs beside it in one batch of calls"),
  examples: optional(Schema.Array(object("Arguments of a call")), "Example arguments")
}).annotations({ identifier: "Facts", description: "What is stated about the tool" })

/**
 * Facts as a manifest states them.
 *
 * @category conversions
 */
export const decodeFacts = (stated: typeof Facts.Type): Partial<ToolFacts.Facts> =>
  Json.withoutUndefined({
    title: stated.title,
    isReadOnly: stated.readOnly,
    isDestructive: stated.destructive,
    isIdempotent: stated.idempotent,
    isOpenWorld: stated.openWorld,
    disclosure: stated.disclosure,
    isSequential: stated.sequential,
    // What JSON or YAML was read as is JSON.
    examples: stated.examples as ToolFacts.Facts["examples"] | undefined
  })

/**
 * Facts as a manifest has them. Which kind a tool is, the manifest's entries say themselves.
 *
 * @category conversions
 */
export const encodeFacts = (facts: Partial<ToolFacts.Facts>): typeof Facts.Encoded =>
  Json.withoutUndefined({
    title: facts.title,
    readOnly: facts.isReadOnly,
    destructive: facts.isDestructive,
    idempotent: facts.isIdempotent,
    openWorld: facts.isOpenWorld,
    disclosure: facts.disclosure,
    sequential: facts.isSequential,
    examples: facts.examples
  })

/**
 * Where an API takes a parameter that stands in no template.
 *
 * @category schemas
 */
export const ParameterPlace = Schema.Struct({
  in: Schema.Literal("path", "query", "header", "cookie", "body"),
  name: optionalText("The name that the API knows it by; the parameter's own unless given"),
  style: optional(
    Schema.Literal("form", "simple", "label", "matrix", "spaceDelimited", "pipeDelimited", "deepObject"),
    "How arrays and objects are written, as OpenAPI has it"
  ),
  explode: flag("Whether each item of an array or object is written by itself, as OpenAPI has it"),
  allowReserved: flag("In a query or a form: reserved characters such as : and / stay as they are"),
  contentType: optionalText(
    "application/json: written as JSON; another: as text. In a multipart body: the content type of its part"
  ),
  isFile: flag("The value is a file of a multipart body, or the bytes of a whole body")
}).annotations({ identifier: "ParameterPlace", description: "Where the API takes the parameter" })

const Context = Schema.NullOr(Schema.Array(Schema.String)).annotations({
  identifier: "Context",
  description:
    "Names of parameters (in any case) that the application fills and the model neither sees nor sets; region? is one that it need not fill. Absent, null or empty: those of the configuration. requestid and invocationid are filled by Wield"
})

/**
 * What a call sends to which executor.
 *
 * @category schemas
 */
export const Api = Schema.Struct({
  name: optionalText("The executor, in any case: default unless given"),
  query: optionalText("GraphQL: a document. SQL: one statement, with :parameters"),
  operation: optionalText("GraphQL: which operation of the document"),
  path: optionalText("REST: a path with {parameters}, and a query template after ?"),
  method: optional(
    Schema.String.pipe(Schema.pattern(/^[A-Za-z]+$/)).annotations({
      [Expected]: "the name of an HTTP method",
      examples: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
    }),
    "REST: the HTTP method, in any case; GET unless given"
  ),
  headers: optional(texts, "REST and GraphQL: headers of each request, with {parameters}"),
  parameters: optional(
    Schema.Record({ key: Schema.String, value: ParameterPlace }),
    "REST: where parameters go that stand in no template, by their names"
  ),
  contentType: optionalText("REST: the content type of the request body; application/json unless given"),
  body: optionalText("REST: the parameter whose value is the whole body"),
  write: flag("SQL: the statement may write; it is run read-only unless this is true"),
  result: optional(
    Schema.Struct({
      schema: optionalObject("A JSON Schema of what the tool answers"),
      path: optional(pointer, "A JSON Pointer to the part of the answer that the model is given")
    }),
    "What of the answer the model is given"
  ),
  pagination: optional(
    Schema.Struct({
      parameter: text("The parameter that a next page is asked with"),
      from: pointer.annotations({ description: "A JSON Pointer to its value in the answer before" }),
      items: pointer.annotations({ description: "A JSON Pointer to the items, which are put together" }),
      maxPages: optional(count, "How many pages are asked for at most; 10 unless given")
    }),
    "How the pages of an answer are put together"
  ),
  limits: optional(
    Schema.Struct({
      timeout: optional(
        Schema.Number.pipe(Schema.positive()).annotations({ [Expected]: "a number above 0" }),
        "Milliseconds"
      ),
      maxBytes: optional(count, "The largest answer, in bytes"),
      maxRows: optional(count, "SQL: how many rows are read at most")
    }),
    "Limits of one call"
  )
}).annotations({ identifier: "Api", description: "What a call sends, and to which API" })

const common = {
  function: FunctionDefinition,
  context: Schema.optionalWith(Context, { exact: true }),
  facts: Schema.optionalWith(Facts, { exact: true })
}

/**
 * A tool that calls an API.
 *
 * @category schemas
 */
export const ApiTool = Schema.Struct({
  type: Schema.Literal("api").annotations({ description: "The call is sent to an API" }),
  ...common,
  api: Api
})

/**
 * A tool whose handler is given in code.
 *
 * @category schemas
 */
export const LocalTool = Schema.Struct({
  type: Schema.Literal("local").annotations({ description: "The call is handled by code of the application" }),
  ...common
})

/**
 * A tool that a client executes.
 *
 * @category schemas
 */
export const ClientTool = Schema.Struct({
  type: Schema.Literal("client").annotations({ description: "The call is deferred to the client" }),
  ...common
})

/**
 * One tool.
 *
 * @category schemas
 */
export const Tool = Schema.Union(ApiTool, LocalTool, ClientTool).annotations({ identifier: "Tool" })

/**
 * The configuration of an API. What else it may hold is for its type to say.
 *
 * @category schemas
 */
export const ApiConfiguration = Schema.Struct(
  { type: text("The kind of the API, in any case: rest, graphql, sql, jdbc") },
  { key: Schema.String, value: Schema.Unknown }
).annotations({
  identifier: "ApiConfiguration",
  description: "An API. ${NAME} in its texts is taken from the environment; $${ stands for ${"
})

/**
 * One API, or APIs by name.
 *
 * @category schemas
 */
export const Apis = Schema.Union(
  ApiConfiguration,
  Schema.Record({ key: Schema.String, value: ApiConfiguration })
).annotations({ description: "The APIs by name, or one, which is named default" })

/**
 * An agent's configuration, with or without its tools.
 *
 * @category schemas
 */
export const Configuration = Schema.Struct({
  $schema: optionalText("The address of the JSON Schema of this format, for editors"),
  tools: optional(Schema.Array(Tool), "The tools"),
  apis: Schema.optionalWith(Apis, { exact: true }),
  context: optional(
    Schema.NullOr(Schema.Array(Schema.String)),
    "Hidden fields of all tools that name none themselves; region? is one that the application need not fill"
  ),
  functions: optional(
    Schema.Union(Schema.String, Schema.Array(Schema.String)),
    "Names of local tools, and paths of files of client tools, relative to this file"
  ),
  prompt: optionalText("The system prompt"),
  model: optionalObject("The model; kept as it is"),
  converter: Schema.optionalWith(Schema.Unknown, { exact: true })
})

/**
 * A manifest's file: tools, a configuration, or the definition of one client tool.
 *
 * @category schemas
 */
export const ManifestFile = Schema.Union(
  Schema.Array(Tool).annotations({ description: "Tools" }),
  FunctionDefinition.annotations({ description: "The definition of one client tool" }),
  Configuration.annotations({ description: "A configuration" })
).annotations({ title: "Wield manifest" })

/**
 * The JSON Schema (draft 7) of the format, with the `apis` of the factories. `manifest.schema.json` has all of them.
 *
 * @category conversions
 */
export const jsonSchema = (factories: ReadonlyArray<ExecutorFactory<unknown>> = []): Json.JsonSchema => {
  const root = JSONSchema.make(ManifestFile)
  const $defs: Json.JsonSchema = Object.assign(
    {},
    root.$defs,
    ...factories.map((factory) => factory.jsonSchema().$defs)
  )
  return withoutUnknown({
    ...root,
    $defs: {
      ...$defs,
      ApiConfiguration: {
        ...root.$defs?.["ApiConfiguration"],
        ...(factories.length === 0 ? {} : { allOf: factories.map(ofType) })
      }
    }
  })
}

/** What is said of a type holds for that type alone: programs may have types of their own. */
const ofType = ({ jsonSchema: schemaOf, types }: ExecutorFactory<unknown>): Json.JsonSchema => {
  const { $defs: _definitions, $schema: _draft, ...schema } = schemaOf()
  const properties = "properties" in schema ? schema.properties : {}
  return {
    if: { properties: { type: { enum: types } }, required: ["type"] },
    then: { ...schema, properties: { type: { enum: types }, ...properties } }
  }
}

/** Effect gives each `Schema.Unknown` the same `$id`, which validators take for a mistake. */
const withoutUnknown = (root: Json.JsonSchema): Json.JsonSchema =>
  JSON.parse(JSON.stringify(root), (_key, value: unknown) =>
    Json.isObject(value) && value["$id"] === "/schemas/unknown" ? {} : value
  )
