/**
 * What the application decides about running tools: approval, limits, bounds.
 * Facts are stated on the tool; policy is given where the runner is made, so
 * that it can be tightened without touching a tool.
 */
import type * as Tool from "@effect/ai/Tool"
import type { Duration, Schedule } from "effect"
import type * as Approval from "./Approval.js"
import type * as Guard from "./Guard.js"
import type * as Quota from "./Quota.js"
import type * as Journal from "./Journal.js"
import { limitsOf as limitsOfEntry, ruleFor } from "./runner/machine.js"
import type { Entry } from "./Toolset.js"

/**
 * The limits of one tool.
 *
 * @category models
 */
export interface Limits<Parameters = unknown> {
  /**
   * The longest a call may take, all attempts together; then it is interrupted
   * and ends as `TimedOut`. Waiting for a permit of `concurrency` does not
   * count. No limit unless given.
   */
  readonly timeout?: Duration.DurationInput | undefined
  /**
   * When to run the handler again after a typed failure. As a default for all
   * tools it holds for idempotent and read-only ones only; given for one tool
   * it holds as given.
   */
  readonly retry?: Schedule.Schedule<unknown, unknown> | undefined
  /** How many calls of the tool run at the same time, at least one; the others wait. */
  readonly concurrency?: number | undefined
  /** How many calls, at least one, may begin within a window of time; the others end as `Limited`. */
  readonly rate?: { readonly calls: number; readonly window: Duration.DurationInput } | undefined
  /**
   * Keeps successes, so that an equal call need not run. As a default for all
   * tools it holds for read-only ones only; given for one tool it holds as given.
   */
  readonly cache?: Cache<Parameters> | undefined
}

/**
 * How long and by which key a success is kept.
 *
 * @category models
 */
export interface Cache<Parameters = unknown> {
  readonly timeToLive: Duration.DurationInput
  /** At most so many successes; the oldest go first. 1,000 unless given. */
  readonly capacity?: number | undefined
  /**
   * What makes two calls equal. Unless given: all parameters and all of the call
   * context, so that no user gets another's result. What a handler takes from
   * services that each request provides is not in it: a tool that has such
   * requirements needs a key, or no cache.
   */
  readonly key?: ((parameters: Parameters) => string) | undefined
}

/**
 * How large a result may be before the model is given its head and a handle.
 *
 * @category models
 */
export interface ResultBound {
  /** In bytes of JSON text (UTF-8). */
  readonly maxBytes: number
  /** How much of a larger result the model is shown at once, in characters. Half of `maxBytes` unless given. */
  readonly headCharacters?: number | undefined
  /** How long the whole result can be read on. One hour unless given. */
  readonly timeToLive?: Duration.DurationInput | undefined
  /**
   * Whether the model gets a tool, `read_result`, to read on with. It does unless this is `false`; then it reads that
   * the rest is not shown.
   */
  readonly readOn?: boolean | undefined
  /** How many whole results are kept; the oldest go first. 100 unless given. */
  readonly capacity?: number | undefined
}

/**
 * What the application decides about running tools. Everything is optional:
 * without a policy every call may run, for as long as it takes, with a result
 * of any size. A value that no call could keep to (a timeout of nothing, a
 * concurrency of 0) is an `InvalidPolicy` where the runner is made.
 *
 * @example
 * ```ts
 * import { Approval, type Policy } from "@wield/core"
 * import { Schedule } from "effect"
 *
 * const policy: Policy.Policy = {
 *   approval: ({ facts }) => (facts.isReadOnly ? Approval.allow : Approval.ask("it changes something")),
 *   limits: { default: { timeout: "30 seconds", retry: Schedule.recurs(2), cache: { timeToLive: "1 minute" } } },
 *   resultBound: { maxBytes: 50_000 }
 * }
 * ```
 *
 * @category models
 */
export interface Policy<Tools = unknown> {
  /**
   * One rule for all tools, or one by name, and under `"*"` one for all others.
   * Everything is allowed unless given. A name that no tool has is an
   * `InvalidPolicy`; where tools come and go, it is logged as an error.
   */
  readonly approval?:
    | Approval.Rule
    | { readonly [Name in Approval.RuleName<Tools>]?: Approval.RuleOf<Tools, Name> }
    | undefined
  /** How long a rule may take to decide: 30 seconds unless given. Then the call is not run, and ends as `Defect`. */
  readonly approvalTimeout?: Duration.DurationInput | undefined
  readonly limits?:
    | {
        readonly default?: Limits | undefined
        readonly tools?: { readonly [Name in keyof Tools & string]?: Limits<Tool.Parameters<Tools[Name]>> } | undefined
        /** The limits of tools whose names only the run time knows. */
        readonly dynamic?: { readonly [name: string]: Limits } | undefined
      }
    | undefined
  /**
   * How many calls of one batch run at the same time. Unbounded unless given; 64
   * calls begin in each turn of the event loop, the next ones after timers and
   * sockets.
   */
  readonly concurrency?: number | undefined
  /** The record by which a call is run once, also after a restart. */
  readonly journal?: Journal.Service | undefined
  /**
   * Within one run (`Runner.forRun`), the nth identical call with an identical
   * result gets a note that says so. 3 unless given; `false` turns it off.
   */
  readonly repeatGuard?: number | false | undefined
  /** How much one tenant, user or conversation may use, of calls, tokens or money. */
  readonly quotas?: ReadonlyArray<Quota.Quota> | undefined
  /**
   * Who looks at results before the model reads them and, of an agent, at what
   * goes into its model and comes out of it. What a guard blocks ends a call as
   * `Withheld`, and a run with `GuardBlocked`.
   */
  readonly guards?: ReadonlyArray<Guard.Guard> | undefined
  /** Off unless given. Turning it on adds the tool `read_result` to the definitions. */
  readonly resultBound?: ResultBound | undefined
  /** Arguments that no parameter has the name of: ignored unless given. */
  readonly unknownArguments?: "ignore" | "reject" | undefined
  readonly argumentBound?:
    | {
        /** In characters of JSON text. 16 Mi unless given. */
        readonly maxCharacters?: number | undefined
        /** How deep arrays and objects may nest. 200 unless given. */
        readonly maxDepth?: number | undefined
      }
    | undefined
  /**
   * What spans may say beyond names and numbers. Nothing unless given. Values of
   * hidden fields, and what stands under names of secrets, never enter them.
   */
  readonly observe?:
    | {
        readonly arguments?: boolean | undefined
        readonly results?: boolean | undefined
        /** Of an agent: instructions, messages and answers, in the spans of its model. */
        readonly messages?: boolean | undefined
        /** Changes each text that enters a span by the options above. Where it throws, nothing of the value enters. */
        readonly redact?: ((text: string) => string) | undefined
        /**
         * Adds the cause of an internal failure to the log line that names its
         * reference; of a result that does not fit, where and what it was.
         */
        readonly causes?: boolean | undefined
      }
    | undefined
}

/**
 * The limits that hold for a tool: its own, and of those for all tools what its facts allow.
 *
 * @category getters
 */
export const limitsOf = ({ limits }: Policy, entry: Entry): Limits | undefined => limitsOfEntry(limits, entry)

/**
 * Whether a rule decides on the calls of the tool of this name.
 *
 * @category getters
 */
export const hasRule = ({ approval }: Policy, name: string): boolean => ruleFor(approval)(name) !== undefined
