/**
 * What a Chat Completions message says besides its calls.
 */
import type { Turn } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { objectField, stringField } from "../../internal/wireField.js"

/** Reasoning, text and refusal, in this order; empty ones are left out. */
export const textParts = (message: Fields): Array<Turn.Part> => {
  const parts: Array<Turn.Part> = []
  const reasoning = reasoningText(message)
  if (reasoning !== undefined) parts.push({ _tag: "Reasoning", text: reasoning })
  const { content } = message
  if (typeof content === "string") {
    if (content !== "") parts.push({ _tag: "Text", text: content })
  } else if (Array.isArray(content)) {
    for (const item of content) contentPart(item, parts)
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
 * DeepSeek, Alibaba and xAI send `reasoning_content`; Groq, OpenRouter and
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
  if (!Array.isArray(details) || details.length === 0) return undefined
  return details
    .map((detail) =>
      Json.isObject(detail) ? (stringField(detail, "text") ?? stringField(detail, "summary") ?? "") : ""
    )
    .join("")
}

/** A part of a content list: OpenAI's, Mistral's `thinking`, or a plain string. */
const contentPart = (item: unknown, parts: Array<Turn.Part>): void => {
  if (typeof item === "string") parts.push({ _tag: "Text", text: item })
  if (!Json.isObject(item)) return
  const thinking = item["thinking"]
  if (thinking !== undefined) {
    const pieces = Array.isArray(thinking) ? thinking : [thinking]
    const text = pieces.map((piece) =>
      Json.isObject(piece) ? (stringField(piece, "text") ?? "") : typeof piece === "string" ? piece : ""
    )
    parts.push({ _tag: "Reasoning", text: text.join("") })
    return
  }
  const refusal = stringField(item, "refusal")
  const text = stringField(item, "text")
  if (refusal !== undefined) parts.push({ _tag: "Refusal", text: refusal })
  else if (text !== undefined && text !== "") parts.push({ _tag: "Text", text })
}
