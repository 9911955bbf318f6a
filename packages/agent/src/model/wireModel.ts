/**
 * A wire format over HTTP as a model.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type { Loss } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Model } from "../Model.js"
import type { WireOptions } from "./wireOptions.js"
import { wireRequest } from "./wireRequest.js"
import { retrying } from "./wireRetry.js"
import { send } from "./wireSend.js"
import { wireTurn } from "./wireTurn.js"

export const wireModel = (
  format: WireFormat.WireFormat,
  options: WireOptions
): Effect.Effect<Model, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (client): Model => ({
    id: options.model,
    format: format.name,
    stream: (request) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const wire = yield* wireRequest(format, options, request)
          if (wire.losses.length > 0) yield* (options.onLosses ?? logLosses(format.name))(wire.losses)
          const offered = { definitions: request.definitions, isStrict: request.options?.isStrict }
          const attempt = Stream.unwrapScoped(
            Effect.map(send(format, client, options, wire), (sent) => wireTurn(format, options, offered, sent))
          )
          return retrying(attempt, options.retry)
        })
      )
  }))

/** Losses name tools, places and keywords, and no values. */
const logLosses =
  (format: string) =>
  (losses: ReadonlyArray<Loss.Loss>): Effect.Effect<void> =>
    Effect.forEach(
      losses,
      ({ keyword, path, reason, subject }) =>
        Effect.logDebug(`${format} cannot say ${[subject, ...path, keyword].join(".")}: ${reason}`),
      { discard: true }
    )
