/**
 * Guards look at what goes into a model, what comes out of it, and at results
 * before it reads them: for instructions that no user gave, for
 * personal data. They let it pass, report it, or block it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Duration } from "effect"
import type { Values } from "./CallContext.js"
import { spanOf, withFiber } from "./Fibers.js"
import { within } from "./internal/within.js"
import { isObject } from "./Json.js"
import { aDuration, aName, type Check, type Checks, fields, holds, list, oneOf, orThrow } from "./Options.js"
import type { ToolCall } from "./ToolCall.js"

/**
 * What a guard looks at: what a user says (`input`), what the model says
 * (`output`), and what a tool gave (`result`).
 *
 * @category models
 */
export type Place = "input" | "output" | "result"

/**
 * What a guard decides. The reason of a block is read: of a result by the model,
 * else by the program.
 *
 * @category models
 */
export type Decision =
  | { readonly _tag: "Pass" }
  | { readonly _tag: "Report"; readonly reason: string }
  | { readonly _tag: "Block"; readonly reason: string }

/**
 * What a guard may look at beside the text.
 *
 * @category models
 */
export interface About {
  readonly on: Place
  readonly context: Values
  /** The call whose result it is. */
  readonly call: ToolCall | undefined
}

/**
 * A guard. One that fails, throws, gives no decision or takes too long blocks.
 *
 * @category models
 */
export interface Guard {
  /** It stands in errors, logs and spans. */
  readonly name: string
  /** Everything unless given. */
  readonly on?: ReadonlyArray<Place> | undefined
  readonly check: (text: string, about: About) => Decision | Effect.Effect<Decision, unknown>
  /** `report` lets pass what it would block, and reports it: to try a guard out. `block` unless given. */
  readonly mode?: "block" | "report" | undefined
  /** How long it may take: 30 seconds unless given. */
  readonly timeout?: Duration.DurationInput | undefined
}

const places: ReadonlyArray<unknown> = ["input", "output", "result"]

/**
 * What is wrong with a guard of plain JavaScript, if anything is: one that looks at no place would guard nothing.
 *
 * @category checks
 */
export const aGuard: Check = fields(
  {
    name: aName,
    on: holds(
      'an array of "input", "output" and "result", at least one',
      (on) => Array.isArray(on) && on.length > 0 && on.every((place) => places.includes(place))
    ),
    check: holds("a function that decides", (check) => typeof check === "function"),
    mode: oneOf("block", "report"),
    timeout: aDuration
  } satisfies Checks<Guard>,
  ["name", "check"],
  // It may be of a class: nothing copies it.
  isObject
)

const guardList = list(aGuard)

/**
 * @category decisions
 */
export const pass: Decision = { _tag: "Pass" }

/**
 * Lets it pass, and tells the log and the trace.
 *
 * @category decisions
 */
export const report = (reason: string): Decision => ({ _tag: "Report", reason })

/**
 * Keeps it from where it goes.
 *
 * @category decisions
 */
export const block = (reason: string): Decision => ({ _tag: "Block", reason })

/**
 * Which guard blocked, and why.
 *
 * @category models
 */
export interface Blocked {
  readonly guard: string
  readonly reason: string
}

/**
 * Those that look at such a text.
 *
 * @category running
 */
export const guardsOn = (guards: ReadonlyArray<Guard> | undefined, place: Place): ReadonlyArray<Guard> =>
  guards?.filter(({ on }) => on === undefined || on.includes(place)) ?? []

/**
 * Asks guards in their order, until one blocks. What they report goes to the log,
 * and onto the span that is there.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Guard } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const noCards: Guard.Guard = {
 *   name: "cards",
 *   check: (text) => (/\b\d{16}\b/.test(text) ? Guard.block("it has the number of a card") : Guard.pass)
 * }
 * const about = { on: "input", context: {}, call: undefined } as const
 * const blocked = Effect.runSync(Guard.ask([noCards], "4111111111111111", about))
 * assert.deepStrictEqual(blocked, { guard: "cards", reason: "it has the number of a card" })
 * ```
 *
 * @category running
 */
export const ask = (guards: ReadonlyArray<Guard>, text: string, about: About): Effect.Effect<Blocked | undefined> =>
  Effect.gen(function* () {
    orThrow(guardList(guards, ["guards"]))
    for (const guard of guards) {
      const decision = yield* decide(guard, text, about)
      if (decision._tag === "Pass") continue
      const isBlocking = decision._tag === "Block" && guard.mode !== "report"
      yield* tell(guard.name, about, isBlocking ? "block" : "report", decision.reason)
      if (isBlocking) return { guard: guard.name, reason: decision.reason }
    }
    return undefined
  })

const decide = ({ check, name, timeout = "30 seconds" }: Guard, text: string, about: About): Effect.Effect<Decision> =>
  Effect.suspend(() => {
    const decision = check(text, about)
    return Effect.isEffect(decision) ? within(decision, timeout, () => "it took too long") : Effect.succeed(decision)
  }).pipe(
    Effect.flatMap((decision) => (isDecision(decision) ? Effect.succeed(decision) : Effect.fail("no decision"))),
    Effect.catchAllCause((cause) =>
      Effect.as(
        Effect.logError(
          `The guard ${name} failed, so it blocks${originOf(cause)}. What it threw may hold what it looked at`
        ),
        block("it could not be checked")
      )
    )
  )

/** Plain JavaScript can give anything. */
const isDecision = (value: unknown): value is Decision => {
  if (typeof value !== "object" || value === null || !("_tag" in value)) return false
  if (value._tag === "Pass") return true
  return (value._tag === "Block" || value._tag === "Report") && "reason" in value && typeof value.reason === "string"
}

const originOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? `: ${error.constructor.name}` : typeof error === "string" ? `: ${error}` : ""
}

const tell = (
  guard: string,
  { call, on }: About,
  decision: "block" | "report",
  reason: string
): Effect.Effect<void> => {
  const what = call === undefined ? `the ${on}` : `the result of ${call.name}`
  return Effect.zipRight(
    Effect.logWarning(`The guard ${guard} ${decision === "block" ? "blocks" : "reports"} ${what}: ${reason}`),
    withFiber<void>((fiber) => {
      const span = spanOf(fiber)
      if (span?._tag !== "Span") return Effect.void
      return Effect.map(
        Effect.clockWith(({ currentTimeNanos }) => currentTimeNanos),
        (now) =>
          span.event("wield.guard", now, {
            "wield.guard.name": guard,
            "wield.guard.on": on,
            "wield.guard.decision": decision
          })
      )
    })
  )
}
