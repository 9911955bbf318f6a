/**
 * What a Chat Completions message says besides its calls.
 */
import type { Turn } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { objectField, stringField } from "../../internal/wireField.js"

const reasoningFields = ["reasoning_content", "reasoning", "reasoning_details"] as const

/**
 * Reasoning, text and refusal, in this order; empty ones are left out. With
 * `format`, reasoning keeps how it stood in the message.
 */
export const textParts = (message: Fields, format?: string): Array<Turn.Part> => {
  const parts: Array<Turn.Part> = []
  const pushReasoning = (text: string, json: () => unknown): void => {
    // The message is parsed JSON.
    const native = format === undefined ? {} : { native: { format, json: [json() as Json.JsonObject] } }
    parts.push({ _tag: "Reasoning", text, ...native })
  }
  const reasoning = reasoningText(message)
  if (reasoning !== undefined) {
    pushReasoning(reasoning, () =>
      Object.fromEntries(
        reasoningFields.flatMap((key) => ((message[key] ?? null) === null ? [] : [[key, message[key]]]))
      )
    )
  }
  const { content } = message
  if (typeof content === "string") {
    if (content !== "") parts.push({ _tag: "Text", text: content })
  } else if (Array.isArray(content)) {
    for (const item of content) contentPart(item, parts, pushReasoning)
  } else {
    // OpenAI's audio models speak in place of the text.
    const transcript = stringField(objectField(message, "audio") ?? {}, "transcript")
    if (transcript !== undefined && transcript !== "") parts.push({ _tag: "Text", text: transcript })
  }
  const refusal = stringField(message, "refusal")
  if (refusal !== undefined && refusal !== "") parts.push({ _tag: "Refusal", text: refusal })
  return parts
}

/**
 * `undefined` where there is none. DeepSeek, Alibaba and xAI send `reasoning_content`; Groq, OpenRouter and
 * vLLM `reasoning`, some of them both with the same text. OpenRouter and
 * Snowflake send details, which may hold nothing but encrypted data: then the
 * text is empty.
 */
const reasoningText = (message: Fields): string | undefined => {
  for (const key of ["reasoning_content", "reasoning"]) {
    const text = stringField(message, key)
    if (text !== undefined && text !== "") return text
  }
  const details = message["reasoning_details"]
  // DeepSeek wants an empty one back, too.
  if (!Array.isArray(details) || details.length === 0) return stringField(message, "reasoning_content")
  return details
    .map((detail) =>
      Json.isObject(detail) ? (stringField(detail, "text") ?? stringField(detail, "summary") ?? "") : ""
    )
    .join("")
}

/** A part of a content list: OpenAI's, Mistral's `thinking`, or a plain string. */
const contentPart = (
  item: unknown,
  parts: Array<Turn.Part>,
  pushReasoning: (text: string, json: () => unknown) => void
): void => {
  if (typeof item === "string") parts.push({ _tag: "Text", text: item })
  if (!Json.isObject(item)) return
  const thinking = item["thinking"]
  if (thinking !== undefined) {
    const pieces = Array.isArray(thinking) ? thinking : [thinking]
    const text = pieces.map((piece) =>
      Json.isObject(piece) ? (stringField(piece, "text") ?? "") : typeof piece === "string" ? piece : ""
    )
    pushReasoning(text.join(""), () => item)
    return
  }
  const refusal = stringField(item, "refusal")
  const text = stringField(item, "text")
  if (refusal !== undefined) parts.push({ _tag: "Refusal", text: refusal })
  else if (text !== undefined && text !== "") parts.push({ _tag: "Text", text })
}
