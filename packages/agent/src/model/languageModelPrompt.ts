/**
 * A conversation as a prompt of @effect/ai. Turns that came in through it go
 * back with the metadata of each part, which `Prompt.fromResponseParts` drops:
 * signatures and encrypted reasoning, without which thinking models refuse.
 */
import * as Prompt from "@effect/ai/Prompt"
import type { Content, Message, Turn } from "@wield/core"
import * as ToolResult from "@wield/core/ToolResult"
import type { NameMap } from "@wield/providers"
import * as ApiError from "@wield/providers/ApiError"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import { formatName } from "./languageModelFormat.js"

export const promptOf = (
  messages: ReadonlyArray<Message.Message>,
  names: NameMap.NameMap
): Either.Either<Prompt.Prompt, ApiError.RequestRejected> =>
  Either.gen(function* () {
    const system: Array<Prompt.Message> = []
    const others: Array<Prompt.Message> = []
    for (const message of messages) {
      switch (message._tag) {
        case "System":
          // At the front together: the Anthropic package sends the last group of them only.
          system.push(Prompt.makeMessage("system", { content: message.text }))
          break
        case "User":
          others.push(Prompt.makeMessage("user", { content: yield* Either.all(message.content.map(userPart)) }))
          break
        case "Assistant": {
          const content = nativeParts(message) ?? message.parts.flatMap((part) => saidAnew(part, names))
          if (content.length > 0) others.push(Prompt.makeMessage("assistant", { content }))
          break
        }
        case "Results":
          others.push(
            Prompt.makeMessage("tool", { content: message.results.map((result) => resultPart(result, names)) })
          )
      }
    }
    return Prompt.fromMessages([...system, ...others])
  })

const decodeAssistant = Schema.decodeUnknownEither(Prompt.AssistantMessage)

/** What of the turn's own message the package that made it takes back. */
const nativeParts = ({ native, parts }: Message.Assistant): ReadonlyArray<Prompt.AssistantMessagePart> | undefined =>
  native?.format === formatName
    ? Either.getOrUndefined(
        Either.map(decodeAssistant({ role: "assistant", content: native.json }), ({ content }) =>
          withIds(content, parts)
        )
      )
    : undefined

/** The ids that results name the calls by. */
const withIds = (
  content: ReadonlyArray<Prompt.AssistantMessagePart>,
  parts: ReadonlyArray<Turn.Part>
): ReadonlyArray<Prompt.AssistantMessagePart> => {
  const calls = parts.filter((part) => part._tag === "Call")
  return content.map((part) => {
    const at = part.type === "tool-call" ? calls.findIndex(({ nativeId }) => nativeId === part.id) : -1
    const [found] = at === -1 ? [] : calls.splice(at, 1)
    return part.type === "tool-call" && found !== undefined && found.call.id !== part.id
      ? Prompt.makePart("tool-call", { ...part, id: found.call.id })
      : part
  })
}

/** A part of another format's turn. Its reasoning and the provider's own calls mean nothing to this one. */
const saidAnew = (part: Turn.Part, names: NameMap.NameMap): ReadonlyArray<Prompt.AssistantMessagePart> => {
  switch (part._tag) {
    case "Text":
    case "Refusal":
      return part.text === "" ? [] : [Prompt.makePart("text", { text: part.text })]
    case "Reasoning":
      return []
    case "Call":
      return part.executedBy === "provider"
        ? []
        : [
            Prompt.makePart("tool-call", {
              id: part.call.id,
              name: names.toNative(part.call.name),
              params: argumentsOf(part.call.arguments),
              providerExecuted: false
            })
          ]
  }
}

/** Text that is no JSON object cannot be said: its result tells what was wrong. */
const argumentsOf = (value: unknown): unknown =>
  typeof value === "string" ? Either.getOrElse(parseArguments(value), () => ({})) : value

const parseArguments = Schema.decodeUnknownEither(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
)

const resultPart = (result: ToolResult.ToolResult, names: NameMap.NameMap): Prompt.ToolResultPart =>
  Prompt.makePart("tool-result", {
    id: result.id,
    name: names.toNative(result.name),
    isFailure: result.isError,
    result: ToolResult.toValue(result),
    providerExecuted: false
  })

const userPart = (part: Content.Part): Either.Either<Prompt.UserMessagePart, ApiError.RequestRejected> => {
  switch (part._tag) {
    case "Text":
      return Either.right(Prompt.makePart("text", { text: part.text }))
    case "JsonValue":
      return Either.right(Prompt.makePart("text", { text: JSON.stringify(part.value) ?? "null" }))
    case "Image":
      return Either.map(dataOf(part), (data) => Prompt.makePart("file", { mediaType: part.mediaType, data }))
    case "File":
      return Either.map(dataOf(part), (data) =>
        Prompt.makePart("file", { mediaType: part.mediaType, data, fileName: part.filename })
      )
  }
}

/** Bytes rather than base64, which the OpenAI package takes for the id of an uploaded file. */
const dataOf = ({
  mediaType,
  source
}: Content.Image | Content.File): Either.Either<Uint8Array | URL, ApiError.RequestRejected> =>
  source._tag === "Base64"
    ? Either.mapLeft(Encoding.decodeBase64(source.data), () => unreadable(mediaType, "its data is not base64"))
    : Either.try({ try: () => new URL(source.url), catch: () => unreadable(mediaType, "its URL is invalid") })

const unreadable = (mediaType: string, problem: string): ApiError.RequestRejected =>
  new ApiError.RequestRejected({ format: formatName, detail: `A file of type ${mediaType} cannot be sent: ${problem}` })
