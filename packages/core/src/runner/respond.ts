/**
 * Stage `respond`: a response held against the call that waits. It is one of
 * the five, answers this very call of this very tool, and is of the kind that
 * the call waits for; edited arguments take the place of the model's.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Digest from "../Digest.js"
import { canonical, isObject, type JsonObject, type JsonSchema } from "../Json.js"
import { copyJson } from "../internal/json.js"
import { digestOfWaiting, withoutSubject } from "../internal/fingerprint.js"
import { inspect } from "../internal/inspect.js"
import { type Issue, show, toText } from "../Issue.js"
import type { JournalError } from "../JournalError.js"
import { compile } from "../JsonSchema.js"
import type { Input, WaitsFor } from "../Outcome.js"
import type { Response } from "../Response.js"
import {
  IncompleteContext,
  InvalidEdit,
  InvalidReply,
  NotWaiting,
  type ResponseError,
  StaleResponse,
  WrongKindOfResponse
} from "../ResponseError.js"
import type { Answer, Execution } from "./execution.js"
import { hiddenValuesOf } from "./hiddenValues.js"
import { asksOf } from "./begin.js"
import { currentDigest, digestOf } from "./input.js"
import type { Asked } from "./ledger.js"
import { strip } from "./strip.js"

type Tag = Response["_tag"]

/** The responses that fit what a call waits for. */
const fitting: { readonly [Kind in WaitsFor]: ReadonlyArray<Tag> } = {
  approval: ["Approve", "Deny"],
  client: ["Result", "Failure", "Deny"],
  input: ["Reply", "Deny"]
}

export const respond = (execution: Execution, answer: Answer): Either.Either<void, ResponseError> => {
  const { response } = answer
  // The journal knows the call as the model sent it, whatever a person makes of it.
  execution.sent.read(execution.arguments)
  const waitsFor = waitsForOf(execution, answer)
  if (waitsFor === undefined) return Either.left(stale(execution, answer.digest))
  if (!fitting[waitsFor].includes(response._tag)) {
    return Either.left(wrongKind(execution, fitting[waitsFor], response._tag))
  }
  return response._tag === "Approve" && response.arguments !== undefined
    ? edit(execution, response.arguments)
    : Either.void
}

/** The same for a call that has asked for input: the response names the question that was asked last. */
export const respondToInput = (
  execution: Execution,
  answer: Answer
): Effect.Effect<void, ResponseError | JournalError> =>
  Effect.gen(function* () {
    const { response } = answer
    execution.sent.read(execution.arguments)
    const asked = askedFor(execution, answer, yield* asksOf(execution))
    if (asked === undefined) return yield* stale(execution, answer.digest)
    execution.asked = asked
    if (!fitting.input.includes(response._tag)) return yield* wrongKind(execution, fitting.input, response._tag)
    if (asked.edited !== undefined) replace(execution, asked.edited)
    if (response._tag === "Reply") yield* checkReply(execution, asked.input.accepts, response.value)
  })

const askedFor = (execution: Execution, answer: Answer, asks: ReadonlyArray<Asked>): Execution["asked"] => {
  // Without the hidden values, which a denial does not need, the digest is held against the one that was recorded.
  const isComplete = contextIssuesOf(execution).length === 0
  const digestNow = (asked: Asked) => (isComplete ? currentDigest(execution, asked) : asked.digest)
  const index = asks.findIndex((asked) => digestNow(asked) === answer.digest)
  const asked = asks[index]
  if (asked !== undefined) {
    const next = asks[index + 1]
    // The reply to an earlier question may be delivered again; another one comes too late.
    const isCurrent = next === undefined || next.reply === Digest.ofValues(answer.response)
    return isCurrent ? { ...asked, isRecorded: true } : undefined
  }
  const { digest, input } = answer
  // Without a record, only the request says what was asked; that a person changed the arguments, nothing says.
  if (asks.length > 0 || !isInput(input) || inspect(input, execution.machine.maxDepth) !== undefined) return undefined
  const shown = answer.arguments ?? execution.arguments
  if (!isObject(shown) || inspect(shown, execution.machine.maxDepth) !== undefined) return undefined
  if (canonical(shown) !== execution.sent.argumentText) return undefined
  return withoutSubject(digest) === digestOf(execution, input)
    ? { input, digest, isApproved: false, isRecorded: false }
    : undefined
}

const isInput = (value: unknown): value is Input =>
  isObject(value) && typeof value["round"] === "number" && value["asks"] !== undefined && isObject(value["accepts"])

const checkReply = (execution: Execution, accepts: JsonSchema, reply: unknown): Effect.Effect<void, InvalidReply> =>
  Effect.flatMap(Effect.orDie(compile(accepts, { formats: "assertion" })), (validator) => {
    const problem = typeof reply === "object" && reply !== null ? inspect(reply, execution.machine.maxDepth) : undefined
    const issues =
      problem !== undefined
        ? [problem]
        : Either.match(validator.validate(reply), { onLeft: (all) => all, onRight: () => [] })
    return issues.length === 0 ? Effect.void : new InvalidReply({ ...nameOf(execution), issues })
  })

/** What the call waits for, if the response is to this call as it is and to the tool as it is defined now. */
const waitsForOf = (execution: Execution, answer: Answer): "approval" | "client" | undefined => {
  const { digest } = answer
  const { entry } = execution
  const digestOf = (visible: unknown, waitsFor: "approval" | "client") =>
    digestOfWaiting(entry, visible, hiddenValuesOf(execution), waitsFor)
  const shown = answer.arguments === undefined ? execution.arguments : answer.arguments
  if (!isObject(shown) || inspect(shown, execution.machine.maxDepth) !== undefined) return undefined
  // The digest is of what was asked about: a person who was shown something else has not answered that.
  if (withoutSubject(digest) === digestOf(execution.arguments, "approval")) {
    return canonical(shown) === execution.sent.argumentText ? "approval" : undefined
  }
  // Without the hidden values the digest cannot be held against the call. A denial runs nothing.
  if (answer.response._tag === "Deny" && contextIssuesOf(execution).length > 0) return "approval"
  // No client is asked for what has a handler: such a digest was made up, to pass the approval rule by.
  if (entry.handler !== undefined) return undefined
  // A person who approved it may have changed the arguments that the client was given.
  if (digest !== digestOf(shown, "client")) return undefined
  replace(execution, shown)
  return "client"
}

/** The hidden fields that the call context does not have as the tool needs them. */
export const contextIssuesOf = ({ entry, values }: Execution): ReadonlyArray<Issue> =>
  entry.hidden?.issuesOf(values) ?? []

const edit = (execution: Execution, edited: unknown): Either.Either<void, InvalidEdit> => {
  if (!isObject(edited)) {
    return Either.left(invalidEdit(execution, [{ path: [], expected: "a JSON object", received: show(edited) }]))
  }
  const problem = inspect(edited, execution.machine.maxDepth)
  if (problem !== undefined) return Either.left(invalidEdit(execution, [problem]))
  replace(execution, edited)
  return Either.void
}

/**
 * What is wrong with the names in an edit: under another one, what a person has changed would be lost. A name that the
 * model has sent itself is no mistake of theirs.
 */
export const nameIssuesOf = (execution: Execution): Effect.Effect<ReadonlyArray<Issue>> => {
  const { answer, arguments: edited, entry, notes, sent } = execution
  const isEdit = answer?.response._tag === "Approve" && notes.some(({ _tag }) => _tag === "Edited")
  const issuesOf = (visible: unknown) =>
    Effect.match(entry.decodeStrict(visible), { onFailure: (issues) => issues(), onSuccess: () => [] })
  return Effect.flatMap(isEdit ? issuesOf(edited) : Effect.succeed([]), (issues) =>
    issues.length === 0
      ? Effect.succeed(issues)
      : Effect.map(issuesOf(JSON.parse(sent.argumentText)), (before) => (before.length === 0 ? issues : []))
  )
}

/** What a person left as it was is no edit. */
export const replace = (execution: Execution, edited: { readonly [name: string]: unknown }): void => {
  // The copy of an object is one.
  execution.arguments = copyJson(edited) as typeof edited
  strip(execution)
  if (canonical(execution.arguments) === execution.sent.argumentText) return
  // A handler may change what it is given. The copy of an object of JSON values is one.
  execution.notes.push({ _tag: "Edited", arguments: copyJson(execution.arguments) as JsonObject })
}

const nameOf = ({ call }: Execution) => ({ call: call.id, tool: call.name })

export const stale = (execution: Execution, digest: unknown): StaleResponse =>
  new StaleResponse({ ...nameOf(execution), digest: String(digest) })

const wrongKind = (execution: Execution, expected: ReadonlyArray<Tag>, received: string): WrongKindOfResponse =>
  new WrongKindOfResponse({ ...nameOf(execution), expected, received })

/** What a person or a client answered may come from outside of the program. */
export const checkedTag = (execution: Execution, response: unknown): WrongKindOfResponse | undefined => {
  const given = isObject(response) ? response : {}
  const { _tag: tag, reason, value } = given
  const other = Object.keys(given).find((name) => !approving.includes(name) && given[name] !== undefined)
  // Under another name, an edit would be lost, and run what a person has changed.
  if (tag === "Approve" && other !== undefined) {
    return wrongKind(execution, tags, `Approve with ${show(other)}; what is changed is its \`arguments\``)
  }
  const hasAll = tag === "Deny" ? typeof reason === "string" : tag !== "Reply" || value !== undefined
  if (hasAll && tags.some((known) => known === tag)) return undefined
  const received = hasAll
    ? show(isObject(response) ? tag : response)
    : tag === "Deny"
      ? "Deny without a reason"
      : "Reply without a value"
  return wrongKind(execution, tags, received)
}

const approving = ["_tag", "arguments"]

const tags: ReadonlyArray<Tag> = ["Approve", "Deny", "Result", "Failure", "Reply"]

export const incomplete = (execution: Execution, issues: ReadonlyArray<Issue>): IncompleteContext =>
  new IncompleteContext({ ...nameOf(execution), fields: issues.map(({ path }) => path.join(".")) })

export const notWaiting = (execution: Execution, issues: ReadonlyArray<Issue>): NotWaiting =>
  new NotWaiting({
    ...nameOf(execution),
    reason: `its arguments are invalid (${issues.slice(0, 3).map(toText).join("; ")}${issues.length > 3 ? "; …" : ""})`
  })

export const invalidEdit = (execution: Execution, issues: ReadonlyArray<Issue>): InvalidEdit =>
  new InvalidEdit({ ...nameOf(execution), issues })

/** The approval rule asks, and the answer alone does not say that a person has approved the call. */
export const needsApproval = (execution: Execution): NotWaiting =>
  new NotWaiting({
    ...nameOf(execution),
    reason:
      "the approval rule asks about it, and there is no record that it was approved. Give the runners of all processes one journal"
  })
