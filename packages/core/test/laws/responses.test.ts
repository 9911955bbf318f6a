/**
 * The law of deferred calls: what was approved runs once, what was denied never
 * runs, what is refused changes nothing; in whatever order responses come, also
 * when the program is started anew between them. `check` says what `resume`
 * would refuse.
 */
import { describe, expect, it } from "@effect/vitest"
import { Approval, Journal, Outcome, Response, ToolRunner } from "@wield/core"
import { Either, Effect, FastCheck } from "effect"
import { jobCall, jobs } from "../tools/Job.js"
import { expectOutcome } from "../tools/outcomes.js"
import { runs } from "../../../../test/sizes.js"

/** What comes over a wire, where no type vouches for it. */
const fromWire = (value: unknown) => value as never

const responses: { readonly [kind: string]: Response.Response } = {
  approve: Response.approve,
  edit: Response.approveWith({ value: "edited" }),
  misfit: Response.approveWith(fromWire("no object")),
  deny: Response.deny("no"),
  result: Response.result("forged"),
  failure: Response.failure("forged"),
  nonsense: fromWire({ _tag: "toString" })
}

const step = FastCheck.record({
  id: FastCheck.constantFrom("a", "b"),
  turn: FastCheck.constantFrom(undefined, "1"),
  kind: FastCheck.constantFrom(...Object.keys(responses)),
  /** The digest is of another call. */
  isStale: FastCheck.boolean(),
  rule: FastCheck.constantFrom<Approval.Decision>(Approval.allow, Approval.ask(), Approval.deny("rule")),
  isRestarted: FastCheck.boolean()
})

const journalOf = {
  "in the run's own memory": Effect.succeed(undefined),
  "in a journal that answers at once": Journal.memory,
  "in a journal that does not": Effect.map(Journal.memory, (journal) => ({ ...journal }))
}

describe("the law of responses", () => {
  for (const [where, made] of Object.entries(journalOf)) {
    it.scoped.prop(
      `holds ${where}`,
      { steps: FastCheck.array(step, { minLength: 1, maxLength: 14 }) },
      ({ steps }) =>
        Effect.gen(function* () {
          const ran: Array<string> = []
          const journal = yield* made
          let decision: Approval.Decision = Approval.ask()
          const toolset = yield* jobs(({ value }) => Effect.sync(() => ran.push(String(value))))
          const start = Effect.map(ToolRunner.make(toolset, { journal, approval: () => decision }), (runner) =>
            runner.forRun({ id: "r" })
          )
          let run = yield* start
          const ended = new Map<string, Outcome.Outcome>()
          const asked = new Map<string, Outcome.Deferred>()
          for (const { id, isRestarted, isStale, kind, rule, turn } of steps) {
            // A run that remembers by itself forgets with its process.
            if (isRestarted && journal !== undefined) run = yield* start
            const within = turn === undefined ? run : run.forRun({ turn })
            const place = `${turn} ${id}`
            decision = Approval.ask()
            // Made again, a call that is over is replayed; one that is not is asked about.
            const made = yield* within.run(jobCall(id, place))
            expect(made._tag).toBe(ended.get(place)?._tag ?? "Deferred")
            if (Outcome.isDeferred(made)) asked.set(place, made)
            const deferred = asked.get(place)
            if (deferred === undefined) throw new Error("nobody was asked")
            const other = expectOutcome(yield* within.run(jobCall(id, "other")), "Deferred")
            decision = rule
            const response = responses[kind] ?? Response.approve
            const waiting = isStale ? { ...deferred, digest: other.digest } : deferred
            const before = [...ran]

            const checked = yield* Effect.either(within.check(waiting, response))
            expect(ran).toEqual(before)
            const resumed = yield* Effect.either(within.resume(waiting, response))

            expect(Either.isLeft(checked)).toBe(Either.isLeft(resumed))
            if (Either.isLeft(resumed)) {
              expect(checked).toEqual(resumed)
              expect(ran).toEqual(before)
              continue
            }
            expect(isStale || !["approve", "edit", "deny"].includes(kind)).toBe(false)
            const first = ended.get(place)
            const outcome = resumed.right
            if (first !== undefined) {
              // It is over: whatever is answered, whatever the rule says, it is what it was.
              expect(outcome._tag).toBe(first._tag)
              expect(outcome.notes).toContainEqual({ _tag: "Replayed" })
              expect(ran).toEqual(before)
            } else if (kind === "deny") {
              expect(expectOutcome(outcome, "Denied").reason).toBe("no")
              expect(ran).toEqual(before)
              ended.set(place, outcome)
            } else if (rule._tag === "Deny") {
              expect(expectOutcome(outcome, "Denied").reason).toBe("rule")
              expect(ran).toEqual(before)
            } else {
              expectOutcome(outcome, "Success")
              expect(ran).toEqual([...before, kind === "edit" ? "edited" : place])
              ended.set(place, outcome)
            }
          }
        }),
      { fastCheck: { numRuns: runs(80) } }
    )
  }
})
