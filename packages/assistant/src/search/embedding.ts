/**
 * Makes vectors of what has none: of new items, of those whose text has changed,
 * and of all when the model is another one. A text that was embedded before is
 * not embedded again.
 */
import type * as AiError from "@effect/ai/AiError"
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { UserId } from "../Owner.js"
import type { Backend } from "./Backend.js"

export interface Embedder {
  readonly model: string
  readonly embed: (text: string) => Effect.Effect<ReadonlyArray<number>, AiError.AiError>
  /** Makes at most so many vectors; gives how many it made. */
  readonly catchUp: (limit: number, user?: UserId) => Effect.Effect<number, AiError.AiError | SqlError>
}

/** As many texts as every provider takes at once. */
const texts = 96

export const makeEmbedder = (
  backend: Backend,
  service: EmbeddingModel.Service,
  model: string
): Effect.Effect<Embedder> =>
  Effect.map(Effect.makeSemaphore(1), (turn) => ({
    model,
    embed: service.embed,
    // In turn: two that catch up at once would have the same texts embedded twice.
    catchUp: (limit, user) =>
      turn.withPermits(1)(
        Effect.gen(function* () {
          let made = 0
          while (made < limit) {
            const pending = yield* backend.pending(model, Math.min(texts, limit - made), user)
            if (pending.length === 0) break
            const known = yield* backend.known(model, [...new Set(pending.map(({ hash }) => hash))])
            const unknown = new Map(
              pending.filter(({ hash }) => !known.has(hash)).map(({ hash, text, title }) => [hash, `${title}\n${text}`])
            )
            const vectors = unknown.size === 0 ? [] : yield* service.embedMany([...unknown.values()])
            const byHash = new Map<string, ReadonlyArray<number>>([
              ...known,
              ...[...unknown.keys()].map((hash, index) => [hash, vectors[index] ?? []] as const)
            ])
            yield* backend.keep(
              model,
              pending.map(({ hash, key, user }) => ({ key, user, hash, vector: byHash.get(hash) ?? [] }))
            )
            made += pending.length
          }
          return made
        })
      )
  }))
