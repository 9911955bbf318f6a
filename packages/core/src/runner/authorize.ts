/**
 * Stage `authorize`: the approval policy on the decoded call. A call that a
 * client executes is deferred here too: approval and client execution are one
 * mechanism. A call that a person approved is asked about again, for the rule
 * may say no by now.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Approved, type Decision, InvalidDecision, type Rule } from "../Approval.js"
import { isObject } from "../Json.js"
import { Deferred, Denied, type Outcome } from "../Outcome.js"
import { digestOfWaiting, withoutSubject, withSubject } from "../internal/fingerprint.js"
import { within } from "../internal/within.js"
import { before } from "./begin.js"
import type { Execution, Step } from "./execution.js"
import { unlessHandedOut } from "./handOut.js"
import { hiddenValuesOf } from "./hiddenValues.js"
import { readResult } from "./resultStore.js"

export const authorize = (execution: Execution): Step =>
  execution.entry.handler === undefined
    ? unlessHandedOut(
        execution,
        () => askClient(execution),
        () => decideOn(execution)
      )
    : decideOn(execution)

const askClient = (execution: Execution): Step => before(execution, () => defer(execution, "client", undefined))

const decideOn = (execution: Execution): Step => {
  // Reading on in a result that the model was already given does not ask again.
  // Without a result bound, a tool of this name is the application's own.
  const isReadingOn = execution.name === readResult && execution.machine.results?.isReadable === true
  const rule = isReadingOn ? undefined : execution.machine.ruleFor(execution.name)
  if (rule === undefined) return allow(execution)
  const decision = decide(execution, rule)
  return Effect.isEffect(decision)
    ? Effect.flatMap(decision, (decided) => {
        const step = follow(execution, decided)
        return Effect.isEffect(step) ? step : Effect.succeed(step)
      })
    : follow(execution, decision)
}

/** What goes wrong in the rule is no mistake of the tool. */
export class RuleFailed extends Error {
  override readonly name = "RuleFailed"
}

/** A rule that never answers must not hold its call. */
export class RuleTookTooLong extends Error {
  override readonly name = "RuleTookTooLong"
}

const failed = (cause: unknown): RuleFailed => new RuleFailed("The approval rule failed", { cause })

const decide = (execution: Execution, rule: Rule): Decision | Effect.Effect<Decision> => {
  try {
    const decision = rule({
      name: execution.name,
      parameters: execution.parameters,
      facts: execution.entry.definition.facts,
      context: execution.values,
      call: execution.call,
      approved: approvedOf(execution)
    })
    return Effect.isEffect(decision)
      ? Effect.catchAllCause(inTime(decision, execution.machine.policy.approvalTimeout), (cause) =>
          Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : Effect.die(failed(Cause.squash(cause)))
        )
      : decision
  } catch (error) {
    throw failed(error)
  }
}

const inTime = (decision: Effect.Effect<Decision>, limit: Duration.DurationInput = "30 seconds") =>
  Effect.orDie(
    within(
      decision,
      limit,
      () =>
        new RuleTookTooLong(
          `it did not decide within ${Duration.format(limit)}. Let it ask a person, or give the policy a longer \`approvalTimeout\``
        )
    )
  )

const follow = (execution: Execution, decision: Decision): Step => {
  // A program without types can answer anything.
  if (isObject(decision) && "subject" in decision && !isSubject(decision.subject)) {
    throw failed(new InvalidDecision(decision, "those whose `subject` is a text"))
  }
  switch (decision?._tag) {
    case "Allow":
      return allow(execution, decision.subject)
    case "Deny":
      if (typeof decision.reason !== "string") throw failed(new InvalidDecision(decision, "Approval.deny(reason)"))
      return deny(execution, decision.reason)
    case "Ask":
      if (decision.why !== undefined && typeof decision.why !== "string") {
        throw failed(new InvalidDecision(decision, "Approval.ask(why), whose `why` is a text"))
      }
      // Of the calls that were answered, only those come here that a person approved.
      if (execution.answer === undefined) {
        return before(execution, () => defer(execution, "approval", decision.why, decision.subject))
      }
      // Only the answer says that it has been begun: that it was approved, nothing says.
      if (execution.asked?.isRecorded === false) return defer(execution, "approval", decision.why, decision.subject)
      return approvedOf(execution)?.isOf(decision.subject) === true
        ? allow(execution, decision.subject)
        : deny(execution, execution.asked?.isApproved === false ? notApproved : anotherSubject)
    default:
      throw failed(new InvalidDecision(decision))
  }
}

/** Promises and Maps are all the same where they are written as JSON: one would be approved with another. */
const isSubject = (subject: unknown): boolean => subject === undefined || typeof subject === "string"

export const deny = ({ call, hasAsked, notes }: Execution, reason: string): Outcome =>
  new Denied({ call, notes, reason, hasBegun: hasAsked })

const notApproved =
  "it needs approval by now, and no one has approved it. Make the call again if it is still wanted: it will be asked about"

const anotherSubject =
  "what was approved is no longer what the call would do. Make the call again if it is still wanted: it will be asked about as it is now"

/** `respond` has held the digest against the call, so that the subject in it is the one that was asked about. */
const approvedOf = ({ answer, asked }: Execution): Approved | undefined =>
  answer === undefined || asked?.isApproved === false
    ? undefined
    : { isOf: (subject) => answer.digest === withSubject(withoutSubject(answer.digest) ?? "", subject) }

const allow = (execution: Execution, subject?: string): Step => {
  execution.subject = subject
  if (execution.entry.handler === undefined) return askClient(execution)
  return execution.run.isAsked && execution.answer === undefined
    ? before(execution, () => defer(execution, "approval", wasAsked, subject))
    : undefined
}

const wasAsked = "it was asked about before, and the answer has not been carried out"

const defer = (
  execution: Execution,
  waitsFor: "approval" | "client",
  why: string | undefined,
  subject?: string
): Outcome => {
  const { arguments: visible, call, entry, notes } = execution
  const digest = withSubject(digestOfWaiting(entry, visible, hiddenValuesOf(execution), waitsFor), subject)
  const requestId = execution.run.requestId(call.id, digest)
  return new Deferred({
    call,
    notes,
    waitsFor,
    requestId,
    why,
    arguments: visible,
    digest,
    facts: entry.definition.facts
  })
}
