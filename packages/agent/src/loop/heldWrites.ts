/**
 * What a run leaves to a later write, so that one commit has both. A turn is
 * written together with the begin of its first call, and the end of its last
 * call together with the turn's results. Until then the conversation ends before
 * the turn, and the journal has the call as begun.
 */
import type { Journal, ToolCall, ToolRunner } from "@wield/core"
import { JournalError } from "@wield/core/JournalError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type { Conversation, Entry } from "../Conversation.js"
import { isConflict } from "../conversation/entries.js"
import { type AppendWith, journalWrites, type JournalWrite, type JournalWrites } from "../store/together.js"

/** A journal for a runner, which may leave to the run what it writes of the run's calls. */
export class HoldingJournal {
  readonly #runs = new Map<string, HeldWrites>()
  readonly service: Journal.Service

  constructor(readonly journal: Journal.Service) {
    const begin: Journal.Service["begin"] = (key, tool, ending) =>
      Effect.suspend(() => this.#runs.get(key.run)?.begin(key, tool) ?? journal.begin(key, tool, ending))
    const finish: Journal.Service["finish"] = (key, ending) =>
      Effect.suspend(() =>
        this.#runs.get(key.run)?.hold(key, ending) === true ? Effect.void : journal.finish(key, ending)
      )
    this.service = journalWrites(journal) === undefined ? journal : { ...journal, begin, finish }
  }

  /** Runs an effect while the writes of this run may be left to it. */
  during<A, E>(run: string, held: HeldWrites, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        // A run within a run of the same conversation has a turn of its own.
        const outer = this.#runs.get(run)
        this.#runs.set(run, held)
        return outer
      }),
      () => effect,
      (outer) => Effect.sync(() => void (outer === undefined ? this.#runs.delete(run) : this.#runs.set(run, outer)))
    )
  }
}

/** A turn whose entry is written when its first call begins. */
interface HeldTurn {
  readonly entry: Entry
  /** The entry before it. */
  readonly after: string | undefined
  state: "held" | "being written" | "written" | "failed"
  /** Done when it is written, or could not be. */
  readonly over: Deferred.Deferred<void, unknown>
  /** Calls of which a reader hears when it is written. */
  readonly started: Array<ToolCall.ToolCall>
}

/** How long a turn is held whose calls take their time to begin, as one does that an approval rule thinks about. */
const longest = "10 millis"

/** What one run has not written yet. */
export class HeldWrites {
  readonly #running = new Set<ToolCall.ToolCall>()
  #mayHold = false
  #held: { readonly key: Journal.Key; readonly ending: Journal.Ending } | undefined
  #turn: HeldTurn | undefined
  #watcher: ToolRunner.Watcher | undefined

  constructor(
    readonly conversation: Conversation<unknown>,
    readonly journal: Journal.Service,
    readonly writes: JournalWrites & { readonly append: AppendWith }
  ) {}

  /** Whether the end of this call is left to the entry that follows: no other call runs. */
  hold(key: Journal.Key, ending: Journal.Ending): boolean {
    if (!this.#mayHold || this.#running.size !== 1 || this.#held !== undefined) return false
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

  /**
   * Settles the calls of a turn, whose entry is left to the first of them that begins; each has to begin in the journal
   * before it does anything. Fails where the entry cannot be written: none of them has begun then.
   */
  duringTurn<A>(entry: Entry, after: string | undefined, settle: Effect.Effect<A, unknown>): Effect.Effect<A, unknown> {
    return Effect.suspend(() => {
      const over = Deferred.unsafeMake<void, unknown>(FiberId.none)
      const turn: HeldTurn = { entry, after, state: "held", over, started: [] }
      this.#turn = turn
      return Effect.sleep(longest).pipe(
        Effect.interruptible,
        Effect.zipRight(this.#writeAlone(turn)),
        Effect.fork,
        Effect.flatMap((waiting) => Effect.ensuring(settle, Fiber.interrupt(waiting))),
        Effect.zipLeft(this.#writeAlone(turn)),
        Effect.zipLeft(Deferred.await(over)),
        Effect.ensuring(Effect.sync(() => void (this.#turn = undefined)))
      )
    })
  }

  /** Begins a call together with its turn; `undefined` where no turn is held. */
  begin(key: Journal.Key, tool: string): Effect.Effect<Journal.Known, JournalError> | undefined {
    const turn = this.#turn
    if (turn === undefined || turn.state === "written") return undefined
    const isFirst = turn.state === "held"
    const begin = isFirst ? this.#beginWith(turn, key, tool) : this.#beginAfter(turn, key, tool)
    return Effect.mapError(begin, (cause) => {
      if (JournalError.is(cause)) return cause
      // The run goes on from what the other process has recorded, or fails where that is something else.
      const expected = isConflict(cause) ? "another process has gone on with its conversation" : undefined
      return new JournalError({ operation: "begin", cause, expected })
    })
  }

  #beginWith(turn: HeldTurn, key: Journal.Key, tool: string): Effect.Effect<Journal.Known, unknown> {
    const { after, entry } = turn
    const begin = this.writes.beginOf(key, tool)
    const both = Effect.onError(this.writes.append([entry], after, begin), () => begin.undo)
    // What cannot be written down of a call does not keep its turn from the conversation.
    const written = Effect.matchEffect(both, {
      onSuccess: (known) => Effect.succeed(Effect.succeed(known)),
      onFailure: (error) =>
        JournalError.is(error)
          ? Effect.as(this.conversation.append([entry], after), Effect.fail(error))
          : Effect.fail(error)
    })
    return Effect.flatten(this.#write(turn, written))
  }

  #beginAfter(turn: HeldTurn, key: Journal.Key, tool: string): Effect.Effect<Journal.Known, unknown> {
    return Effect.zipRight(Deferred.await(turn.over), this.journal.begin(key, tool))
  }

  /** Writes a turn that none of its calls has written. That it cannot be written is found out where the turn ends. */
  #writeAlone(turn: HeldTurn): Effect.Effect<void> {
    return Effect.suspend(() =>
      turn.state === "held"
        ? this.#write(turn, this.conversation.append([turn.entry], turn.after))
        : Deferred.await(turn.over)
    ).pipe(Effect.catchAllCause(() => Effect.void))
  }

  #write<A>(turn: HeldTurn, write: Effect.Effect<A, unknown>): Effect.Effect<A, unknown> {
    turn.state = "being written"
    return Effect.uninterruptible(
      Effect.onExit(write, (exit) =>
        Effect.suspend(() => {
          turn.state = Exit.isSuccess(exit) ? "written" : "failed"
          const tell = Exit.isSuccess(exit) ? this.#tellStarted(turn) : Effect.void
          return Effect.zipRight(tell, Deferred.done(turn.over, Exit.asVoid(exit)))
        })
      )
    )
  }

  #tellStarted(turn: HeldTurn): Effect.Effect<void> {
    return Effect.forEach(turn.started, (call) => this.#watcher?.started(call) ?? Effect.void, { discard: true })
  }

  /**
   * Counts the calls that run. Where a call begins, or a reader has to be waited for, no end is held any longer. A reader
   * hears nothing of calls whose turn is not written.
   */
  watch(watcher: ToolRunner.Watcher): ToolRunner.Watcher {
    this.#running.clear()
    this.#watcher = watcher
    const flushBefore = (effect: Effect.Effect<void> | undefined) =>
      this.#held === undefined ? effect : Effect.zipRight(this.flush, effect ?? Effect.void)
    return {
      entered: (call) => void this.#running.add(call),
      started: (call) => {
        const turn = this.#turn
        if (turn === undefined || turn.state === "written") return flushBefore(watcher.started(call))
        turn.started.push(call)
        return undefined
      },
      progress: watcher.progress,
      finished: (call, outcome) => {
        this.#running.delete(call)
        const turn = this.#turn
        if (turn !== undefined && turn.state !== "written") {
          return Effect.flatMap(this.#writeAlone(turn), () =>
            turn.state === "written" ? (watcher.finished(call, outcome) ?? Effect.void) : Effect.void
          )
        }
        const waiting = watcher.finished(call, outcome)
        return waiting === undefined ? undefined : flushBefore(waiting)
      }
    }
  }

  /** Writes what is held of a call in one transaction with entries, or what is there without it. */
  write<A>(
    alone: Effect.Effect<A, unknown>,
    together: (end: JournalWrite<void>) => Effect.Effect<A, unknown>
  ): Effect.Effect<A, unknown> {
    return Effect.suspend(() => {
      const held = this.#held
      if (held === undefined) return alone
      this.#held = undefined
      return together(this.writes.endOf(held.key, held.ending)).pipe(
        Effect.onError(() => Effect.sync(() => void (this.#held = held))),
        // What cannot be written down of a call does not keep its result from the model.
        Effect.catchIf(JournalError.is, () => Effect.zipRight(this.flush, alone))
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
