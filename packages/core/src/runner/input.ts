/**
 * Calls that ask for input. Each round of questions and reply is a call of its
 * own for the journal, so that two replies never go on with the same call.
 */
import * as Digest from "../Digest.js"
import { jsonOf, jsonText, type NotJson } from "../internal/json.js"
import { digestOfWaiting, withoutSubject, withSubject } from "../internal/fingerprint.js"
import type { JsonObject } from "../Json.js"
import type * as Journal from "../Journal.js"
import type { NeedsInput } from "../NeedsInput.js"
import type { Note } from "../Note.js"
import { Deferred, type Input, type Outcome } from "../Outcome.js"
import type { Execution } from "./execution.js"
import { hiddenValuesOf } from "./hiddenValues.js"
import type { Asked } from "./ledger.js"
import { notJson } from "./uncertain.js"

/** The handler's question as the outcome of its call. */
export const askForInput = (execution: Execution, { accepts, asks, state }: NeedsInput): Outcome => {
  const round = (execution.asked?.input.round ?? 0) + 1
  let problems: ReadonlyArray<NotJson> | undefined
  const json = jsonOf(
    { round, asks, accepts, ...(state === undefined ? {} : { state }) },
    (found) => (problems = found)
  )
  const text = problems === undefined ? jsonText(json) : undefined
  if (typeof text !== "string") return notJson(execution, problems ?? (text === undefined ? [] : [text]))
  // What the handler may still change is not what was asked.
  const input: Input = JSON.parse(text)
  return deferredOf(execution, input, withSubject(digestOf(execution, input), execution.subject))
}

/** The call as it waits for a reply to what was asked. */
export const waiting = (execution: Execution, asked: Asked): Outcome =>
  deferredOf(execution, asked.input, currentDigest(execution, asked))

/** The digest that a reply has to name: as it was asked, unless the tool is another one by now. */
export const currentDigest = (execution: Execution, { digest, edited, input }: Asked): string => {
  const now = digestOf(execution, input, edited)
  return withoutSubject(digest) === now ? digest : now
}

/** As a journal keeps it. */
export const recordOf = (execution: Execution, { digest }: Deferred, input: Input): Asked => {
  const { answer, asked, notes } = execution
  const edited = editOf(notes)
  return {
    input,
    digest,
    isApproved: asked?.isApproved ?? answer?.response._tag === "Approve",
    ...(asked === undefined || answer === undefined ? {} : { reply: Digest.ofValues(answer.response) }),
    ...(edited === undefined ? {} : { edited })
  }
}

/** What identifies the part of the call that a reply begins. */
export const keyOfReply = (execution: Execution, input: Input): Journal.Key => ({
  run: execution.sent.run,
  call: `reply:${execution.run.nameOf(execution.call.id)}`,
  digest: stepOf(execution, input)
})

/** The call and the round: another question, or the same once more, is another step. */
const stepOf = ({ digest }: Execution, { accepts, asks, round, state }: Input): string =>
  Digest.ofValues(digest, round, asks, accepts, state ?? null)

export const digestOf = (execution: Execution, input: Input, edited = editOf(execution.notes)): string =>
  digestOfWaiting(
    execution.entry,
    edited ?? argumentsOf(execution),
    hiddenValuesOf(execution),
    "input",
    stepOf(execution, input)
  )

const deferredOf = (execution: Execution, input: Input, digest: string): Outcome => {
  const { call, entry, notes } = execution
  const visible = editOf(notes) ?? argumentsOf(execution)
  return new Deferred({
    call,
    notes,
    waitsFor: "input",
    requestId: execution.run.requestId(call.id, digest),
    arguments: visible,
    digest,
    facts: entry.definition.facts,
    input
  })
}

/** A handler may have changed what it was given. */
const argumentsOf = (execution: Execution): unknown => JSON.parse(execution.argumentText)

/** The arguments that a person put in place of the model's. */
export const editOf = (notes: Execution["notes"]): JsonObject | undefined => notes.find(isEdited)?.arguments

export const isEdited = (note: Note): note is Extract<Note, { readonly _tag: "Edited" }> => note._tag === "Edited"

/** Where there is no journal, what was asked last is known while this process lives. */
export const recall = (execution: Execution): Asked | undefined => {
  const { asked, machine, run } = execution
  return machine.inputs.size === 0 || asked !== undefined || run.ledger?.isOwn === false
    ? undefined
    : machine.inputs.get(nameOfInput(execution))
}

export const remember = (execution: Execution, ending: Journal.Ending | undefined): void => {
  const {
    machine: { inputs },
    run
  } = execution
  if (run.ledger?.isOwn !== true || (inputs.size === 0 && ending?._tag !== "Asked")) return
  const text = nameOfInput(execution)
  if (ending !== undefined) inputs.delete(text)
  if (ending?._tag !== "Asked") return
  inputs.set(text, ending)
  const [oldest] = inputs.keys()
  if (inputs.size > mostInputs && oldest !== undefined) inputs.delete(oldest)
}

/** So many questions are kept where there is no journal. */
const mostInputs = 10_000

const nameOfInput = ({ call, digest, run }: Execution): string =>
  `${run.id.length}:${run.id}${digest}${run.nameOf(call.id)}`
