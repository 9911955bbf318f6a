import { Json } from "@wield/core"
import type { Difference } from "../Difference.js"

type Blocks = (blocks: ReadonlyArray<Json.JsonObject>, role: string) => ReadonlyArray<Json.JsonObject>

const isObject = (value: Json.Json): value is Json.JsonObject => Json.isObject(value)

const objects = (value: Json.Json | undefined): ReadonlyArray<Json.JsonObject> =>
  Array.isArray(value) ? (value as ReadonlyArray<Json.Json>).filter(isObject) : []

const asBlocks = (content: Json.Json | undefined): ReadonlyArray<Json.JsonObject> =>
  typeof content === "string" ? [{ type: "text", text: content }] : objects(content)

const ofMessages =
  (change: (messages: ReadonlyArray<Json.JsonObject>) => ReadonlyArray<Json.JsonObject>) =>
  (body: Json.JsonObject): Json.JsonObject =>
    body["messages"] === undefined ? body : { ...body, messages: change(objects(body["messages"])) }

const ofBlocks = (change: Blocks): Difference["apply"] =>
  ofMessages((messages) =>
    messages.map((message) =>
      typeof message["content"] === "string"
        ? message
        : { ...message, content: change(objects(message["content"]), String(message["role"])) }
    )
  )

/** The blocks of messages, and of the results in them. */
const ofAllBlocks = (change: Blocks): Difference["apply"] =>
  ofBlocks((blocks, role) =>
    change(blocks, role).map((block) =>
      Array.isArray(block["content"]) && block["type"] === "tool_result"
        ? { ...block, content: change(objects(block["content"]), role) }
        : block
    )
  )

const without = (value: Json.JsonObject, ...keys: ReadonlyArray<string>): Json.JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))

const systemText = (system: Json.Json | undefined): string =>
  asBlocks(system)
    .map((block) => String(block["text"]))
    .join("\n\n")

const withoutMark = (value: Json.Json): Json.Json => {
  if (Array.isArray(value)) return (value as ReadonlyArray<Json.Json>).map(withoutMark)
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, inner]) => (key === "cache_control" ? [] : [[key, withoutMark(inner)]]))
      )
    : value
}

export const anthropic: ReadonlyArray<Difference> = [
  {
    name: "cache marks",
    why: "they say where a prefix ends that Anthropic keeps, and nothing to the model",
    apply: (body) => {
      const { messages, system, tools, ...rest } = body
      const marked = Object.entries({ messages, system, tools })
      const kept = marked.flatMap(([key, value]) => (value === undefined ? [] : [[key, withoutMark(value)] as const]))
      return { ...rest, ...Object.fromEntries(kept) }
    }
  },
  {
    name: "texts of blanks",
    why: "the API's rule is that a text has more than blanks; it has taken a blank of the model's own nevertheless",
    isInKept: true,
    apply: ofAllBlocks((blocks) =>
      blocks.filter(({ text, type }) => type !== "text" || typeof text !== "string" || text.trim() !== "")
    )
  },
  {
    name: "text as a string or one block",
    why: "the API's reference calls the string a shorthand of the block",
    apply: ofMessages((messages) =>
      messages.map((message) => ({
        ...message,
        content: asBlocks(message["content"]).map((block) =>
          block["type"] === "tool_result" ? { ...block, content: asBlocks(block["content"]) } : block
        )
      }))
    )
  },
  {
    name: "files that lie with Anthropic, and references to tools",
    why: "they are ids of Anthropic's; there are no words for them",
    apply: ofAllBlocks((blocks) =>
      blocks.filter(
        (block) =>
          !["container_upload", "tool_reference", "tool_addition"].includes(String(block["type"])) &&
          !(Json.isObject(block["source"]) && block["source"]["type"] === "file")
      )
    )
  },
  {
    name: "citations that are asked for, and who called",
    why: "they are keys of Anthropic's that have no words; they are kept verbatim only",
    apply: ofAllBlocks((blocks) =>
      blocks.map((block) => {
        const { citations, ...rest } = block
        return without(Json.isObject(citations) ? rest : block, "caller")
      })
    )
  },
  {
    name: "results without their call",
    why: "no call of their id stands before them, and the API's rule is that one does; they are a loss",
    apply: (body) => {
      const blocks = objects(body["messages"]).flatMap((message) => objects(message["content"]))
      const called = new Set(blocks.map((block) => (block["type"] === "tool_use" ? block["id"] : undefined)))
      return ofBlocks((all) => all.filter(({ tool_use_id: id, type }) => type !== "tool_result" || called.has(id)))(
        body
      )
    }
  },
  {
    name: "is_error: false",
    why: "it is the default",
    apply: ofBlocks((blocks) =>
      blocks.map((block) => (block["is_error"] === false ? without(block, "is_error") : block))
    )
  },
  {
    name: "instructions at the beginning, as one text",
    why: "most models refuse them elsewhere; blocks of `system` differ from one text by cache marks only",
    apply: (body) => {
      const messages = objects(body["messages"])
      const later = messages.filter((message) => message["role"] === "system")
      const texts = [systemText(body["system"]), ...later.map((message) => systemText(message["content"]))]
      const said = texts.filter((text) => text !== "")
      return {
        ...without(body, "system"),
        ...(said.length === 0 ? {} : { system: said.join("\n\n") }),
        messages: messages.filter((message) => message["role"] !== "system")
      }
    }
  },
  {
    name: "messages without content",
    why: "the API refuses them: nothing could be said of what they held",
    apply: ofMessages((messages) => messages.filter((message) => message["content"]?.toString() !== ""))
  },
  {
    name: "how a tool is loaded, and strict mode of some tools only",
    why: "definitions have no words for them; they are reported as losses",
    apply: (body) =>
      body["tools"] === undefined
        ? body
        : { ...body, tools: objects(body["tools"]).map((tool) => without(tool, "defer_loading", "strict")) }
  }
]
