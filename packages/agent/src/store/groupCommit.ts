/**
 * Statements of many fibers in one transaction: what comes in the same moment
 * waits for the disk once.
 */
import type { SqlError } from "@effect/sql/SqlError"
import { Time } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { attempt, isTransient } from "./attempt.js"
import { attempted, type Bound, type FileConnection } from "./fileConnection.js"
import type { Write } from "./write.js"

interface Waiting extends Bound {
  readonly resume: (effect: Effect.Effect<ReadonlyArray<unknown>, SqlError>) => void
}

/**
 * How many fibers a group may wake at once. A batch begins 64 calls in a turn of
 * the event loop, and each has to be begun and ended: fewer than twice as many,
 * and the calls that wait would grow in number, and their memory with them.
 */
const most = 256

export const makeGroupCommit = (
  connection: FileConnection,
  inTurn: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
): Write => {
  const queue: Array<Waiting> = []
  let isDraining = false

  const commit = (group: ReadonlyArray<Waiting>) =>
    attempt(attempted(() => connection.together(group))).pipe(
      Effect.either,
      Effect.map((ended) => {
        if (Either.isRight(ended)) {
          ended.right.forEach((rows, index) => group[index]?.resume(Effect.succeed(rows)))
          return ended.right.length
        }
        // Where one of them is wrong, it is wrong for itself: each goes by itself. A lock is in the way of all.
        const isOfAll = group.length === 1 || isTransient(ended.left)
        for (const one of group) one.resume(isOfAll ? Effect.fail(ended.left) : alone(one))
        return group.length
      })
    )

  const alone = (one: Waiting): Effect.Effect<ReadonlyArray<unknown>, SqlError> =>
    inTurn(
      attempt(
        Effect.map(
          attempted(() => connection.together([one])),
          ([rows]) => rows ?? []
        )
      )
    )

  const drain: Effect.Effect<void> = Effect.suspend(() => {
    if (queue.length === 0) {
      isDraining = false
      return Effect.void
    }
    const done = inTurn(
      Effect.suspend(() => {
        const group = queue.slice(0, most)
        return Effect.map(commit(group), (count) => void queue.splice(0, count))
      })
    )
    return Effect.zipRight(Effect.zipRight(Time.nextTurn, done), drain)
  })

  return (statement, parameters) =>
    Effect.async((resume) => {
      const waiting: Waiting = { statement, parameters, resume }
      queue.push(waiting)
      if (!isDraining) {
        isDraining = true
        Effect.runFork(drain)
      }
    })
}
