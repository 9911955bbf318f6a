/**
 * What servers really send, as the SDK takes it: it refuses a whole list for one
 * odd tool, and the result of a call that ran for one odd field of it. `null` is
 * an absent field, an odd optional field is left out, an item that cannot be
 * understood is withheld, and a block that cannot becomes text.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/client"
import type * as Sdk from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"
import { type Asked, isList, makeShorten, mostTold, withFreshness } from "./lists.js"
import { bareKey, type Fields, withoutNulls } from "./nulls.js"
import { makeRepair, type SpecType } from "./repair.js"

/** A message with the fields that JSON-RPC has. `undefined` for anything else. */
export const mendMessage = (value: unknown, requestId?: unknown): JSONRPCMessage | undefined => {
  if (!Json.isObject(value)) return undefined
  const { error, jsonrpc, method, params, result } = value
  const isAnswer = typeof method !== "string"
  const id = value["id"] ?? (isAnswer ? requestId : undefined)
  const holdsAnswer = "result" in value || "error" in value
  if (jsonrpc !== "2.0" && !(isAnswer && holdsAnswer && id !== undefined)) return undefined
  if (!isAnswer) {
    // An object without its nulls is an object.
    const given = Json.isObject(params) ? { params: withMeta(withoutNulls(params) as Fields) } : {}
    // The SDK drops an id of another type.
    return { jsonrpc: "2.0", ...(id === undefined ? {} : { id: id as number }), method, ...given }
  }
  if (id === undefined) return undefined
  // The SDK checks what it is.
  const identity = { jsonrpc: "2.0" as const, id: id as number }
  if (error === undefined || error === null) {
    if (!("result" in value))
      return { ...identity, error: { code: internalError, message: "its answer holds nothing" } }
    // Any object is a result: its fields are mended by its method.
    const fields: Fields = Json.isObject(result) ? result : result == null ? {} : { [bareKey]: result }
    // Its shape is checked by its method.
    return { ...identity, result: withMeta(fields) as Sdk.Result }
  }
  const { code, data, message } = Json.isObject(error) ? error : { code: undefined, data: undefined, message: error }
  const number = typeof code === "string" ? Number(code) : code
  return {
    ...identity,
    error: {
      // `isInteger` says so, and narrows nothing.
      code: Number.isInteger(number) ? (number as number) : internalError,
      message: typeof message === "string" ? message : message == null ? "it gave no reason" : JSON.stringify(message),
      ...(data === undefined ? {} : { data })
    }
  }
}

/** The messages of a value: servers of 2025-03-26 may send several at once. */
export const mendAll = (value: unknown, requestId?: unknown): ReadonlyArray<JSONRPCMessage> =>
  (Array.isArray(value) ? value : [value]).flatMap((one) => mendMessage(one, requestId) ?? [])

const internalError = -32603

const withMeta = (fields: Fields): Fields => {
  if (fields["_meta"] === undefined || Json.isObject(fields["_meta"])) return fields
  const { _meta: _, ...others } = fields
  return others
}

const mendCompletion = ({ completion, ...others }: Fields): Fields => {
  const { hasMore, total, values } = Json.isObject(completion) ? completion : {}
  return {
    ...others,
    completion: {
      values: listOf(values).slice(0, 100).map(textOf),
      ...(Number.isInteger(total) ? { total } : {}),
      ...(typeof hasMore === "boolean" ? { hasMore } : {})
    }
  }
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Of the blocks of a result, and of its messages and contents, no more than `most` are read. */
export const makeMend = (sdk: typeof Sdk, report: (problem: string) => void, most: number) => {
  const repair = makeRepair(sdk)
  const shorten = makeShorten(sdk)
  /** What cannot be understood of one result, which may hold any number of it: one line of the log. */
  const odd = new Set<string>()

  const mendBlock = (given: unknown): Fields => {
    const block = typeof given === "string" ? { type: "text", text: given } : given
    if (!Json.isObject(block)) return unknownBlock(block, "a block without a kind")
    if (sdk.isSpecType.ContentBlock(block)) return block
    const known = kinds[String(block["type"])]
    if (known === undefined) return unknownBlock(block, `a block of the kind ${Json.canonical(block["type"])}`)
    const mended = repair(known.type, known.complete(block))
    return mended.value ?? unknownBlock(block, `a block of the kind ${String(block["type"])} (${mended.problem})`)
  }

  const unknownBlock = (block: unknown, what: string): Fields => {
    if (odd.size < mostTold) odd.add(what)
    const text = JSON.stringify(block) ?? "null"
    const shown = text.length > longestShown ? `${text.slice(0, longestShown)}… (${text.length} characters)` : text
    return { type: "text", text: `The server sent ${what}, which cannot be shown here: ${shown}` }
  }

  const blocksOf = (content: unknown): ReadonlyArray<Fields> => {
    const given = Array.isArray(content) || content === undefined ? listOf(content) : [content]
    const blocks = given.slice(0, most).map(mendBlock)
    if (given.length > most) {
      const text = `The server sent ${given.length} blocks; the first ${most} are here (limits.items).`
      blocks.push({ type: "text", text })
    }
    return blocks
  }

  const mendCall = ({ [bareKey]: bare, content, isError, ...others }: Fields, isModern: boolean): Fields => {
    const { structuredContent, ...rest } = others
    const isOdd = structuredContent !== undefined && !isModern && !Json.isObject(structuredContent)
    const odd = isOdd && structuredContent !== null ? [{ type: "text", text: textOf(structuredContent) }] : []
    return {
      ...(isOdd ? rest : others),
      content:
        bare === undefined ? [...blocksOf(content), ...odd] : blocksOf(Array.isArray(bare) ? bare : textOf(bare)),
      ...(isError === undefined ? {} : { isError: isError === true || isError === "true" || isError === 1 })
    }
  }

  const mendPrompt = ({ description, messages, ...others }: Fields): Fields => ({
    ...others,
    ...(typeof description === "string" ? { description } : {}),
    messages: listOf(messages)
      .slice(0, most)
      .map((message) => (Json.isObject(message) ? message : { content: message }))
      .flatMap(({ content, role }) =>
        // One message has one block.
        blocksOf(content).map((block) => ({ role: role === "assistant" ? role : "user", content: block }))
      )
  })

  const mendContents = ({ contents, ...others }: Fields, uri: unknown): Fields => ({
    ...others,
    contents: (Array.isArray(contents) || contents === undefined ? listOf(contents) : [contents])
      .slice(0, most)
      .map((one) => (Json.isObject(one) ? { uri, ...one } : { uri, text: textOf(one) }))
      .map((one: Fields) => {
        const type = typeof one["blob"] === "string" ? "BlobResourceContents" : "TextResourceContents"
        const whole =
          type === "TextResourceContents" && one["text"] !== undefined ? { ...one, text: textOf(one["text"]) } : one
        return repair(type, whole).value ?? { uri: String(one["uri"]), text: textOf(one["text"] ?? one) }
      })
  })

  const mendGreeting = (result: Fields): Fields => {
    const { capabilities, instructions, serverInfo, ...others } = result
    const said = Object.entries(Json.isObject(capabilities) ? capabilities : {}).flatMap(([key, one]) =>
      Json.isObject(one) || one === true ? [[key, one === true ? {} : one] as const] : []
    )
    const { name = "unknown", version = "", ...about } = Json.isObject(serverInfo) ? serverInfo : {}
    const info = { ...about, name: textOf(name), version: textOf(version) }
    return {
      ...others,
      capabilities: repair("ServerCapabilities", Object.fromEntries(said)).value ?? {},
      ...("protocolVersion" in result || serverInfo !== undefined
        ? { serverInfo: repair("Implementation", info).value ?? { name: info.name, version: info.version } }
        : {}),
      ...(typeof instructions === "string" ? { instructions } : {})
    }
  }

  const mendByMethod = ({ method, params }: Asked, result: Fields, isModern: boolean): Fields => {
    switch (method) {
      case "tools/call":
        return mendCall(result, isModern)
      case "prompts/get":
        return mendPrompt(result)
      case "resources/read":
        return mendContents(result, params["uri"])
      case "completion/complete":
        return mendCompletion(result)
      case "initialize":
      case "server/discover":
        return mendGreeting(result)
      case "tasks/get":
        return Json.isObject(result["result"]) ? { ...result, result: mendCall(result["result"], isModern) } : result
      default:
        return result
    }
  }

  /** The result of a request. Questions and tasks come in place of results of any kind. */
  return (asked: Asked, given: Fields, isModern: boolean): Fields => {
    if (isList(asked.method)) return withFreshness(shorten(asked, given, isModern), isModern)
    // An object without its nulls is an object.
    const result = withoutNulls(given) as Fields
    const { resultType } = result
    if (resultType === "input_required" || resultType === "task") return result
    odd.clear()
    const mended = mendByMethod(asked, result, isModern)
    if (odd.size > 0) report(`a result holds ${[...odd].join(", ")}, which is given as text`)
    return asked.method === "resources/read" ? withFreshness(mended, isModern) : mended
  }
}

/** What is shown of a block that cannot be understood, in characters. */
const longestShown = 2_000

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

/** The kinds of blocks, and what is to be taken for a field that is missing. */
const kinds: {
  readonly [kind: string]: { readonly type: SpecType; readonly complete: (block: Fields) => Fields } | undefined
} = {
  text: { type: "TextContent", complete: (block) => ({ ...block, text: textOf(block["text"] ?? "") }) },
  image: { type: "ImageContent", complete: (block) => withBytes(block, imageType) },
  audio: { type: "AudioContent", complete: (block) => withBytes(block, () => "audio/wav") },
  resource_link: { type: "ResourceLink", complete: (block) => ({ name: textOf(block["uri"] ?? ""), ...block }) },
  resource: {
    type: "EmbeddedResource",
    complete: (block) => {
      const { resource } = block
      if (!Json.isObject(resource)) return block
      const { blob, text } = resource
      return {
        ...block,
        resource: { uri: "", ...resource, ...(blob === undefined ? { text: textOf(text ?? "") } : {}) }
      }
    }
  }
}

/** Some servers send a data URL. */
const withBytes = (block: Fields, typeOf: (data: string) => string): Fields => {
  const given = textOf(block["data"] ?? "")
  const [, stated, data = given] = /^data:([^;,]*)(?:;[^,]*)?,(.*)$/s.exec(given) ?? []
  const { mimeType = stated ?? typeOf(data) } = block
  return { ...block, data, mimeType }
}

const imageType = (data: string): string =>
  data.startsWith("/9j/")
    ? "image/jpeg"
    : data.startsWith("R0lG")
      ? "image/gif"
      : data.startsWith("UklG")
        ? "image/webp"
        : "image/png"
