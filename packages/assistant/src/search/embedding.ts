/** Makes the vectors that are missing, for a new item, text or model. No text is embedded twice. */
import * as AiError from "@effect/ai/AiError"
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import { once } from "@wield/core/Fibers"
import * as Array from "effect/Array"
import * as Cache from "effect/Cache"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import type { UserId } from "../Owner.js"
import type { Backend } from "./Backend.js"

export type Embedder = Effect.Effect.Success<ReturnType<typeof makeEmbedder>>

/** As many texts as every provider takes at once. */
const texts = 96

/** As many queries as are remembered, and for how long: recall looks for one text among memories and among goals. */
const remembered = { capacity: 64, time: "1 minute" } as const

/** `outdated` is run when vectors were found to be of no use any more, so that they are made again. */
export const makeEmbedder = (
  backend: Backend,
  service: EmbeddingModel.Service,
  model: string,
  outdated: Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(1)
    const dimensions = yield* Ref.make<number | undefined>(undefined)
    const asked = interruptibleModel(service)
    const queries = yield* Cache.make({
      capacity: remembered.capacity,
      // Not its end: the first who asks may be interrupted while others wait.
      lookup: (text: string) => Effect.sync(() => once(asked.embed(text))),
      timeToLive: remembered.time
    })

    const batch = (limit: number, user: UserId | undefined) =>
      Effect.gen(function* () {
        const pending = yield* backend.pending(model, limit, user)
        if (pending.length === 0) return 0
        const known = yield* backend.known(model, [...new Set(pending.map(({ hash }) => hash))])
        const unknown = new Map(
          pending.filter(({ hash }) => !known.has(hash)).map(({ hash, text, title }) => [hash, `${title}\n${text}`])
        )
        const vectors = yield* embedAll(asked, [...unknown.values()])
        const byHash = new Map([
          ...known,
          ...[...unknown.keys()].map((hash, index) => [hash, vectors[index] ?? []] as const)
        ])
        yield* backend.keep(
          model,
          pending.map(({ hash, key, user }) => ({ key, user, hash, vector: byHash.get(hash) ?? [] }))
        )
        return pending.length
      })

    return {
      model,
      embed: (text: string) =>
        Effect.gen(function* () {
          const vector = yield* Effect.flatten(queries.get(text))
          if (!isUsable(vector)) {
            return yield* malformed("embed", "The embedding model gave no vector for a query")
          }
          // The same name may stand for other dimensions than before, which can be compared with none of the old ones.
          if ((yield* Ref.getAndSet(dimensions, vector.length)) !== vector.length) {
            if (yield* backend.discardOthers(model, vector.length)) yield* outdated
          }
          return vector
        }),
      /** Makes at most so many vectors; gives how many it made. */
      catchUp: (limit: number, user?: UserId) =>
        Effect.gen(function* () {
          let made = 0
          while (made < limit) {
            // In turn: two that catch up at once would have the same texts embedded twice. But a batch each, so that a
            // search waits for one at most, not until all items are embedded.
            const more = yield* turn.withPermits(1)(batch(Math.min(texts, limit - made), user))
            if (more === 0) break
            made += more
          }
          return made
        })
    }
  })

/**
 * @effect/ai interrupts all that wait for a text without a vector, and makes who is interrupted wait for the model. So
 * the model is asked by a fiber of its own.
 */
const interruptibleModel = (service: EmbeddingModel.Service): EmbeddingModel.Service => ({
  embed: (text) => runDetached("embed", service.embed(text)),
  embedMany: (texts, options) => runDetached("embedMany", service.embedMany(texts, options))
})

const runDetached = <A>(method: string, answer: Effect.Effect<A, AiError.AiError>): Effect.Effect<A, AiError.AiError> =>
  Effect.flatMap(Effect.forkDaemon(answer), (fiber) =>
    Fiber.await(fiber).pipe(
      Effect.onInterrupt(() => Fiber.interruptFork(fiber)),
      Effect.flatMap(
        Exit.matchEffect({
          onSuccess: Effect.succeed,
          onFailure: (cause) =>
            Cause.isInterrupted(cause) || Cause.isDie(cause)
              ? malformed(
                  method,
                  "The embedding model did not give one vector for each text it was asked for",
                  Cause.squash(cause)
                )
              : Effect.failCause(cause)
        })
      )
    )
  )

const malformed = (method: string, description: string, cause?: unknown): AiError.MalformedOutput =>
  new AiError.MalformedOutput({ module: "EmbeddingModel", method, description, cause })

type Vector = ReadonlyArray<number>

const isUsable = (vector: Vector): boolean => vector.length > 0 && vector.every(Number.isFinite)

/** What is kept of a text that the model gives no vector for: it is not asked for that one again. */
const none: Vector = []

/** A text that no model refuses. */
const harmless = "Hello"

/**
 * Of no length for a text that the model refuses by itself. Fails where the fault is not the texts', as that of a model
 * which gives nothing for a harmless text either, unless it is known to be sound.
 */
const embedAll = (
  service: EmbeddingModel.Service,
  texts: ReadonlyArray<string>,
  isSound = false
): Effect.Effect<ReadonlyArray<Vector>, AiError.AiError> =>
  texts.length === 0
    ? Effect.succeed([])
    : Effect.flatMap(service.embedMany(texts), Effect.forEach(usable)).pipe(
        Effect.catchIf(isOfTexts, (error) =>
          Effect.zipRight(
            isSound ? Effect.void : Effect.mapError(service.embed(harmless), () => error),
            texts.length === 1 ? warnRefusal(error) : embedHalves(service, texts)
          )
        )
      )

/** Half by half, until what is refused stands alone. */
const embedHalves = (service: EmbeddingModel.Service, texts: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(Array.splitAt(texts, Math.ceil(texts.length / 2)), (half) => embedAll(service, half, true)),
    Array.flatten
  )

const warnRefusal = (error: AiError.AiError): Effect.Effect<ReadonlyArray<Vector>> =>
  Effect.as(Effect.logWarning("The embedding model refused a text: it is found by its words only", error.message), [
    none
  ])

const usable = (vector: Vector): Effect.Effect<Vector> =>
  isUsable(vector)
    ? Effect.succeed(vector)
    : Effect.as(Effect.logWarning("The embedding model gave no vector for a text: it is found by its words only"), none)

/** Answers by which a provider says that it has not looked at the texts: a request is not allowed, or not now. */
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
