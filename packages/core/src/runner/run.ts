/** What the calls of one run share: an id, the call context, what is offered, and the memory that tells repetitions. */
import * as Effect from "effect/Effect"
import { CallContext, type Values } from "../CallContext.js"
import * as Digest from "../Digest.js"
import { CurrentRun, type RunOfOffer } from "../CurrentRun.js"
import type { ToolDefinition } from "../ToolDefinition.js"
import { nameOf } from "../internal/callName.js"
import { memoize } from "../internal/memoize.js"
import type { Offer } from "../toolset/model.js"
import { Ledger } from "./ledger.js"

/** The last result of each call, by tool and arguments, and how often in a row it was the same. */
type Results = Map<string, Map<string, { result: string; times: number }>>

interface Options {
  readonly id?: string | undefined
  /** Whether the program gave the id, so that it finds the run again. */
  readonly isNamed?: boolean
  readonly values?: Values | undefined
  readonly offered?: ReadonlySet<string> | undefined
  /** Absent for a batch of its own without a journal: its calls cannot come again. */
  readonly ledger: Ledger | undefined
  /** A run made by `forRun` is remembered from one call to the next. */
  readonly isRemembered: boolean
  /** A call of the same id in another turn is another call. */
  readonly turn?: string | undefined
  /** Its calls may have been begun by a process that is no more. */
  readonly isRecovered?: boolean
  /** Its calls may have been begun in another run. */
  readonly isCopied?: boolean
  /** People were asked about its calls. */
  readonly isAsked?: boolean
  /** Its calls have been counted by the limits. */
  readonly isCounted?: boolean
}

export class Run {
  readonly values: Values | undefined
  readonly offered: ReadonlySet<string> | undefined
  readonly ledger: Ledger | undefined
  readonly isRemembered: boolean
  readonly turn: string | undefined
  readonly isRecovered: boolean
  readonly isAsked: boolean
  readonly isCounted: boolean
  readonly #isCopied: boolean
  readonly #isNamed: boolean
  #id: string | undefined
  #definitions: WeakMap<Offer, ReadonlyArray<ToolDefinition>> | undefined
  #results: Results | undefined
  #identity: { readonly id: string } | undefined
  #memory: Ledger | undefined
  #ofProgram: Run | undefined

  constructor({
    id,
    isAsked = false,
    isCopied = false,
    isCounted = false,
    isNamed = id !== undefined,
    isRecovered = false,
    isRemembered,
    ledger,
    offered,
    turn,
    values
  }: Options) {
    this.values = values
    this.offered = offered
    this.ledger = ledger
    this.isRemembered = isRemembered
    this.turn = turn
    this.isRecovered = isRecovered
    this.isAsked = isAsked
    this.isCounted = isCounted
    this.#isCopied = isCopied
    this.#isNamed = isNamed
    this.#id = id
  }

  /** Remembers that its calls began in this process, where nothing else does. */
  begin(): void {
    if (this.turn !== undefined && !this.isRecovered && this.ledger?.isOwn === true) this.ledger.turns.add(this.turn)
  }

  /** Whether it is known which of its calls were begun. */
  get isKnown(): boolean {
    if (this.#isCopied) return false
    return this.ledger?.isOwn === false || (this.turn !== undefined && this.ledger?.turns.has(this.turn) === true)
  }

  /** Whether its calls are of a turn that is handled the first time. A call of a run that only has a name may come again. */
  get isNewTurn(): boolean {
    return this.turn !== undefined && !this.isRecovered
  }

  get id(): string {
    // Ids that sort by time stand side by side in a journal's index: a commit writes fewer pages.
    return (this.#id ??= `${Date.now().toString(36)}-${crypto.randomUUID()}`)
  }

  /** What is the same object for the run and all runs within it. */
  get identity(): { readonly id: string } {
    return (this.#identity ??= new Identity(this))
  }

  /** Of calls that change nothing, which no journal needs to know: after a crash they are made again. */
  get memory(): Ledger {
    return (this.#memory ??= new Ledger(undefined))
  }

  get results(): Results {
    return (this.#results ??= new Map())
  }

  /**
   * The same run with other values or names on offer; what it has run, it has
   * run for both. A turn remembers its calls apart from the others, and is the
   * same turn whenever it comes again.
   */
  within(
    values: Values | undefined,
    offered: ReadonlySet<string> | undefined,
    turn: string | undefined,
    since: Pick<Options, "isAsked" | "isCopied" | "isCounted" | "isRecovered">
  ): Run {
    const { id, isRemembered, ledger } = this
    const inner = new Run({ id, isNamed: this.#isNamed, values, offered, ledger, isRemembered, turn, ...since })
    inner.#results = this.results
    inner.#identity = this.identity
    if (ledger?.isInMemory === false) inner.#memory = this.memory
    return inner
  }

  /** Where calls of the program run, whose ids never come again: in memory, nothing needs to remember them. */
  get ofProgram(): Run {
    if (this.ledger?.isInMemory === false) return this
    if (this.#ofProgram === undefined) {
      const { id, offered, turn, values } = this
      const inner = new Run({
        id,
        isNamed: this.#isNamed,
        values,
        offered,
        ledger: undefined,
        isRemembered: false,
        turn
      })
      inner.#identity = this.identity
      this.#ofProgram = inner
    }
    return this.#ofProgram
  }

  /**
   * What names a call in the journal: its id, and the turn where there is one.
   * The length says where the turn ends, so no two names are the same.
   */
  nameOf(id: string): string {
    return nameOf(this.turn, id)
  }

  /** Names a request of this run. */
  requestId(call: string, digest: string): string {
    return Digest.ofValues(this.id, this.turn ?? null, call, digest).slice(0, 32)
  }

  /** Whether a request may be of this run. Of one without a name of its own, nothing tells. */
  hasRequest(requestId: string, call: string, digest: string): boolean {
    return !this.#isNamed || requestId === this.requestId(call, digest)
  }

  /** The run's own values over those of the caller. */
  over(outer: Values): Values {
    return this.values === undefined ? outer : { ...outer, ...this.values }
  }

  /** Lets an effect see the run, and its own values over those of the caller. */
  provide<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    // A run that lasts for one batch has no owner.
    const known = this.isRemembered ? Effect.provideService(effect, CurrentRun, new OfferedTo(this)) : effect
    return this.values === undefined
      ? known
      : Effect.flatMap(CallContext, (outer) => Effect.provideService(known, CallContext, this.over(outer)))
  }

  /** The same offer gives the same array, so that what is cached by identity stays cached. */
  definitions(offer: Offer): ReadonlyArray<ToolDefinition> {
    const { offered } = this
    if (offered === undefined) return allDefinitions(offer)
    this.#definitions ??= new WeakMap()
    let definitions = this.#definitions.get(offer)
    if (definitions === undefined) {
      definitions = allDefinitions(offer).filter(({ name }) => offered.has(name))
      this.#definitions.set(offer, definitions)
    }
    return definitions
  }
}

/** The same array for all runs. */
const allDefinitions = memoize(({ entries }: Offer): ReadonlyArray<ToolDefinition> =>
  Array.from(entries.values(), ({ definition }) => definition)
)

/** What runs with ids have run, where no journal keeps it: those that were used last, and so much of their calls. */
export class RunMemory {
  readonly #ledgers = new Map<string, Ledger>()
  #size = 0

  ledgerOf(id: string): Ledger {
    const ledger = this.#ledgers.get(id) ?? new Ledger(undefined)
    ledger.onGrowth ??= (characters) => {
      this.#size += characters
      this.#forget()
    }
    this.#ledgers.delete(id)
    this.#ledgers.set(id, ledger)
    this.#forget()
    return ledger
  }

  /** The run that was used last stays, however large. */
  #forget(): void {
    for (const [id, ledger] of this.#ledgers) {
      if (this.#ledgers.size <= mostRuns && (this.#size <= mostCharacters || this.#ledgers.size === 1)) return
      this.#ledgers.delete(id)
      this.#size -= ledger.size
      ledger.onGrowth = () => {}
    }
  }
}

const mostRuns = 10_000
const mostCharacters = 64 * 1024 * 1024

/** Its id is made when it is asked for, as the run's own is. */
class Identity {
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  get id(): string {
    return this.#run.id
  }
}

/** As `Identity`, with the turn. */
class OfferedTo extends Identity implements RunOfOffer {
  readonly turn: string | undefined

  constructor(run: Run) {
    super(run)
    this.turn = run.turn
  }
}
