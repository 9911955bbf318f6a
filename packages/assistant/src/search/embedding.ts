/**
 * Makes vectors of what has none: of new items, of those whose text has changed,
 * and of all when the model is another one. A text that was embedded before is
 * not embedded again.
 */
import type * as AiError from "@effect/ai/AiError"
import type * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import type { SqlError } from "@effect/sql/SqlError"
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { UserId } from "../Owner.js"
import type { Backend } from "./Backend.js"
import { answering } from "./answering.js"
import { embedAll, type Vector } from "./embedAll.js"

export interface Embedder {
  readonly model: string
  /** The vector of a query. */
  readonly embed: (text: string) => Effect.Effect<Vector, AiError.AiError | SqlError>
  /** Makes at most so many vectors; gives how many it made. */
  readonly catchUp: (limit: number, user?: UserId) => Effect.Effect<number, AiError.AiError | SqlError>
}

/** As many texts as every provider takes at once. */
const texts = 96

/** As many queries as are remembered, and for how long: recall looks for one text among memories and among goals. */
const remembered = { capacity: 64, time: "1 minute" } as const

/** `outdated` is run when vectors were found to be of no use any more, so that they are made anew. */
export const makeEmbedder = (
  backend: Backend,
  service: EmbeddingModel.Service,
  model: string,
  outdated: Effect.Effect<void>
): Effect.Effect<Embedder> =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(1)
    const dimensions = yield* Ref.make<number | undefined>(undefined)
    const asked = answering(service)
    const queries = yield* Cache.make({
      capacity: remembered.capacity,
      lookup: asked.embed,
      timeToLive: remembered.time
    })

    /** The vectors of as many items; gives of how many. */
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
      embed: (text) =>
        Effect.gen(function* () {
          // A failure is dropped by hand: an entry whose time to live is 0 still answers within the same millisecond.
          const vector = yield* Effect.onError(queries.get(text), () => queries.invalidate(text))
          // The same name may stand for other dimensions than before, which can be compared with none of the old ones.
          if ((yield* Ref.getAndSet(dimensions, vector.length)) !== vector.length) {
            if (yield* backend.discardOthers(model, vector.length)) yield* outdated
          }
          return vector
        }),
      catchUp: (limit, user) =>
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
