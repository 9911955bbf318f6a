/** An embedding model that either answers or fails, and that can be left at any time. */
import * as AiError from "@effect/ai/AiError"
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/**
 * To @effect/ai each text is a request of its own. One that the model has given
 * no vector for is interrupted, and with it whoever waits for it; and who is
 * interrupted while the model works waits for the model. So the model is asked
 * by a fiber of its own.
 */
export const answering = (service: EmbeddingModel.Service): EmbeddingModel.Service => ({
  embed: (text) => apart("embed", service.embed(text)),
  embedMany: (texts, options) => apart("embedMany", service.embedMany(texts, options))
})

const apart = <A>(method: string, answer: Effect.Effect<A, AiError.AiError>): Effect.Effect<A, AiError.AiError> =>
  Effect.flatMap(Effect.forkDaemon(answer), (fiber) =>
    Fiber.await(fiber).pipe(
      Effect.onInterrupt(() => Fiber.interruptFork(fiber)),
      Effect.flatMap(
        Exit.matchEffect({
          onSuccess: Effect.succeed,
          onFailure: (cause) =>
            Cause.isInterrupted(cause) || Cause.isDie(cause)
              ? new AiError.MalformedOutput({
                  module: "EmbeddingModel",
                  method,
                  description: "The embedding model did not give one vector for each text it was asked for",
                  cause: Cause.squash(cause)
                })
              : Effect.failCause(cause)
        })
      )
    )
  )
