/**
 * What servers really send, as the SDK takes it: it refuses a whole list for one
 * odd tool, and the result of a call that ran for one odd field of it. `null` is
 * an absent field, an odd optional field is left out, an item that cannot be
 * understood is withheld, and a block that cannot becomes text.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/client"
import type * as Sdk from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"
import type { Withheld } from "./model.js"

type Fields = { readonly [key: string]: unknown }

/** Where a result stands that was no object. */
const bareKey = "tools.wield/bare"

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
    // Any object is a result.
    const fields = Json.isObject(result) ? withoutNulls(result) : result == null ? {} : { [bareKey]: result }
    // Fields of any name are a result: its shape is checked by its method.
    return { ...identity, result: withMeta(fields as Fields) as Sdk.Result }
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

/** Values of the server's own choice, in which `null` says something. */
const free = new Set(["structuredContent", "_meta", "arguments", "input", "data", bareKey])

/** Values of a schema's own choice. */
const schemaValues = new Set(["const", "default", "enum", "example", "examples"])

/** Schemas by names that say nothing. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])

type Place = "protocol" | "schema" | "names"

const placeOf = (key: string, place: Place): Place =>
  place === "names"
    ? "schema"
    : place === "schema" && named.has(key)
      ? "names"
      : key === "inputSchema" || key === "outputSchema"
        ? "schema"
        : place

const isFree = (key: string, place: Place): boolean =>
  place === "protocol" ? free.has(key) : place === "schema" && schemaValues.has(key)

/** The same value where nothing is left out. Messages nest no deeper than they are read. */
const withoutNulls = (value: unknown, place: Place = "protocol"): unknown => {
  if (Array.isArray(value)) {
    let out: Array<unknown> | undefined
    for (const [index, item] of value.entries()) {
      const mended = withoutNulls(item, place)
      if (mended !== item) (out ??= [...value])[index] = mended
    }
    return out ?? value
  }
  if (!Json.isObject(value)) return value
  let out: Map<string, unknown> | undefined
  for (const [key, field] of Object.entries(value)) {
    if (field === null && (key === "_meta" || !isFree(key, place))) {
      out ??= new Map(Object.entries(value))
      // Anything is taken where a property has no schema.
      if (place === "names") out.set(key, {})
      else out.delete(key)
      continue
    }
    const mended = isFree(key, place) ? field : withoutNulls(field, placeOf(key, place))
    if (mended !== field) (out ??= new Map(Object.entries(value))).set(key, mended)
  }
  // Not by assignment: `__proto__` may be a key.
  return out === undefined ? value : Object.fromEntries(out)
}

/** What was mended, for the log. */
export interface Report {
  /** Tools that cannot be understood. */
  readonly withheld: (tools: ReadonlyArray<Withheld>) => void
  readonly problem: (problem: string) => void
}

type SpecType = keyof typeof Sdk.specTypeSchemas

const lists: { readonly [method: string]: readonly [key: string, type: SpecType] } = {
  "tools/list": ["tools", "Tool"],
  "resources/list": ["resources", "Resource"],
  "resources/templates/list": ["resourceTemplates", "ResourceTemplate"],
  "prompts/list": ["prompts", "Prompt"]
}

export interface Asked {
  readonly method: string
  readonly params: Fields
}

const makeRepair = (sdk: typeof Sdk) => {
  const problemsOf = (type: SpecType, value: unknown) => {
    const checked = sdk.specTypeSchemas[type]["~standard"].validate(value)
    // The SDK's schemas check at once.
    return "issues" in checked ? (checked.issues ?? []) : []
  }

  /** Leaves out optional fields that are odd. `undefined` where that is not enough. */
  return (type: SpecType, value: Fields, isKept: (field: string) => boolean = () => false) => {
    let mended: unknown = value
    for (let round = 0; round < 8; round++) {
      const problems = problemsOf(type, mended)
      // A type of the specification is an object.
      if (problems.length === 0) return { value: mended as Fields }
      for (const { message, path = [] } of problems) {
        const keys = path.map((key) => (typeof key === "object" ? key.key : key)).map(String)
        // A field that is missing is the fault of what should have it.
        while (keys.length > 0 && at(mended, keys) === undefined) keys.pop()
        const [first] = keys
        if (first === undefined || isKept(first)) {
          const place = path.map((key) => (typeof key === "object" ? key.key : key)).join(".")
          return { problem: place === "" ? message : `${place}: ${message}` }
        }
        mended = without(mended, keys)
      }
    }
    return { problem: "too much of it is not as it should be" }
  }
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
export const makeMend = (sdk: typeof Sdk, report: Report, most: number) => {
  const repair = makeRepair(sdk)
  /** What cannot be understood of one result, which may hold any number of it: one line of the log. */
  const odd = new Set<string>()

  const mendList = (method: string, result: Fields, isModern: boolean): Fields => {
    const [key, type] = lists[method]!
    const { [key]: items, nextCursor, ...others } = result
    const kept: Array<unknown> = []
    const left: Array<Withheld> = []
    if (!Array.isArray(items)) report.problem(`${method} gave no list`)
    for (const item of listOf(items)) {
      const name = Json.isObject(item) && typeof item["name"] === "string" ? item["name"] : "(without a name)"
      const size = JSON.stringify(item).length
      if (size > largestItem) {
        const problem = `it has ${size} characters, and at most ${largestItem} are read`
        left.push({ tool: name.slice(0, longestName), reason: "invalid", problem })
        continue
      }
      const whole = type === "Tool" ? withType(isModern ? item : withObjectResult(item)) : item
      if (sdk.isSpecType[type](whole)) {
        kept.push(whole)
        continue
      }
      const mended = Json.isObject(whole)
        ? repair(type, whole, (field) => field === "inputSchema")
        : { problem: "it is no object" }
      if ("value" in mended && mended.value !== undefined) {
        kept.push(mended.value)
      } else left.push({ tool: name, reason: "invalid", problem: mended.problem ?? "" })
    }
    if (left.length > 0) {
      const some = left
        .slice(0, mostTold)
        .map(({ problem, tool }) => `${tool.slice(0, longestName)} (${problem.slice(0, 200)})`)
      const more = left.length > mostTold ? `, and ${left.length - mostTold} more` : ""
      report.problem(`of ${method} these cannot be understood and are withheld: ${some.join(", ")}${more}`)
      if (type === "Tool") report.withheld(left)
    }
    const cursor = typeof nextCursor === "number" ? String(nextCursor) : nextCursor
    return { ...others, [key]: kept, ...(typeof cursor === "string" && cursor !== "" ? { nextCursor: cursor } : {}) }
  }

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
      case "tools/list":
      case "resources/list":
      case "resources/templates/list":
      case "prompts/list":
        return mendList(method, result, isModern)
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
  return (asked: Asked, result: Fields, isModern: boolean): Fields => {
    const { resultType } = result
    if (resultType === "input_required" || resultType === "task") return result
    odd.clear()
    const mended = mendByMethod(asked, result, isModern)
    if (odd.size > 0) report.problem(`a result holds ${[...odd].join(", ")}, which is given as text`)
    return isModern && (asked.method in lists || asked.method === "resources/read") ? withFreshness(mended) : mended
  }
}

/** How long a list may be kept, which the newest revision asks for. */
const withFreshness = (result: Fields): Fields => {
  const { cacheScope, ttlMs } = result
  return {
    ...result,
    ttlMs: Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0 ? ttlMs : 0,
    cacheScope: cacheScope === "public" ? "public" : "private"
  }
}

const mostTold = 10
const longestName = 100

/** In characters of JSON: of a tool, no model reads as much, and its schema would hold up the program. */
const largestItem = 256 * 1024

/** What is shown of a block that cannot be understood, in characters. */
const longestShown = 2_000

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

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

const at = (value: unknown, keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? // It has the key.
          (inner as { readonly [key: string]: unknown })[key]
        : undefined,
    value
  )

const without = (value: unknown, [key = "", ...inner]: ReadonlyArray<string>): unknown => {
  if (Array.isArray(value)) {
    return inner.length === 0
      ? value.filter((_, index) => String(index) !== key)
      : value.map((item, index) => (String(index) === key ? without(item, inner) : item))
  }
  if (!Json.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      name !== key ? [[name, field]] : inner.length === 0 ? [] : [[name, without(field, inner)]]
    )
  )
}
