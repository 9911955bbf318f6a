/** Tokens of messages and definitions, from those of their texts. */
import type { Content, Json, Message, ToolDefinition, Turn } from "@wield/core"
import type { Counts } from "../Tokens.js"

/** Role and separators of one message: 4 of OpenAI's chat format. */
const perMessage = 4

/** What names a call, its tool and its arguments to the model. */
const perCall = 8

/** What frames one result. */
const perResult = 6

/** What frames one definition. */
const perDefinition = 10

/**
 * An image. Anthropic takes at most about 1,600 tokens (width times height by
 * 750, scaled down to 1,568 pixels), OpenAI's models 85 to 1,445 at high
 * detail, Gemini 258 a tile.
 */
export const perImage = 1600

/** Characters of base64 a token of a file: a page of PDF is some 100 kB and some 3,000 tokens, plain text four a token. */
const base64PerToken = 8

/** Characters of base64 a token of reasoning that a provider sends encrypted. */
const encryptedPerToken = 4

/**
 * What an API tells its model of calling tools as soon as one is offered. Read
 * off recorded requests: 530 to 850 for Claude, some 680 for Llama 4, next to
 * nothing for OpenAI's models.
 */
export const perTools = 850

export const countsOf = (text: (text: string) => number, whereTools: number): Counts => {
  // By identity: a message never changes, and a conversation is counted again before every step.
  const counted = new WeakMap<object, number>()
  const remembered = <A extends object>(value: A, count: (value: A) => number): number => {
    const known = counted.get(value)
    if (known !== undefined) return known
    const tokens = count(value)
    counted.set(value, tokens)
    return tokens
  }
  const json = (value: unknown): number => text(JSON.stringify(value) ?? "null")
  const content = (part: Content.Part): number => {
    switch (part._tag) {
      case "Text":
        return text(part.text)
      case "JsonValue":
        return typeof part.value === "string" ? text(part.value) : json(part.value)
      case "Image":
        return perImage
      case "File":
        return part.source._tag === "Url"
          ? perImage
          : Math.max(perImage, Math.ceil(part.source.data.length / base64PerToken))
    }
  }
  const part = (value: Turn.Part): number =>
    value._tag === "Call"
      ? perCall +
        text(value.call.name) +
        (typeof value.call.arguments === "string" ? text(value.call.arguments) : json(value.call.arguments))
      : text(value.text)
  const message = (value: Message.Message): number => {
    switch (value._tag) {
      case "System":
        return perMessage + text(value.text)
      case "User":
        return sum(value.content, content, perMessage)
      case "Assistant":
        return sum(value.parts, part, perMessage) + encryptedTokens(value)
      case "Results":
        return sum(value.results, (result) => sum(result.content, content, perResult + text(result.name)), perMessage)
    }
  }
  const definition = (value: ToolDefinition.ToolDefinition): number =>
    perDefinition + text(value.name) + text(value.description ?? "") + json(value.inputSchema)
  return {
    text,
    message: (value) => remembered(value, message),
    definitions: (values) => sum(values, (value) => remembered(value, definition), values.length === 0 ? 0 : whereTools)
  }
}

const sum = <A>(values: ReadonlyArray<A>, count: (value: A) => number, start: number): number => {
  let tokens = start
  for (const value of values) tokens += count(value)
  return tokens
}

/** Reasoning of which no text is shown goes back all the same, in the provider's own message. */
const encryptedTokens = (message: Message.Assistant): number => {
  const isHidden = message.parts.some((part) => part._tag === "Reasoning" && part.text === "")
  return isHidden && message.native !== undefined ? Math.ceil(longStrings(message.native.json) / encryptedPerToken) : 0
}

/** What is shorter than this is no encrypted reasoning. */
const shortestEncrypted = 64

/** The length of what is encrypted in a message: its long strings without a space. */
const longStrings = (value: Json.Json): number => {
  if (typeof value === "string") return value.length >= shortestEncrypted && !/\s/.test(value) ? value.length : 0
  if (typeof value !== "object" || value === null) return 0
  return sum(Object.values(value), longStrings, 0)
}
