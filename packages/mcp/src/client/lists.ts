/**
 * The items of a list: what cannot be understood is withheld. A list may be as long as a message, and the SDK checks
 * one in a single turn of the program: it gets the list without its items, which are read one by one.
 */
import type * as Sdk from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"
import { makeBreathe } from "@wield/core/Time"
import * as Effect from "effect/Effect"
import type { Withheld } from "./model.js"
import { type Fields, withoutNulls } from "./nulls.js"
import { makeRepair, type SpecType } from "./repair.js"

const lists: { readonly [method: string]: readonly [key: string, type: SpecType] } = {
  "tools/list": ["tools", "Tool"],
  "resources/list": ["resources", "Resource"],
  "resources/templates/list": ["resourceTemplates", "ResourceTemplate"],
  "prompts/list": ["prompts", "Prompt"]
}

export const isList = (method: string): boolean => Object.hasOwn(lists, method)

export interface Asked {
  readonly method: string
  readonly params: Fields
}

/** Where a list has its items instead. */
const itemsKey = "tools.wield/items"

/** What the SDK is not shown. It keeps lists as JSON. */
class Items {
  readonly all: Array<unknown> = []
  /** The names of those that it is shown, of which it leaves out some. */
  readonly shown = new Set<string>()
  size = 0
  toJSON(): undefined {
    return undefined
  }
}

/** A list without its items, for one connection. */
export const makeShorten = (sdk: typeof Sdk) => {
  /** The SDK asks for all pages of tools, and gives the `_meta` of the first one. */
  let tools = new Items()
  return ({ method, params }: Asked, { nextCursor, ...result }: Fields, isModern: boolean): Fields => {
    const [key] = lists[method]!
    const { [key]: given, ...others } = result
    if (method === "tools/list" && params["cursor"] === undefined) tools = new Items()
    const items = method === "tools/list" ? tools : new Items()
    const isTools = items === tools
    const shown: Array<unknown> = []
    if (!Array.isArray(given)) items.all.push(notAList)
    for (const item of Array.isArray(given) ? given : []) {
      items.all.push(item)
      // Of these the SDK repeats arguments as headers.
      if (!isTools || !isModern || items.size > mostShown || !Json.isObject(item)) continue
      const text = JSON.stringify(item["inputSchema"]) ?? ""
      if (!text.includes('"x-mcp-header"') || items.size + text.length > mostShown) continue
      const tool = withType({ name: item["name"], inputSchema: withoutNulls(item["inputSchema"], "schema") })
      if (!sdk.isSpecType.Tool(tool)) continue
      items.size += text.length
      items.shown.add(tool.name)
      shown.push(tool)
    }
    const cursor = typeof nextCursor === "number" ? String(nextCursor) : nextCursor
    return {
      // An object without its nulls is an object.
      ...(withoutNulls(others) as Fields),
      [key]: shown,
      _meta: { [itemsKey]: items },
      ...(typeof cursor === "string" && cursor !== "" ? { nextCursor: cursor } : {})
    }
  }
}

const notAList = Symbol("no list")

/** In characters of JSON: the SDK checks all of it at once. */
const mostShown = 256 * 1024

interface Read {
  readonly list: Json.JsonObject
  /** What cannot be understood. */
  readonly withheld: ReadonlyArray<Withheld>
}

/** The list with its items. `problem` is for the log. */
export const makeReadList = (sdk: typeof Sdk, report: (problem: string) => void) => {
  const repair = makeRepair(sdk)

  const readItem = (type: SpecType, given: unknown, isModern: boolean): { value?: Fields; problem?: string } => {
    if (given === notAList) return { problem: "it is no list" }
    const size = JSON.stringify(given).length
    if (size > largestItem) return { problem: `it has ${size} characters, and at most ${largestItem} are read` }
    const item = withoutNulls(given)
    const whole = type === "Tool" ? withType(isModern ? item : withObjectResult(item)) : item
    if (!Json.isObject(whole)) return { problem: "it is no object" }
    // The newest revision has it no more.
    const { execution, ...others } = whole
    return repair(type, isModern || execution === undefined ? others : whole, (field) => field === "inputSchema")
  }

  return (method: string, result: Json.JsonObject, isModern: boolean): Effect.Effect<Read> =>
    Effect.gen(function* () {
      const [key, type] = lists[method]!
      const { _meta, [key]: shown, ...others } = result
      const items: unknown = Json.isObject(_meta) ? _meta[itemsKey] : undefined
      if (!(items instanceof Items)) return { list: result, withheld: [] }
      const passed = new Set(Array.isArray(shown) ? shown.map((tool) => Json.isObject(tool) && tool["name"]) : [])
      const kept: Array<Json.Json> = []
      const withheld: Array<Withheld> = []
      const breathe = yield* makeBreathe
      for (const item of items.all) {
        yield* breathe
        const name = Json.isObject(item) && typeof item["name"] === "string" ? item["name"] : "(without a name)"
        const { problem = "", value } =
          items.shown.has(name) && !passed.has(name)
            ? { problem: "its x-mcp-header cannot be a header", value: undefined }
            : readItem(type, item, isModern)
        // It was parsed from JSON.
        if (value !== undefined) kept.push(value as Json.JsonObject)
        else withheld.push({ tool: name.slice(0, longestName), reason: "invalid", problem })
      }
      if (withheld.length > 0) {
        const some = withheld.slice(0, mostTold).map(({ problem, tool }) => `${tool} (${problem.slice(0, 200)})`)
        const more = withheld.length > mostTold ? `, and ${withheld.length - mostTold} more` : ""
        report(`of ${method} these cannot be understood and are withheld: ${some.join(", ")}${more}`)
      }
      return { list: { ...others, [key]: kept }, withheld }
    })
}

/** In characters of JSON: of a tool, no model reads as much, and its schema would hold up the program. */
const largestItem = 256 * 1024

/** Arguments are an object, whether a tool says so or not. */
const withType = (tool: unknown): unknown => {
  if (!Json.isObject(tool) || !Json.isObject(tool["inputSchema"])) return tool
  const { type } = tool["inputSchema"]
  if (type !== undefined && !(Array.isArray(type) && type.includes("object"))) return tool
  return { ...tool, inputSchema: { ...tool["inputSchema"], type: "object" } }
}

/** Before 2026-07-28 a result is an object, and a schema that says otherwise would cost all tools of the server. */
const withObjectResult = (tool: unknown): unknown => {
  if (!Json.isObject(tool) || !Json.isObject(tool["outputSchema"])) return tool
  const { outputSchema: _, ...others } = tool
  const { properties = {}, required = [], type = "object" } = tool["outputSchema"]
  const isObject = type === "object" && Json.isObject(properties) && Array.isArray(required)
  return isObject ? { ...others, outputSchema: { ...tool["outputSchema"], type } } : others
}

/** How long a list may be kept, which the newest revision asks for. */
export const withFreshness = (result: Fields, isModern: boolean): Fields => {
  if (!isModern) return result
  const { cacheScope, ttlMs } = result
  return {
    ...result,
    ttlMs: Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0 ? ttlMs : 0,
    cacheScope: cacheScope === "public" ? "public" : "private"
  }
}

/** In the log, of names and of their characters. */
export const mostTold = 10
const longestName = 100
