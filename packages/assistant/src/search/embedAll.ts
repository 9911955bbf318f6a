/**
 * The vectors of many texts, though the model refuses some of them: one that is
 * too long has the whole batch refused that it is in.
 */
import type * as AiError from "@effect/ai/AiError"
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as Effect from "effect/Effect"

export type Vector = ReadonlyArray<number>

/** What is kept of a text that the model gives no vector for: it is not asked for that one again. */
const none: Vector = []

/** A text that no model refuses. */
const harmless = "Hello"

/**
 * In the order of the texts; of no length for one that the model refuses by
 * itself, or gives what is no vector for. Fails where the fault is not the texts'.
 */
export const embedAll = (
  service: EmbeddingModel.Service,
  texts: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Vector>, AiError.AiError> =>
  texts.length === 0
    ? Effect.succeed([])
    : embedded(service, texts).pipe(
        Effect.catchIf(isOfTexts, (error) =>
          // A model that gives nothing for a harmless text either is at fault itself.
          Effect.zipRight(
            Effect.mapError(service.embed(harmless), () => error),
            texts.length === 1 ? refused(error) : apart(service, texts)
          )
        )
      )

/** Half by half, until what is refused stands alone. */
const apart = (
  service: EmbeddingModel.Service,
  texts: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Vector>, AiError.AiError> => {
  const half = Math.ceil(texts.length / 2)
  const part = (some: ReadonlyArray<string>) =>
    embedded(service, some).pipe(
      Effect.catchIf(isOfTexts, (error) => (some.length === 1 ? refused(error) : apart(service, some)))
    )
  return Effect.zipWith(part(texts.slice(0, half)), part(texts.slice(half)), (left, right) => [...left, ...right])
}

const embedded = (
  service: EmbeddingModel.Service,
  texts: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Vector>, AiError.AiError> =>
  Effect.flatMap(service.embedMany(texts), Effect.forEach(usable))

const refused = (error: AiError.AiError): Effect.Effect<ReadonlyArray<Vector>> =>
  Effect.as(Effect.logWarning("The embedding model refused a text: it is found by its words only", error.message), [
    none
  ])

const usable = (vector: Vector): Effect.Effect<Vector> =>
  vector.length > 0 && vector.every(Number.isFinite)
    ? Effect.succeed(vector)
    : Effect.as(Effect.logWarning("The embedding model gave no vector for a text: it is found by its words only"), none)

/** Answers by which a provider says that it has not looked at the texts: nobody may ask, or not now. */
const ofOthers = new Set([401, 403, 404, 408, 409, 429])

const isOfTexts = (error: AiError.AiError): boolean => {
  switch (error._tag) {
    case "HttpRequestError":
      return false
    case "HttpResponseError": {
      const { status } = error.response
      return error.reason === "StatusCode" && status < 500 && !ofOthers.has(status)
    }
    case "MalformedInput":
    case "MalformedOutput":
    case "UnknownError":
      return true
  }
}
