/** One call of a GraphQL API: the document of its entry, with the arguments as variables. */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Json from "@wield/core/Json"
import { within, withSpan } from "@wield/core/Traces"
import * as Effect from "effect/Effect"
import { type GraphQLSchema, OperationTypeNode } from "graphql"
import { type ExecutorError, RequestFailed, GraphQlErrors } from "../ExecutorError.js"
import type { Arguments, Execute } from "../Executor.js"
import type { ApiEntry } from "../ManifestEntry.js"
import { attempts, type Connection, type Answered, type Sending } from "../rest/attempts.js"
import { execution } from "../rest/paged.js"
import { parameterNames } from "../load/parameters.js"
import { read } from "./document.js"
import { readersOf, type VariableReader } from "./variableReaders.js"
import { statusErrorOf, valueOf } from "../rest/answer.js"
import { type Answer, isSuccess } from "../rest/exchange.js"

export interface Api extends Connection {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  /** Milliseconds. */
  readonly timeout: number
  readonly maxBytes: number
}

export interface Request {
  readonly query: string
  readonly variables: { readonly [name: string]: unknown }
  readonly operationName?: string | undefined
}

export const prepare = (api: Api, schema: GraphQLSchema | undefined, entry: ApiEntry): Execute => {
  const { document } = read(entry, schema)
  if (document === undefined) {
    return () => new RequestFailed({ reason: "invalid-request", detail: "the entry has no valid document" })
  }
  const { operation, operationName, text } = document
  const readers = readersOf(operation, parameterNames(entry.function.parameters), schema)
  const isQuery = operation.operation === OperationTypeNode.QUERY
  const execute = execution(entry, "graphql", api, (parameters, bytesLeft, sending) =>
    ask(api, { query: text, variables: variablesOf(readers, parameters), operationName }, isQuery, bytesLeft, sending)
  )
  return (parameters) =>
    withSpan(
      "wield.graphql",
      "internal",
      () => ({
        "graphql.operation.type": operation.operation,
        ...(operationName === undefined ? {} : { "graphql.operation.name": operationName })
      }),
      (span) => within(execute(parameters), span)
    )
}

const variablesOf = (readers: ReadonlyArray<VariableReader>, parameters: Arguments): Request["variables"] =>
  Object.fromEntries(
    readers.map((reader) => [reader.name, reader.read(parameters)] as const).filter(([, value]) => value !== undefined)
  )

/** The data of an answer, and its size in bytes. A mutation is not repeatable: it may have been done. */
export const ask = (
  api: Api,
  request: Request,
  isRepeatable: boolean,
  maxBytes: number,
  sending: Sending = { wasSent: false }
) =>
  Effect.gen(function* () {
    const post = HttpClientRequest.post(api.url).pipe(
      HttpClientRequest.setHeaders({ accept, ...api.headers }),
      // All of a call is in the body; JSON leaves out an operation name that is undefined.
      HttpClientRequest.bodyText(JSON.stringify(request), "application/json")
    )
    const answered = yield* attempts(api, post, () => isRepeatable, maxBytes, sending)
    return { value: yield* dataOf(answered), size: answered.answer.bytes.byteLength }
  })

const accept = "application/graphql-response+json, application/json;q=0.9"

const dataOf = ({ answer, secrets }: Answered): Effect.Effect<unknown, ExecutorError> => {
  const body = valueOf(answer, secrets, true)
  if (isSuccess(answer)) return Effect.flatMap(body, ofBody)
  if (!saysErrors(answer)) return statusErrorOf(answer, secrets)
  return Effect.matchEffect(body, {
    onFailure: () => statusErrorOf(answer, secrets),
    onSuccess: (value): Effect.Effect<never, ExecutorError> => errorsOf(value) ?? statusErrorOf(answer, secrets)
  })
}

const ofBody = (body: unknown): Effect.Effect<unknown, ExecutorError> => {
  const errors = errorsOf(body)
  if (errors !== undefined) return errors
  return Json.isObject(body) && Json.isObject(body["data"])
    ? Effect.succeed(body["data"])
    : new RequestFailed({
        reason: "invalid-answer",
        detail: "the answer is JSON with neither data nor errors; a GraphQL response was expected"
      })
}

/** GraphQL's own errors come with its media type, and from older servers with 400. */
const saysErrors = ({ headers, status }: Answer): boolean =>
  status === 400 || /^application\/graphql-response\+json\b/i.test(headers["content-type"] ?? "")

/** The failure that an answer is which says errors; what it says of them besides is for the API's developers. */
const errorsOf = (body: unknown): GraphQlErrors | undefined => {
  if (!Json.isObject(body) || !Array.isArray(body["errors"]) || body["errors"].length === 0) return undefined
  const errors = body["errors"].slice(0, maxErrors).map((error: unknown) => {
    const message = Json.isObject(error) ? error["message"] : error
    const path = Json.isObject(error) ? error["path"] : undefined
    return {
      message: typeof message === "string" ? message.slice(0, maxMessage) : "An error without a message",
      ...(Array.isArray(path) && path.every(isKey) ? { path } : {})
    }
  })
  return new GraphQlErrors({ errors, ...(body["data"] === undefined ? {} : { data: body["data"] }) })
}

/** One of each item of a list is common; the first ones tell what is wrong. */
const maxErrors = 20

const maxMessage = 2_000

const isKey = (key: unknown): key is string | number => typeof key === "string" || typeof key === "number"
