/**
 * What has to be said for an API to cache all that is sent. Marks stand behind the tools, the system prompt, what this
 * request sends last and what the one before it sent last: the API reads up to a mark that an earlier request set. These
 * are four, the most that the APIs take. A program that sets marks of its own places all of them.
 */
import * as Digest from "@wield/core/Digest"
import type * as Json from "@wield/core/Json"
import type { FormatTable } from "./format.js"
import { isSameJson } from "./json.js"
import { isList, isObject, listField, objectField, stringField } from "./wireField.js"

type MarkCached = NonNullable<FormatTable["markCached"]>
type Blocks = ReadonlyArray<Json.Json>

/** The places among messages where this request ends, and where the one before it did. */
const ends = (messages: Blocks): ReadonlySet<number> => {
  const isRole = (role: string) => (message: Json.Json) => isObject(message) && message["role"] === role
  const answer = messages.findLastIndex(isRole("assistant"))
  return new Set([messages.findLastIndex(isRole("user")), messages.slice(0, answer + 1).findLastIndex(isRole("user"))])
}

const changeContent = (
  messages: Blocks,
  change: (content: Json.Json | undefined, isEnd: boolean) => Blocks | undefined
) => {
  const places = ends(messages)
  return messages.map((message, index) => {
    const content = isObject(message) ? change(message["content"], places.has(index)) : undefined
    return isObject(message) && content !== undefined ? { ...message, content } : message
  })
}

const mark: Json.JsonObject = { cache_control: { type: "ephemeral" } }

/** A tool that is loaded later is not part of the prefix: the API refuses a mark there. */
const lastTool = (tools: Blocks): number =>
  tools.findLastIndex((tool) => !isObject(tool) || tool["defer_loading"] !== true)

export const markTools = (tools: ReadonlyArray<Json.JsonObject>): ReadonlyArray<Json.JsonObject> => {
  const last = lastTool(tools)
  return tools.map((tool, index) => (index === last ? { ...mark, ...tool } : tool))
}

export const markAnthropic: MarkCached = (body, request) => {
  const { messages, system, tools } = body
  // Texts become blocks in every message: one that is marked now was sent before, and will be without a mark.
  const blocksOf = (content: Json.Json | undefined): Blocks =>
    isList(content) ? content : typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : []
  const offered = listField(body, "tools")
  const byOption = request.options.isCached === true ? lastTool(offered) : -1
  const own = offered.filter(
    (tool, index) => index !== byOption || !isSameJson(objectField(tool, "cache_control"), mark["cache_control"])
  )
  if ([body, ...own, ...listField(body, "system"), ...listField(body, "messages").flatMap(placesOf)].some(isMarked)) {
    return body
  }
  return {
    ...body,
    ...(isList(tools) ? { tools: markTools(tools.filter(isObject)) } : {}),
    ...(blocksOf(system).length === 0 ? {} : { system: markLast(blocksOf(system)) }),
    ...(isList(messages)
      ? {
          messages: changeContent(messages, (content, isEnd) => {
            const blocks = blocksOf(content)
            return blocks.length === 0 ? undefined : isEnd ? markLast(blocks) : blocks
          })
        }
      : {})
  }
}

const isMarked = (block: Json.Json): boolean => objectField(block, "cache_control") !== undefined

/** The blocks of a message, and those of the results among them. */
const placesOf = (message: Json.Json): Blocks =>
  listField(message, "content").flatMap((block) => [block, ...listField(block, "content")])

/** The API refuses a mark on reasoning and on blank text. */
const markLast = (blocks: Blocks): Blocks => {
  const last = blocks.findLastIndex(
    (block) =>
      isObject(block) &&
      !/^(redacted_)?thinking$/.test(stringField(block, "type") ?? "") &&
      stringField(block, "text")?.trim() !== ""
  )
  return blocks.map((block, index) => (index === last && isObject(block) ? { ...block, ...mark } : block))
}

/** Everything before it is cached. */
export const cachePoint: Json.JsonObject = { cachePoint: { type: "default" } }

/** Models on Bedrock that came before its cache; other models than these two families refuse cache points. */
const claude = /\banthropic\.claude-(?!v\d|instant|2|3-(haiku|sonnet|opus)|3-5-sonnet-20240620)/
/** These take no point behind tools. */
const nova = /\bamazon\.nova-(?!canvas|reel|sonic)/

export const markBedrock: MarkCached = (body, request) => {
  const { messages, system, toolConfig } = body
  const model = request.model ?? ""
  const takesAll = request.options.isCached === true || claude.test(model)
  if (!takesAll && !nova.test(model)) return body
  const tools = listField(toolConfig, "tools")
  const own = request.options.isCached === true && isSameJson(tools.at(-1), cachePoint) ? tools.slice(0, -1) : tools
  const isPoint = (block: Json.Json): boolean => objectField(block, "cachePoint") !== undefined
  if ([...own, ...listField(body, "system"), ...listField(body, "messages").flatMap(placesOf)].some(isPoint))
    return body
  const withPoint = (blocks: Blocks): Blocks => (blocks.some(isPoint) ? blocks : [...blocks, cachePoint])
  return {
    ...body,
    ...(takesAll && isObject(toolConfig) && tools.length > 0
      ? { toolConfig: { ...toolConfig, tools: withPoint(tools) } }
      : {}),
    ...(isList(system) && system.length > 0 ? { system: withPoint(system) } : {}),
    ...(isList(messages)
      ? {
          messages: changeContent(messages, (content, isEnd) =>
            isEnd && isList(content) && content.length > 0 ? withPoint(content) : undefined
          )
        }
      : {})
  }
}

export const isOpenAi = (host: string): boolean => /(^|\.)openai\.com(:\d+)?$/.test(host)

/**
 * The id of a conversation may say whose it is. OpenAI takes 64 characters, which a digest has. Other servers that speak OpenAI's language refuse
 * keys that they do not know.
 */
export const addCacheKey: MarkCached = (body, { cache: { key }, host = "api.openai.com", options }) =>
  key === undefined || !(options.isCached === true || isOpenAi(host))
    ? body
    : { prompt_cache_key: Digest.ofText(key), ...body }
