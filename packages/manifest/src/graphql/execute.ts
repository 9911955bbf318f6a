/** One call of a GraphQL API: the document of its entry, with the arguments as variables. */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import { type GraphQLSchema, OperationTypeNode } from "graphql"
import { type ExecutionError, RequestFailed } from "../ExecutionError.js"
import type { Arguments, Execute } from "../Executor.js"
import type { ApiEntry } from "../ManifestEntry.js"
import { attempts, type Connection } from "../rest/attempts.js"
import { paged } from "../rest/paged.js"
import { part } from "../rest/part.js"
import { dataOf } from "./answer.js"
import { read } from "./document.js"
import { readersOf, type VariableReader } from "./variableReaders.js"

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
  const { limits, pagination, result } = entry.api
  const { operation, operationName, text } = document
  const properties = entry.function.parameters["properties"]
  const readers = readersOf(operation, Json.isObject(properties) ? Object.keys(properties) : [], schema)
  const timeout = limits.timeout ?? api.timeout
  const maxBytes = limits.maxBytes ?? api.maxBytes
  const page = (parameters: Arguments, bytesLeft: number) =>
    ask(
      api,
      { query: text, variables: variablesOf(readers, parameters), operationName },
      operation.operation === OperationTypeNode.QUERY,
      bytesLeft
    )
  return (parameters) =>
    (pagination === undefined
      ? Effect.map(page(parameters, maxBytes), ({ value }) => value)
      : paged(pagination, page, parameters, maxBytes)
    ).pipe(
      Effect.flatMap((value) => part(value, result.path)),
      within(timeout),
      Effect.withSpan("wield.graphql", {
        captureStackTrace: false,
        attributes: {
          "graphql.operation.type": operation.operation,
          ...(operationName === undefined ? {} : { "graphql.operation.name": operationName })
        }
      })
    )
}

/** Only what is given: a variable that is absent has its default. */
const variablesOf = (readers: ReadonlyArray<VariableReader>, parameters: Arguments): Request["variables"] =>
  Object.fromEntries(
    readers.map((reader) => [reader.name, reader.read(parameters)] as const).filter(([, value]) => value !== undefined)
  )

/**
 * The data that a request is answered with, and the size of the answer in bytes.
 *
 * @param isRepeatable Only a query may be sent again: who knows what became of a mutation that was not answered.
 */
export const ask = (
  api: Api,
  request: Request,
  isRepeatable: boolean,
  maxBytes: number
): Effect.Effect<{ readonly value: unknown; readonly size: number }, ExecutionError> =>
  Effect.gen(function* () {
    const post = HttpClientRequest.post(api.url).pipe(
      HttpClientRequest.setHeaders({ accept, ...api.headers }),
      // All of a call is in the body; JSON leaves out an operation name that is undefined.
      HttpClientRequest.bodyText(JSON.stringify(request), "application/json")
    )
    const answered = yield* attempts(api, post, isRepeatable, maxBytes)
    return { value: yield* dataOf(answered), size: answered.answer.bytes.byteLength }
  })

const accept = "application/graphql-response+json, application/json;q=0.9"

export const within =
  (timeout: number) =>
  <A>(effect: Effect.Effect<A, ExecutionError>): Effect.Effect<A, ExecutionError> =>
    Effect.timeoutFail(effect, {
      duration: timeout,
      onTimeout: () => new RequestFailed({ reason: "timeout", detail: `there was no answer within ${timeout} ms` })
    })
