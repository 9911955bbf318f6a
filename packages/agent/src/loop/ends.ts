/**
 * The end of a turn's last call is written together with the turn's results, in
 * one transaction: until then the journal has the call as begun. Ends of calls
 * beside which others still run are written at once.
 */
import type { Journal, ToolRunner } from "@wield/core"
import { JournalError } from "@wield/core/JournalError"
import * as Effect from "effect/Effect"
import { type AppendWith, type EndOf, journalWrites, type JournalWrite } from "../store/together.js"

/** A journal for a runner, which may leave the end of a call to the run that the call is of. */
export class EndsJournal {
  readonly #runs = new Map<string, Ends>()
  readonly service: Journal.Service

  constructor(readonly journal: Journal.Service) {
    const finish: Journal.Service["finish"] = (key, ending) =>
      Effect.suspend(() =>
        this.#runs.get(key.run)?.hold(key, ending) === true ? Effect.void : journal.finish(key, ending)
      )
    this.service = journalWrites(journal) !== undefined ? { ...journal, finish } : journal
  }

  /** Runs an effect while ends of this run may be left to it. */
  during<A, E>(run: string, ends: Ends, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        // A run within a run of the same conversation has a turn of its own.
        const outer = this.#runs.get(run)
        this.#runs.set(run, ends)
        return outer
      }),
      () => effect,
      (outer) => Effect.sync(() => void (outer === undefined ? this.#runs.delete(run) : this.#runs.set(run, outer)))
    )
  }
}

/** The ends of one run. */
export class Ends {
  #running = 0
  #mayHold = false
  #held: { readonly key: Journal.Key; readonly ending: Journal.Ending } | undefined

  constructor(
    readonly journal: Journal.Service,
    readonly appendWith: AppendWith,
    readonly endOf: EndOf
  ) {}

  /** Whether the end of this call is left to the entry that follows: no other call runs. */
  hold(key: Journal.Key, ending: Journal.Ending): boolean {
    if (!this.#mayHold || this.#running !== 1 || this.#held !== undefined) return false
    this.#held = { key, ending }
    return true
  }

  /** Runs calls whose results are recorded before it is over. */
  during<A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.#mayHold = true
      return Effect.ensuring(
        effect,
        Effect.suspend(() => {
          this.#mayHold = false
          return this.flush
        })
      )
    })
  }

  /** Counts the calls that run. Where a call begins, or a reader has to be waited for, nothing is held any longer. */
  watch(watcher: ToolRunner.Watcher): ToolRunner.Watcher {
    this.#running = 0
    const flushBefore = (effect: Effect.Effect<void> | undefined) =>
      this.#held === undefined ? effect : Effect.zipRight(this.flush, effect ?? Effect.void)
    return {
      started: (call) => {
        this.#running++
        return flushBefore(watcher.started(call))
      },
      progress: watcher.progress,
      finished: (call, outcome) => {
        this.#running--
        const waiting = watcher.finished(call, outcome)
        return waiting === undefined ? undefined : flushBefore(waiting)
      }
    }
  }

  /** Writes what is held in one transaction with entries, or what is there without it. */
  write<A>(
    alone: Effect.Effect<A, unknown>,
    together: (end: JournalWrite<void>) => Effect.Effect<A, unknown>
  ): Effect.Effect<A, unknown> {
    return Effect.suspend(() => {
      const held = this.#held
      if (held === undefined) return alone
      this.#held = undefined
      return together(this.endOf(held.key, held.ending)).pipe(
        Effect.onError(() => Effect.sync(() => void (this.#held = held))),
        // What cannot be written down of a call does not keep its result from the model.
        Effect.catchIf(
          (error) => error instanceof JournalError,
          () => Effect.zipRight(this.flush, alone)
        )
      )
    })
  }

  get flush(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const held = this.#held
      if (held === undefined) return Effect.void
      this.#held = undefined
      return Effect.catchAllCause(this.journal.finish(held.key, held.ending), () =>
        Effect.logError("The journal did not record the end of a call")
      )
    })
  }
}
