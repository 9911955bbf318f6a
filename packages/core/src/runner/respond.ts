/**
 * Stage `respond`: a response held against the call that waits. It is one of
 * the four, answers this very call of this very tool, and is of the kind that
 * the call waits for; edited arguments take the place of the model's.
 */
import * as Either from "effect/Either"
import { canonical } from "../Json.js"
import { copyJson } from "../internal/copyJson.js"
import { digestOfWaiting, withoutSubject } from "../internal/fingerprint.js"
import { inspect } from "../internal/inspect.js"
import { type Issue, show, toText } from "../Issue.js"
import { isObject, type JsonObject } from "../Json.js"
import type { Response } from "../Response.js"
import { InvalidEdit, NotWaiting, type ResponseError, StaleResponse, WrongKindOfResponse } from "../ResponseError.js"
import type { Answer, Execution } from "./execution.js"
import { hiddenValuesOf } from "./hiddenValues.js"
import { strip } from "./strip.js"

type Tag = Response["_tag"]

/** The responses that fit what a call waits for. */
const fitting: { readonly [WaitsFor in "approval" | "client"]: ReadonlyArray<Tag> } = {
  approval: ["Approve", "Deny"],
  client: ["Result", "Failure", "Deny"]
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
  // Without the hidden values the digest cannot be held against the call. A denial runs nothing, and an approved call
  // ends as MissingContext before it runs.
  const cannotRun = entry.hidden?.isComplete(execution.values) === false
  if (cannotRun && (answer.response._tag === "Deny" || entry.handler !== undefined)) return "approval"
  // No client is asked for what has a handler: such a digest was made up, to pass the approval rule by.
  if (entry.handler !== undefined) return undefined
  // A person who approved it may have changed the arguments that the client was given.
  if (digest !== digestOf(shown, "client")) return undefined
  replace(execution, shown)
  return "client"
}

const edit = (execution: Execution, edited: unknown): Either.Either<void, InvalidEdit> => {
  if (!isObject(edited)) {
    return Either.left(invalidEdit(execution, [{ path: [], expected: "a JSON object", received: show(edited) }]))
  }
  const problem = inspect(edited, execution.machine.maxDepth)
  if (problem !== undefined) return Either.left(invalidEdit(execution, [problem]))
  replace(execution, edited)
  return Either.void
}

/** What a person left as it was is no edit. */
const replace = (execution: Execution, edited: { readonly [name: string]: unknown }): void => {
  execution.arguments = copyJson(edited) as typeof edited
  strip(execution)
  if (canonical(execution.arguments) === execution.sent.argumentText) return
  // A handler may change what it is given. The copy of an object of JSON values is one.
  execution.notes.push({ _tag: "Edited", arguments: copyJson(execution.arguments) as JsonObject })
}

const nameOf = ({ call }: Execution) => ({ call: call.id, tool: call.name })

const stale = (execution: Execution, digest: unknown): StaleResponse =>
  new StaleResponse({ ...nameOf(execution), digest: String(digest) })

const wrongKind = (execution: Execution, expected: ReadonlyArray<Tag>, received: string): WrongKindOfResponse =>
  new WrongKindOfResponse({ ...nameOf(execution), expected, received })

/** What a person or a client answered may come from outside of the program. */
export const checkedTag = (execution: Execution, response: unknown): WrongKindOfResponse | undefined => {
  const tag = isObject(response) ? response["_tag"] : undefined
  const isResponse =
    tag === "Approve" || tag === "Result" || tag === "Failure" || (tag === "Deny" && hasReason(response))
  return isResponse
    ? undefined
    : wrongKind(
        execution,
        ["Approve", "Deny", "Result", "Failure"],
        tag === "Deny" ? "Deny without a reason" : show(tag)
      )
}

const hasReason = (response: unknown): boolean => isObject(response) && typeof response["reason"] === "string"

export const notWaiting = (execution: Execution, issues: ReadonlyArray<Issue>): NotWaiting =>
  new NotWaiting({
    ...nameOf(execution),
    reason: `its arguments are invalid (${issues.slice(0, 3).map(toText).join("; ")}${issues.length > 3 ? "; …" : ""})`
  })

export const invalidEdit = (execution: Execution, issues: ReadonlyArray<Issue>): InvalidEdit =>
  new InvalidEdit({ ...nameOf(execution), issues })
