import type { Json } from "@wield/core"
import type { Difference } from "../Difference.js"
import { eachOf, isList, isObject, without } from "./items.js"

/** Each block of each message is replaced by what `change` makes of it. */
const blocks = (change: (block: Json.JsonObject) => ReadonlyArray<Json.JsonObject>): Difference["apply"] =>
  eachOf("messages", (message) => [eachOf("content", change)(message)])

const isCachePoint = (block: Json.JsonObject): boolean => block["cachePoint"] !== undefined

/** Without the id that makes it the only one of its name. */
const renamed = (part: Json.JsonObject): Json.JsonObject => {
  const { document } = part
  return isObject(document)
    ? { ...part, document: { ...document, name: String(document["name"]).replace(/ \[[\w-]+\]$/, "") } }
    : part
}

export const bedrockConverse: ReadonlyArray<Difference> = [
  {
    name: "names of documents",
    why: "Bedrock refuses two documents of one name in a conversation: one in a result has the id of its call beside",
    apply: blocks((block) => {
      const result = block["toolResult"]
      return [isObject(result) ? { ...block, toolResult: eachOf("content", (part) => [renamed(part)])(result) } : block]
    })
  },
  {
    name: "cache points in messages and instructions",
    why: "they say where a prefix ends that Bedrock keeps, and nothing to the model; those behind the tools are an option",
    apply: (body) => {
      const said = blocks((block) => (isCachePoint(block) ? [] : [block]))(body)
      return eachOf("system", (block) => (isCachePoint(block) ? [] : [block]))(said)
    }
  },
  {
    name: "citations that are asked for",
    why: "they have no words, and are kept verbatim only",
    apply: blocks((block) => [
      isObject(block["document"]) ? { ...block, document: without(block["document"], "citations") } : block
    ])
  },
  {
    name: "instructions as one text",
    why: "blocks of `system` differ from one text by cache points only",
    apply: (body) => {
      const texts = isList(body["system"]) ? body["system"].filter(isObject) : []
      return texts.length > 1 && texts.every((block) => typeof block["text"] === "string")
        ? { ...body, system: [{ text: texts.map((block) => String(block["text"])).join("\n\n") }] }
        : body
    }
  },
  {
    name: "status of a result",
    why: "`success` is the default, which some clients leave out and this format states",
    apply: blocks((block) => {
      const result = block["toolResult"]
      return isObject(result) && result["status"] === "success"
        ? [{ ...block, toolResult: without(result, "status") }]
        : [block]
    })
  },
  {
    name: "strict mode of some tools only",
    why: "strictness is said of all tools or of none; it is kept verbatim only",
    apply: (body) => {
      const config = body["toolConfig"]
      if (!isObject(config) || !isList(config["tools"])) return body
      const plain = eachOf("tools", (tool) => [
        isObject(tool["toolSpec"]) ? { ...tool, toolSpec: without(tool["toolSpec"], "strict") } : tool
      ])
      return { ...body, toolConfig: plain(config) }
    }
  }
]
