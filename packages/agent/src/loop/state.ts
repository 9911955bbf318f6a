/** One run of an agent: what it has come to so far. */
import * as Outcome from "@wield/core/Outcome"
import * as Turn from "@wield/core/Turn"
import type { CallContext, ToolRunner } from "@wield/core"
import type { AgentEvent } from "../AgentEvent.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { TooManyMistakes } from "../AgentError.js"
import type { Conversation, Entry } from "../Conversation.js"
import type { Model } from "../Model.js"
import { joinedWrites } from "../store/together.js"
import { type Findable, formFor, type SearchForm } from "./discovery.js"
import { HeldWrites } from "./heldWrites.js"
import { type Emit, emitLater, type Inherited, type Plan, type Run } from "./plan.js"
import { waitsWithin } from "./within.js"

export type InContext = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export class State {
  steps = 0
  usage: Turn.Usage = Turn.unknownUsage
  readonly usageByModel = new Map<string, Turn.Usage>()
  readonly mistakes: Mistakes
  /** Where conversation and journal stand in one database. */
  readonly heldWrites: HeldWrites | undefined
  /** Turns that broke off in a row. */
  broken = 0
  /** Why the last response ended. */
  finish: Turn.Finish | undefined
  /** The name of a budget in which what was used could not be counted. */
  unmeasured: string | undefined
  /** The API refuses that a call is demanded. */
  isUnforced = false
  /** The API refuses what a search has found in a form of its own. */
  isFoundRefused = false
  /** Whether another process has gone on with the conversation, so that it may be over, or have open calls. */
  isOvertaken = false
  /** How calls ended that were open when the run came to them. */
  settled: ReadonlyArray<Outcome.Outcome> = []
  /** What a search for tools looks through: what is on offer in the step. */
  readonly searchable: Findable

  constructor(
    readonly plan: Plan,
    readonly conversation: Conversation<unknown>,
    readonly run: Run,
    readonly emitNow: Emit,
    readonly inherited: Inherited,
    /** Milliseconds of the monotonic clock. */
    readonly startedAt: number,
    public entries: ReadonlyArray<Entry>,
    /** Runs an effect of the application with the run's call context. */
    readonly inContext: InContext,
    readonly context: CallContext.Values,
    readonly handOver: Deferred.Deferred<void> | undefined
  ) {
    const joined = joinedWrites(conversation, plan.journal?.journal)
    this.heldWrites =
      plan.journal === undefined || joined === undefined
        ? undefined
        : new HeldWrites(conversation, plan.journal.journal, joined)
    this.mistakes = new Mistakes(conversation.id, plan.mistakes)
    this.searchable = { definitions: undefined, form: this.formFor(plan.model) }
  }

  /** How this model is shown what a search finds. */
  formFor(model: Model): SearchForm {
    const given = this.isFoundRefused ? "call-through" : this.plan.discovery?.form
    return formFor(model, given, this.entries)
  }

  emit(event: AgentEvent): Effect.Effect<void> {
    return emitLater(this.emitNow, event)
  }

  /** Gives the reader of the run what happens to its calls. */
  get watcher(): ToolRunner.Watcher {
    const watcher: ToolRunner.Watcher = {
      started: (call) => this.emitNow({ _tag: "CallStarted", call }),
      progress: (call) => (value) => this.emit({ _tag: "CallProgress", call, value }),
      finished: (call, outcome) =>
        // A sub-agent that waits goes on; what it waits for are the requests of the run.
        outcome._tag === "Deferred" && waitsWithin(outcome) !== undefined
          ? undefined
          : this.emitNow({ _tag: "CallFinished", call, outcome })
    }
    return this.heldWrites === undefined ? watcher : this.heldWrites.watch(watcher)
  }

  /** Whether another process is to go on with the run: this one begins nothing more. */
  get isHandedOver(): Effect.Effect<boolean> {
    return this.handOver === undefined ? Effect.succeed(false) : Deferred.isDone(this.handOver)
  }

  /** Goes on from what another process has appended. */
  takeOver(entries: ReadonlyArray<Entry>): void {
    this.entries = entries
    this.isOvertaken = true
  }

  /** Counts what a turn used, here and in the run that this one is a part of. */
  use(model: string, usage: Turn.Usage): void {
    this.usage = Turn.addUsage(this.usage, usage)
    this.usageByModel.set(model, Turn.addUsage(this.usageByModel.get(model) ?? Turn.unknownUsage, usage))
    this.inherited.use(model, usage)
  }
}

/** The budget for a model's mistakes: of each tool in a row, and of the run. */
class Mistakes {
  readonly #inARow = new Map<string, number>()
  #total = 0

  constructor(
    readonly conversation: string,
    readonly limits: { readonly perTool: number; readonly total: number }
  ) {}

  /** What is wrong once these outcomes are counted. */
  count(outcomes: ReadonlyArray<Outcome.Outcome>): TooManyMistakes | undefined {
    let over: TooManyMistakes | undefined
    for (const outcome of outcomes) {
      if (!Outcome.isModelMistake(outcome)) {
        this.#inARow.delete(outcome.name)
        continue
      }
      const inARow = (this.#inARow.get(outcome.name) ?? 0) + 1
      this.#inARow.set(outcome.name, inARow)
      this.#total++
      if (over !== undefined) continue
      const feedback = Outcome.text(outcome) ?? ""
      if (inARow > this.limits.perTool) over = this.#over("tool", this.limits.perTool, outcome.name, feedback)
      else if (this.#total > this.limits.total) over = this.#over("run", this.limits.total, outcome.name, feedback)
    }
    return over
  }

  /** The model answered without the tool that it should have answered by. */
  unanswered(feedback: string): TooManyMistakes | undefined {
    this.#total++
    return this.#total > this.limits.total ? this.#over("run", this.limits.total, undefined, feedback) : undefined
  }

  #over(of: "tool" | "run", limit: number, tool: string | undefined, feedback: string): TooManyMistakes {
    return new TooManyMistakes({
      conversation: this.conversation,
      of,
      limit,
      feedback,
      ...(tool === undefined ? {} : { tool })
    })
  }
}
