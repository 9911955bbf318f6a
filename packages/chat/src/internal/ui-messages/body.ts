/** Reads what a page of the AI SDK sends. */
import * as Content from "@wield/core/Content"
import * as JsonValue from "@wield/core/Json"
import * as Response from "@wield/core/Response"
import * as Effect from "effect/Effect"
import type { Answer } from "../../Chat.js"
import { Refused } from "../../ChatError.js"
import type { Asked } from "../../UiMessages.js"
import { fileOf } from "../parts.js"

/** What a page sends, as `decode` reads it. */
export const readAsked = (body: unknown): Effect.Effect<Asked, Refused> => {
  if (!JsonValue.isObject(body)) return invalid("the body is no object")
  const { answers, id, message, messages } = body
  if (typeof id !== "string") return invalid("`id` must be the text that names the chat")
  if (messages !== undefined && !Array.isArray(messages)) return invalid("`messages` must be an array")
  const last: unknown = message ?? messages?.at(-1)
  return Effect.flatMap(answers === undefined ? Effect.succeed([]) : decodeAnswers(answers), (given) => {
    const isOfUser = JsonValue.isObject(last) && last["role"] === "user"
    if (given.length === 0 || isOfUser) return readMessage(id, body, last, given)
    const requests = new Set(given.flatMap((one) => ("request" in one ? [one.request] : [])))
    const isGiven = (answer: Answer) => "request" in answer && requests.has(answer.request)
    // With what the page has noted in its message and not sent yet: one of two that wait was denied, say.
    const others = answersOfMessage(last).filter((answer) => !isGiven(answer))
    return Effect.succeed({ id, action: { _tag: "Answers", answers: [...given, ...others] } })
  })
}

const readMessage = (
  id: string,
  { messageId, messages, trigger }: { readonly [field: string]: unknown },
  last: unknown,
  given: ReadonlyArray<Answer>
): Effect.Effect<Asked, Refused> => {
  if (trigger === "regenerate-message") {
    if (given.length > 0)
      return invalid("what is answered goes with the message that is answered again: send one of both")
    const to =
      JsonValue.isObject(last) && last["role"] === "user" && typeof last["id"] === "string" ? last["id"] : undefined
    return Effect.succeed({ id, action: { _tag: "Again", to } })
  }
  if (!JsonValue.isObject(last)) return invalid("there is no message")
  const { parts, role } = last
  if (!Array.isArray(parts)) return invalid("`parts` of the last message must be an array")
  if (role === "assistant") {
    return Effect.succeed({ id, action: { _tag: "Answers", answers: answersOfMessage(last) } })
  }
  if (role !== "user") return invalid("the last message is neither the user's nor the assistant's")
  const own = last["id"]
  if (own !== undefined && (typeof own !== "string" || own === "" || own.length > 255)) {
    return invalid("the id of a message is a text of 1 to 255 characters")
  }
  const content: Array<Content.Part> = []
  for (const part of parts) {
    if (!JsonValue.isObject(part)) return invalid("a part of a message must be an object")
    if (part["type"] === "text" && typeof part["text"] === "string") {
      // Most APIs take no empty text.
      if (part["text"] !== "") content.push(Content.text(part["text"]))
    } else if (part["type"] === "file") {
      const { filename, mediaType, url } = part
      const file =
        typeof url === "string" && typeof mediaType === "string"
          ? fileOf(mediaType, url, typeof filename === "string" ? filename : undefined)
          : undefined
      if (file === undefined) return invalid("a file needs a `mediaType`, and a data URL or one of https in `url`")
      content.push(file)
    }
  }
  if (content.length === 0) return invalid("the message is empty")
  // What the page's own tools gave since. An approval that it has not sent counts no more: the user wrote this instead.
  const before: unknown = Array.isArray(messages)
    ? messages.findLast((one) => JsonValue.isObject(one) && one["role"] === "assistant")
    : undefined
  const answers = [...answersOfMessage(before).filter((answer) => "call" in answer), ...given]
  return Effect.succeed({
    id,
    action: {
      _tag: "Prompt",
      id: own,
      content,
      replaces: own !== undefined && own === messageId,
      ...(answers.length === 0 ? {} : { answers })
    }
  })
}

const invalid = (detail: string): Effect.Effect<never, Refused> =>
  Effect.fail(new Refused({ code: "InvalidRequest", detail: `This is no request of a chat page: ${detail}` }))

const decodeAnswers = (answers: unknown): Effect.Effect<ReadonlyArray<Answer>, Refused> => {
  if (!Array.isArray(answers) || answers.length === 0) return invalid("`answers` must be an array of { id, reply }")
  const read = answers.map((one: unknown): Answer | undefined => {
    const { id, reply, ...others } = JsonValue.isObject(one) ? one : {}
    // In the wrong place, an edit would be lost, and run what a person has changed.
    if (typeof id !== "string" || Object.keys(others).length > 0) return undefined
    const response = responseOf(reply)
    return response === undefined ? undefined : { request: id, response }
  })
  return read.includes(undefined)
    ? invalid(
        '`answers` must be an array of { id, reply }, where a reply is "approve", { approve: arguments }, { deny: reason }, { input: value }, { result: value } or { failure: value }'
      )
    : Effect.succeed(read.filter((one) => one !== undefined))
}

/** A reply as JSON of a page. */
const responseOf = (reply: unknown): Answer["response"] | undefined => {
  if (reply === "approve") return Response.approve
  // Of two, one would be lost.
  if (!JsonValue.isObject(reply) || Object.keys(reply).length !== 1) return undefined
  const { approve, deny, failure, input, result } = reply
  if (typeof deny === "string") return Response.deny(deny)
  if (JsonValue.isObject(approve)) return Response.approveWith(JsonValue.fromObject(approve))
  if (input !== undefined) return Response.reply(JsonValue.attempt(input))
  if (result !== undefined) return Response.result(result)
  return failure === undefined ? undefined : Response.failure(failure)
}

const answersOfMessage = (message: unknown): ReadonlyArray<Answer> =>
  JsonValue.isObject(message) && message["role"] === "assistant" && Array.isArray(message["parts"])
    ? message["parts"].flatMap(answersOf)
    : []

/** What a part of the assistant's message answers. Outputs of the server's own tools are among them, and answer nothing. */
const answersOf = (part: unknown): ReadonlyArray<Answer> => {
  if (!JsonValue.isObject(part)) return []
  const { approval, errorText, output, state, toolCallId, type } = part
  if (typeof type !== "string" || !(type.startsWith("tool-") || type === "dynamic-tool")) return []
  if (state === "approval-responded" && JsonValue.isObject(approval) && typeof approval["id"] === "string") {
    const { approved, id, reason } = approval
    // Only a clear yes is one.
    const response =
      approved === true
        ? Response.approve
        : Response.deny(typeof reason === "string" && reason !== "" ? reason : "the user said no")
    return [{ request: id, response }]
  }
  if (typeof toolCallId !== "string") return []
  if (state === "output-available") return [{ call: toolCallId, response: Response.result(output ?? null) }]
  if (state === "output-error" && typeof errorText === "string") {
    return [{ call: toolCallId, response: Response.failure(errorText) }]
  }
  return []
}
