/**
 * The calls of a server that has no journal, in memory: those with an idempotency key are remembered, and those in rounds,
 * apart from each other. Their results are bounded together, and what they ask with them; of a call whose result had to go
 * it is still known that it was made.
 */
import * as Journal from "@wield/core/Journal"
import * as Effect from "effect/Effect"

/** How many runs of each kind that may come again are remembered. */
const remembered = 10_000

/** How a run may come again: by its key, by a state that its client has, or not at all. */
export type Comes = "by key" | "by state" | "no more"

/** Of all their results, and of what they ask. */
const mostCharacters = 64_000_000

export interface Remembered {
  readonly journal: Journal.Service
  /** What is left of a run when its call has ended. */
  readonly forget: (run: string, comes: Comes) => Effect.Effect<void>
}

export const makeRemembered = (): Remembered => {
  const memory = Journal.unsafeMemory()
  const kept = { "by key": new Set<string>(), "by state": new Set<string>() }
  /** What has a result, or has asked, the oldest first. */
  const ended = new Map<string, { readonly keys: ReadonlyArray<Journal.Key>; readonly characters: number }>()
  let total = 0
  const drop = (run: string) => {
    const of = ended.get(run) ?? { keys: [], characters: 0 }
    ended.delete(run)
    total -= of.characters
    return of
  }
  const bound = (key: Journal.Key, ending: Journal.Ending) =>
    Effect.suspend(() => {
      const before = drop(key.run)
      const characters = before.characters + JSON.stringify(ending).length
      ended.set(key.run, { keys: [...before.keys, key], characters })
      total += characters
      const over: Array<Journal.Key> = []
      for (const run of ended.keys()) {
        if (run === key.run || total <= mostCharacters) break
        over.push(...drop(run).keys)
      }
      return Effect.forEach(over, memory.interrupt, { discard: true })
    })
  return {
    // Not the same object: beside it, a runner would keep the arguments of each call.
    journal: { ...memory, finish: (key, ending) => Effect.zipRight(memory.finish(key, ending), bound(key, ending)) },
    forget: (run, comes) =>
      Effect.suspend(() => {
        const others = comes === "no more" ? undefined : kept[comes]
        others?.delete(run)
        others?.add(run)
        const [oldest] = others ?? []
        const gone = others === undefined ? run : others.size > remembered ? oldest : undefined
        if (gone === undefined) return Effect.void
        others?.delete(gone)
        drop(gone)
        return Effect.ignore(memory.forget(gone))
      })
  }
}
