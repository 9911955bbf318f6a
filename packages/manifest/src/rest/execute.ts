/** One call of an API: its attempts, its pages, and what comes of them. */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { CurrentCall } from "@wield/core"
import * as Effect from "effect/Effect"
import { type ExecutionError, RequestFailed } from "../ExecutionError.js"
import type { Arguments, Execute } from "../Executor.js"
import type { ApiEntry } from "../ManifestEntry.js"
import { statusErrorOf, valueOf } from "./answer.js"
import { type Answered, attempts, type Connection, isSuccess } from "./attempts.js"
import { readPages } from "./paged.js"
import { part } from "./part.js"
import { type Plan, planOf } from "./plan.js"
import { requestOf, type Target } from "./request.js"
import { isIdempotent } from "./retry.js"

export interface Api extends Connection {
  readonly target: Target
  readonly headers: { readonly [name: string]: string }
  /** Milliseconds. */
  readonly timeout: number
  readonly maxBytes: number
  readonly idempotencyHeader: string | undefined
}

export const prepare = (api: Api, entry: ApiEntry): Execute => {
  const plan = planOf(entry)
  const { limits, pagination, result } = entry.api
  const timeout = limits.timeout ?? api.timeout
  const maxBytes = limits.maxBytes ?? api.maxBytes
  const isJsonNeeded = result.path !== undefined || pagination !== undefined
  const page = (parameters: Arguments, bytesLeft: number) =>
    Effect.gen(function* () {
      const { answer, secrets } = yield* answered(api, plan, parameters, bytesLeft)
      return { value: yield* valueOf(answer, secrets, isJsonNeeded), size: answer.bytes.byteLength }
    })
  return (parameters) =>
    (pagination === undefined
      ? Effect.map(page(parameters, maxBytes), ({ value }) => value)
      : readPages(pagination, page, parameters, maxBytes)
    ).pipe(
      Effect.flatMap((value) => part(value, result.path)),
      Effect.timeoutFail({
        duration: timeout,
        onTimeout: () => new RequestFailed({ reason: "timeout", detail: `there was no answer within ${timeout} ms` })
      }),
      // Nothing of the arguments: the path is that of the entry.
      Effect.withSpan("wield.rest", {
        captureStackTrace: false,
        attributes: { "http.request.method": plan.method, "url.template": entry.api.path ?? "" }
      })
    )
}

const answered = (
  api: Api,
  plan: Plan,
  parameters: Arguments,
  maxBytes: number
): Effect.Effect<Answered, ExecutionError> =>
  Effect.gen(function* () {
    const made = yield* requestOf(plan, api.target, parameters)
    const { idempotencyKey } = yield* CurrentCall.CurrentCall
    const key = isIdempotent(plan.method) || idempotencyKey === "" ? undefined : api.idempotencyHeader
    const request = HttpClientRequest.setHeaders(made, {
      ...api.headers,
      ...made.headers,
      ...(key === undefined ? {} : { [key]: idempotencyKey })
    })
    const isRepeatable = isIdempotent(plan.method) || key !== undefined
    const answered = yield* attempts(api, request, isRepeatable, maxBytes)
    return isSuccess(answered.answer) ? answered : yield* statusErrorOf(answered.answer, answered.secrets)
  })
