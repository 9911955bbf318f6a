/** One call of an API: its attempts, its pages, and what comes of them. */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { CurrentCall } from "@wield/core"
import * as Effect from "effect/Effect"
import type { ExecutionError } from "../ExecutionError.js"
import type { Arguments, Execute } from "../Executor.js"
import type { ApiEntry } from "../ManifestEntry.js"
import { statusErrorOf, valueOf } from "./answer.js"
import { type Answered, attempts, type Connection, isSuccess } from "./attempts.js"
import { execution } from "./paged.js"
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
  const isJsonNeeded = entry.api.result.path !== undefined || entry.api.pagination !== undefined
  const execute = execution(entry, api, (parameters, bytesLeft) =>
    Effect.gen(function* () {
      const { answer, secrets } = yield* answered(api, plan, parameters, bytesLeft)
      return { value: yield* valueOf(answer, secrets, isJsonNeeded), size: answer.bytes.byteLength }
    })
  )
  return (parameters) =>
    // Nothing of the arguments: the path is that of the entry.
    Effect.withSpan(execute(parameters), "wield.rest", {
      captureStackTrace: false,
      attributes: { "http.request.method": plan.method, "url.template": entry.api.path ?? "" }
    })
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
