/** Gemini's API: the contents of a request body in Wield's words. */
import type { Loss, Message, ToolResult, Turn } from "@wield/core"
import { Content, Json } from "@wield/core"
import * as Either from "effect/Either"
import { nameMap } from "../internal/nameMap.js"
import { PartList } from "../internal/partList.js"
import type { Fields } from "../internal/wireField.js"
import { stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import type { Path } from "./contentPart.js"
import { decodeContentPart, decodeMedia, unsaid, unsaidFields } from "./contentPart.js"
import { either, listOf, PartDecoder } from "./decodePart.js"
import { formatName, nameRule } from "./names.js"

/** Names in a request's history are those of its tools already. */
const asSent = nameMap([], nameRule)

export const decodeContents = (
  contents: ReadonlyArray<unknown>,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Message.Message>, WireError> => {
  const out: Array<Message.Message> = []
  // One for the whole conversation, so that the ids it makes are unique in it.
  const decoder = new PartDecoder(asSent, undefined)
  const waiting: Array<Turn.CallPart> = []
  for (let index = 0; index < contents.length; index++) {
    const content = contents[index]
    const parts = Json.isObject(content) ? listOf(content["parts"]) : undefined
    if (!Json.isObject(content) || parts === undefined) {
      return Either.left(wireError(formatName, ["contents", index], "a content with parts", content))
    }
    // A request's body is JSON.
    const native: Message.Native = { format: formatName, json: [content as Json.JsonObject] }
    const subject = `content ${index}`
    if (content["role"] === "model") {
      const said = decodeModel(parts, decoder, ["contents", index, "parts"], subject, losses)
      if (Either.isLeft(said)) return Either.left(said.left)
      for (const part of said.right) {
        if (part._tag === "Call" && part.executedBy === "application") waiting.push(part)
      }
      out.push({ _tag: "Assistant", parts: said.right, native })
    } else pushUser(out, parts, native, waiting, subject, losses)
  }
  return Either.right(out)
}

const decodeModel = (
  parts: ReadonlyArray<unknown>,
  decoder: PartDecoder,
  path: Path,
  subject: string,
  losses: Array<Loss.Loss>
): Either.Either<ReadonlyArray<Turn.Part>, WireError> => {
  const list = new PartList()
  for (let index = 0; index < parts.length; index++) {
    const part: unknown = parts[index]
    const decoded = decoder.add(part, [...path, index])
    if (Either.isLeft(decoded)) return Either.left(decoded.left)
    const place = ["parts", index]
    if (!Json.isObject(part)) continue
    if (decoded.right !== undefined) {
      list.add(decoded.right)
      losses.push(...unsaidFields(part, subject, place))
      continue
    }
    // A request's body is JSON.
    list.addWordless(part as Json.JsonObject)
    // An empty text carries a signature, which only the provider reads.
    if (part["text"] !== "") losses.push(unsaid(subject, place, Object.keys(part)[0] ?? "part"))
  }
  return Either.right(list.parts)
}

const pushUser = (
  out: Array<Message.Message>,
  parts: ReadonlyArray<unknown>,
  native: Message.Native,
  waiting: Array<Turn.CallPart>,
  subject: string,
  losses: Array<Loss.Loss>
): void => {
  const results: Array<ToolResult.ToolResult> = []
  const content: Array<Content.Part> = []
  parts.forEach((part: unknown, index) => {
    const path: Path = ["parts", index]
    const response = Json.isObject(part) ? either(part, "functionResponse", "function_response") : undefined
    if (Json.isObject(response)) results.push(decodeResponse(response, waiting, subject, path, losses))
    else content.push(...decodeContentPart(part, subject, path, losses))
  })
  if (results.length === 0) {
    out.push({ _tag: "User", content, native })
    return
  }
  const last = out.at(-1)
  if (last?._tag === "Results" && last.native !== undefined) {
    // Some clients send a content for every response.
    const json = [...last.native.json, ...native.json]
    out[out.length - 1] = { ...last, results: [...last.results, ...results], native: { ...native, json } }
  } else out.push({ _tag: "Results", results, native })
  if (results.length < parts.length) out.push({ _tag: "User", content, native: { ...native, json: [] } })
}

const decodeResponse = (
  response: Fields,
  waiting: Array<Turn.CallPart>,
  subject: string,
  path: Path,
  losses: Array<Loss.Loss>
): ToolResult.ToolResult => {
  const nativeId = stringField(response, "id") ?? ""
  const name = stringField(response, "name") ?? ""
  const call = takeCall(waiting, nativeId, name)
  const media = listOf(response["parts"]) ?? []
  const inside = media.flatMap((part, index) => {
    const found = Json.isObject(part) ? decodeMedia(part) : undefined
    if (found === undefined) losses.push(unsaid(subject, [...path, "parts", index], "parts"))
    return found === undefined ? [] : [found]
  })
  for (const key of Object.keys(response)) {
    if (!["id", "name", "response", "parts"].includes(key)) losses.push(unsaid(subject, path, key))
  }
  const { isError, value } = valueOf(response["response"])
  const said = typeof value === "string" ? [Content.text(value)] : [Content.json(value)]
  return {
    id: call?.call.id ?? nativeId,
    name: call?.call.name ?? name,
    isError,
    content: [...said, ...inside],
    ...(typeof value === "string" || inside.length > 0 ? {} : { structured: value })
  }
}

/** By id; where there is none by name, in the order of the calls. */
const takeCall = (waiting: Array<Turn.CallPart>, nativeId: string, name: string): Turn.CallPart | undefined => {
  const byId = nativeId === "" ? -1 : waiting.findIndex((part) => part.nativeId === nativeId)
  const index = byId === -1 ? waiting.findIndex((part) => part.nativeName === name) : byId
  return index === -1 ? undefined : waiting.splice(index, 1)[0]
}

/** `output` and `error` alone in a response are the result and the error details, as Gemini reads them. */
const valueOf = (response: unknown): { readonly isError: boolean; readonly value: unknown } => {
  const keys = Json.isObject(response) ? Object.keys(response) : []
  if (Json.isObject(response) && keys.length === 1) {
    if (keys[0] === "error") return { isError: true, value: response["error"] }
    if (keys[0] === "output") return { isError: false, value: response["output"] }
  }
  return { isError: false, value: response ?? null }
}
