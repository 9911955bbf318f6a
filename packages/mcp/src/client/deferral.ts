/**
 * Questions of a server that no one answers while its call is under way: the
 * call waits, and another connection, in another process, goes on with it.
 */
import type { CurrentCall } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonSchema from "@wield/core/JsonSchema"
import { NeedsInput } from "@wield/core/NeedsInput"
import * as Effect from "effect/Effect"
import type { Inputs } from "./model.js"
import { ProtocolViolation } from "../McpError.js"

export const mostRounds = 8

/** What a server may ask in one call. A person answers no more. */
export const mostQuestions = 100

/** What a call needs to go on, beside the reply. */
export interface Kept {
  /** As the server sent it. */
  readonly requestState?: Json.Json | undefined
  /** What handlers have answered of the same round. */
  readonly answers?: Json.JsonObject | undefined
  /** The task that asks, where the server goes on with the call as one. */
  readonly task?: { readonly id: string; readonly answered: ReadonlyArray<string> } | undefined
}

/** Which questions wait for a reply. */
export type Defers = (method: string) => boolean

export const defersOf =
  ({ elicit, sample }: Inputs): Defers =>
  (method) =>
    method === "elicitation/create" ? elicit === "defer" : method === "sampling/createMessage" && sample === "defer"

/** The end of a round: the call waits for replies to these questions, by their keys. */
export const askOutside = (
  server: string,
  questions: Json.JsonObject,
  kept: Kept,
  input: CurrentCall.Call["input"]
): Effect.Effect<never, NeedsInput | ProtocolViolation> =>
  Effect.gen(function* () {
    if ((input?.round ?? 0) >= mostRounds) {
      return yield* new ProtocolViolation({ server, problem: `it asked for input in more than ${mostRounds} rounds` })
    }
    const accepts = acceptsOf(questions)
    // No one can fill such a form: the call would wait without end.
    yield* Effect.mapError(
      JsonSchema.compile(accepts),
      ({ message }) => new ProtocolViolation({ server, problem: `the schema of its form cannot be read: ${message}` })
    )
    return yield* new NeedsInput({ asks: questions, accepts, state: Json.from(kept) })
  })

const acceptsOf = (questions: Json.JsonObject): Json.JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(questions).map(([key, question]) => [key, acceptsOne(question)])),
  required: Object.keys(questions),
  additionalProperties: false
})

const acceptsOne = (question: Json.Json): Json.JsonSchema => {
  const { method, params } = Json.isObject(question) ? question : {}
  if (method === "sampling/createMessage") return message
  const form = Json.isObject(params) && params["mode"] !== "url" ? params["requestedSchema"] : undefined
  return {
    type: "object",
    properties: { action: { enum: ["accept", "decline", "cancel"] } },
    required: ["action"],
    ...(form === undefined
      ? {}
      : {
          if: { properties: { action: { const: "accept" } } },
          then: { properties: { content: form }, required: ["content"] }
        })
  }
}

/** What a model answers. */
const message: Json.JsonSchema = {
  type: "object",
  properties: {
    role: { enum: ["assistant", "user"] },
    content: { type: ["object", "array"] },
    model: { type: "string" },
    stopReason: { type: "string" }
  },
  required: ["role", "content", "model"]
}

/** What was kept, as it came back with the reply. */
export const stateOf = ({ state }: NonNullable<CurrentCall.Call["input"]>): Kept => {
  const { answers, requestState, task } = Json.isObject(state) ? state : {}
  const { answered, id } = Json.isObject(task) ? task : {}
  return {
    requestState,
    answers: Json.isObject(answers) ? Json.fromObject(answers) : {},
    ...(typeof id === "string" ? { task: { id, answered: Array.isArray(answered) ? answered.map(String) : [] } } : {})
  }
}

/** The answers of one round: those of handlers, and those of the reply. */
export const responsesOf = (input: NonNullable<CurrentCall.Call["input"]>): Json.JsonObject => ({
  ...stateOf(input).answers,
  ...(Json.isObject(input.reply) ? Json.fromObject(input.reply) : {})
})
