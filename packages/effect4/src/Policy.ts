/** What the application decides about running tools: approval, limits, bounds. */
import type * as Duration from "effect/Duration"
import type * as Schedule from "effect/Schedule"
import type * as Approval from "./Approval.js"
import type { Values } from "./CallContext.js"
import type { Guard } from "./Guard.js"
import type * as Ai from "./internal/effectAi.js"
import type { Journal } from "./Journal.js"
import type { Price, Prices } from "./Stop.js"

/**
 * The limits of one tool.
 *
 * @category models
 */
export interface Limits<in Parameters = never> {
  /** The longest a call may take, all attempts together; then it is interrupted and ends as `TimedOut`. */
  readonly timeout?: Duration.Input | undefined
  /**
   * When to run the handler again after a typed failure. As a default for all
   * tools it holds for idempotent and read-only ones only.
   */
  readonly retry?: Schedule.Schedule<unknown> | undefined
  /** How many calls of the tool run at the same time; the others wait. */
  readonly concurrency?: number | undefined
  /** How many calls may begin within a window of time; the others end as `Limited`. */
  readonly rate?: { readonly calls: number; readonly window: Duration.Input } | undefined
  /** Keeps successes, so that an equal call need not run. As a default it holds for read-only tools only. */
  readonly cache?:
    | {
        readonly timeToLive: Duration.Input
        /** 1,000 unless given. */
        readonly capacity?: number | undefined
        /** What makes two calls equal: all parameters and all of the call context unless given. */
        readonly key?: ((parameters: Parameters) => string) | undefined
      }
    | undefined
}

/**
 * How much may be used under one key, in this process.
 *
 * @category models
 */
export interface Quota {
  /** What it is for, such as `tenant`: models and programs read it, and not the key. */
  readonly name: string
  /**
   * Whose use is counted together, from the call context. Those without a key
   * (`undefined`) are counted together, too; those with `null` are not. The run's id is that of its conversation.
   */
  readonly by: (context: Values, about: { readonly run: string }) => string | null | undefined
  /** Of which `calls`, `tokens` and `cost` are counted: `"1 day"`. */
  readonly window: Duration.Input
  /** The tools whose calls count; all unless given. */
  readonly tools?: ReadonlyArray<string> | undefined
  /** How many calls may begin in a window; further ones end as `Limited`. */
  readonly calls?: number | undefined
  /** How many calls run at once; the others wait. */
  readonly concurrency?: number | undefined
  /** How many tokens models may read and write in a window: then runs of agents stop. */
  readonly tokens?: number | undefined
  /** The same in money: prices are those of a million tokens. */
  readonly cost?: { readonly limit: number; readonly prices: Prices; readonly other?: Price | undefined } | undefined
}

/**
 * What the application decides about running tools. Everything is optional. A
 * value that no call could keep to is an `InvalidPolicy` where the runner is made.
 *
 * `needsApproval` of a tool holds beside the rules: of two decisions the
 * stricter one counts.
 *
 * @category models
 */
export interface Policy<Tools = unknown> {
  /** One rule for all tools, or one by name, and under `"*"` one for all others. */
  readonly approval?: Approval.Rule | Approval.Rules<Tools> | undefined
  /** How long a rule may take to decide: 30 seconds unless given. Then the call is not run, and ends as `Defect`. */
  readonly approvalTimeout?: Duration.Input | undefined
  readonly limits?:
    | {
        readonly default?: Limits<unknown> | undefined
        readonly tools?: { readonly [Name in keyof Tools & string]?: Limits<Ai.Parameters<Tools[Name]>> } | undefined
        /** The limits of tools whose names only the run time knows. */
        readonly dynamic?: { readonly [name: string]: Limits<unknown> } | undefined
      }
    | undefined
  /**
   * Asked about each result before a model reads it, and by an agent about what
   * goes into its model and comes out of it. What a guard blocks ends a call as
   * `Withheld`, and a run as `GuardBlocked`.
   */
  readonly guards?: ReadonlyArray<Guard> | undefined
  /** How much one tenant, user or conversation may use. */
  readonly quotas?: ReadonlyArray<Quota> | undefined
  /** How many calls of one turn run at the same time. Unbounded unless given. */
  readonly concurrency?: number | undefined
  /** The record by which a call is run once, also after a restart. */
  readonly journal?: Journal | undefined
  /** Within one run, the nth identical call with an identical result gets a note that says so. 3 unless given. */
  readonly repeatGuard?: number | false | undefined
  /** Off unless given. Turning it on adds the tool `read_result`. */
  readonly resultBound?:
    | {
        /** In bytes of JSON text. */
        readonly maxBytes: number
        readonly headCharacters?: number | undefined
        /** One hour unless given. */
        readonly timeToLive?: Duration.Input | undefined
        readonly readOn?: boolean | undefined
        /** 100 unless given. */
        readonly capacity?: number | undefined
      }
    | undefined
  /** Arguments that no parameter has the name of: ignored unless given. */
  readonly unknownArguments?: "ignore" | "reject" | undefined
  readonly argumentBound?:
    | {
        /** In characters of JSON text. 16 Mi unless given. */
        readonly maxCharacters?: number | undefined
        /** 200 unless given. */
        readonly maxDepth?: number | undefined
      }
    | undefined
  /** What spans and log lines may say beyond the names of tool and call. Nothing unless given. */
  readonly observe?:
    | {
        readonly arguments?: boolean | undefined
        readonly results?: boolean | undefined
        /** What is said to the model of an agent, and by it. */
        readonly messages?: boolean | undefined
        /** Goes over each text of these before it is written. */
        readonly redact?: ((text: string) => string) | undefined
        readonly causes?: boolean | undefined
      }
    | undefined
}
