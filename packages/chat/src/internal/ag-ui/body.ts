/** Reads what a client of AG-UI sends. */
import type { Json } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as JsonValue from "@wield/core/Json"
import * as Response from "@wield/core/Response"
import * as Effect from "effect/Effect"
import type { Asked } from "../../AgUi.js"
import type { Action, Answer, PageTool } from "../../Chat.js"
import { Refused } from "../../ChatError.js"
import { fileOf } from "../parts.js"

/** What a page sends, as `decode` reads it. */
export const readAsked = (body: unknown): Effect.Effect<Asked, Refused> => {
  if (!JsonValue.isObject(body)) return invalid("the body is no object")
  const { messages, resume, runId, threadId, tools = [] } = body
  if (typeof threadId !== "string" || typeof runId !== "string") return invalid("`threadId` and `runId` must be texts")
  if (messages !== undefined && !Array.isArray(messages)) return invalid("`messages` must be an array")
  const own = toolsOf(tools)
  if (own === undefined) return invalid("`tools` must be an array of { name, description, parameters }")
  const asked = (action: Action | undefined): Effect.Effect<Asked> =>
    Effect.succeed({ threadId, runId, action, tools: own })
  const resumed =
    resume === undefined ? [] : Array.isArray(resume) && resume.length > 0 ? resume.map(answerOf) : [undefined]
  if (resumed.includes(undefined)) {
    return invalid("`resume` must be an array of one or more { interruptId, status, payload }")
  }
  const given = resumed.filter((one) => one !== undefined)
  const all: ReadonlyArray<unknown> = messages ?? []
  const since = all.slice(
    all.findLastIndex((message) => JsonValue.isObject(message) && message["role"] === "assistant") + 1
  )
  const last = since.at(-1)
  if (given.length > 0 && !(JsonValue.isObject(last) && last["role"] === "user")) {
    return asked({ _tag: "Answers", answers: given, isWhole: true })
  }
  if (!JsonValue.isObject(last)) return asked(undefined)
  if (last["role"] === "tool") return asked({ _tag: "Answers", answers: since.flatMap(resultOf) })
  if (last["role"] !== "user") return invalid("the last message is neither the user's nor the result of a tool")
  const { id } = last
  if (typeof id !== "string" || id === "" || id.length > 255)
    return invalid("a message needs an id of 1 to 255 characters")
  const said: Array<{ readonly id: unknown; readonly content: ReadonlyArray<Content.Part> }> = []
  for (const message of since) {
    if (!JsonValue.isObject(message) || message["role"] !== "user") continue
    const content = partsOf(message["content"])
    if (content === undefined)
      return invalid("the content of a message is a text, or parts of text, images and documents")
    said.push({ id: message["id"], content })
  }
  const { content } = said.pop() ?? { content: [] }
  if (content.length === 0) return invalid("the message is empty")
  const answers = [...since.flatMap(resultOf), ...given]
  return asked({
    _tag: "Prompt",
    id,
    content,
    replaces: false,
    ...(said.length === 0 ? {} : { earlier: said }),
    ...(answers.length === 0 ? {} : { answers })
  })
}

const invalid = (detail: string): Effect.Effect<never, Refused> =>
  Effect.fail(new Refused({ code: "InvalidRequest", detail: `This is no RunAgentInput: ${detail}` }))

const toolsOf = (tools: unknown): ReadonlyArray<PageTool> | undefined => {
  if (!Array.isArray(tools) || tools.length > 200) return undefined
  const all = tools.map((tool: unknown): PageTool | undefined => {
    if (!JsonValue.isObject(tool) || typeof tool["name"] !== "string") return undefined
    const { description, name, parameters } = tool
    return {
      name,
      ...(typeof description === "string" ? { description } : {}),
      // A body is JSON.
      ...(JsonValue.isObject(parameters) ? { parameters: parameters as Json.JsonObject } : {})
    }
  })
  return all.includes(undefined) ? undefined : all.filter((tool) => tool !== undefined)
}

const answerOf = (entry: unknown): Answer | undefined => {
  if (!JsonValue.isObject(entry) || typeof entry["interruptId"] !== "string") return undefined
  const { interruptId: request, metadata: _, payload, status, ...others } = entry
  if (status === "cancelled") return { request, response: Response.deny("the user cancelled it") }
  // In the wrong place, an edit would be lost, and run what a person has changed. A body is JSON.
  return status === "resolved" && Object.keys(others).length === 0
    ? { request, response: { _tag: "Payload", value: (payload ?? null) as Json.Json } }
    : undefined
}

/** The result of a client tool: JSON where it looks like it, as pages write what their tools gave. */
const resultOf = (message: unknown): ReadonlyArray<Answer> => {
  if (!JsonValue.isObject(message) || message["role"] !== "tool" || typeof message["toolCallId"] !== "string") return []
  const { content, error, toolCallId: call } = message
  if (typeof error === "string" && error !== "") return [{ call, response: Response.failure(error) }]
  const value = typeof content === "string" && /^\s*[[{"]/.test(content) ? (parse(content) ?? content) : content
  return [{ call, response: Response.result(value ?? null) }]
}

const parse = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

const partsOf = (content: unknown): ReadonlyArray<Content.Part> | undefined => {
  if (typeof content === "string") return content === "" ? [] : [Content.text(content)]
  if (!Array.isArray(content)) return undefined
  const parts = content.map((part: unknown): Content.Part | undefined => {
    if (!JsonValue.isObject(part)) return undefined
    if (part["type"] === "text" && typeof part["text"] === "string") return Content.text(part["text"])
    const { source } = part
    if (!JsonValue.isObject(source) || typeof source["value"] !== "string") return undefined
    const type = typeof source["mimeType"] === "string" ? source["mimeType"] : part["type"] === "image" ? "image/*" : ""
    const url = source["type"] === "data" ? `data:${type};base64,${source["value"]}` : source["value"]
    return fileOf(type, url)
  })
  return parts.includes(undefined)
    ? undefined
    : parts.flatMap((part) => (part === undefined || (part._tag === "Text" && part.text === "") ? [] : [part]))
}
