import type { Json } from "@wield/core"
import type { Difference } from "../Difference.js"
import { detailOfImages, eachOf, isList, isObject, plainSchema, without } from "./items.js"

const items = (change: (item: Json.JsonObject) => ReadonlyArray<Json.Json>) => eachOf("input", change)
const tools = (change: (tool: Json.JsonObject) => Json.JsonObject) => eachOf("tools", (tool) => [change(tool)])

const dropTypes = (...types: ReadonlyArray<string>) =>
  items((item) => (types.includes(String(item["type"])) ? [] : [item]))

const dropFile = (piece: Json.JsonObject) => (piece["file_id"] === undefined ? [piece] : [])
const isEmptyList = (json: Json.Json | undefined) => isList(json) && json.length === 0

export const openAiResponses: ReadonlyArray<Difference> = [
  {
    name: "input as text",
    why: "an input that is text is one message of the user",
    apply: (body) =>
      typeof body["input"] === "string" ? { ...body, input: [{ role: "user", content: body["input"] }] } : body
  },
  {
    name: "instructions",
    why: "the key holds for one request only; said anew, instructions are an item like all others",
    apply: (body) => {
      const { instructions, ...rest } = body
      if (typeof instructions !== "string") return body
      if (instructions === "") return rest
      return {
        ...rest,
        input: [{ role: "system", content: instructions }, ...(isList(rest["input"]) ? rest["input"] : [])]
      }
    }
  },
  {
    name: "type of a message",
    why: "an item with a role is a message also without its type",
    apply: items((item) => [item["type"] === "message" ? without(item, "type") : item])
  },
  {
    name: "files by id",
    why: "an uploaded file is known to this API only; it is kept verbatim only",
    apply: items((item) => {
      const withoutFiles = eachOf("output", dropFile)(eachOf("content", dropFile)(item))
      if (isEmptyList(withoutFiles["content"])) return []
      return [isEmptyList(withoutFiles["output"]) ? { ...withoutFiles, output: "" } : withoutFiles]
    })
  },
  {
    name: "developer",
    why: "both roles are instructions; `system` is the one that compatible servers know",
    apply: items((item) => [item["role"] === "developer" ? { ...item, role: "system" } : item])
  },
  {
    name: "references to items",
    why: "they name what the API holds and others do not, such as the call of a result; they are kept verbatim only",
    apply: (body) => {
      const input = isList(body["input"]) ? body["input"].filter(isObject) : []
      if (!input.some((item) => item["type"] === "item_reference")) return body
      const called = new Set(input.map((item) => (item["type"] === "function_call" ? item["call_id"] : undefined)))
      return items((item) => {
        const isAnswer = item["type"] === "function_call_output" && !called.has(item["call_id"])
        return isAnswer || item["type"] === "item_reference" ? [] : [item]
      })(body)
    }
  },
  detailOfImages("input"),
  {
    name: "one text",
    why: "a content of one text is that text, and instructions are one text",
    apply: items((item) => {
      const content = isList(item["content"]) ? item["content"].filter(isObject) : []
      const isText = content.every((piece) => /^(in|out)put_text$/.test(String(piece["type"])))
      if (content.length === 0 || !isText || (content.length > 1 && item["role"] !== "system")) return [item]
      return [{ ...item, content: content.map((piece) => String(piece["text"])).join("\n\n") }]
    })
  },
  {
    name: "metadata of items",
    why: "ids, states and phases of items are the API's own; without what was kept verbatim they are unknown",
    apply: items((item) => [without(item, "id", "status", "phase", "namespace")])
  },
  {
    name: "empty text of the model",
    why: "beside calls, a message of the model that says nothing is left out",
    apply: items((item) => (item["role"] === "assistant" && item["content"] === "" ? [] : [item]))
  },
  {
    name: "strict schemas",
    why: "`required` is a set, which the strict dialect lists in the order of the properties; it states a `default` in the description",
    apply: tools((tool) =>
      isObject(tool["parameters"]) ? { ...tool, parameters: plainSchema(tool["parameters"]) } : tool
    )
  },
  {
    name: "tools added within the conversation",
    why: "there are no words for tools that are offered in the middle; they are kept verbatim only",
    apply: dropTypes("additional_tools")
  },
  {
    name: "unstated keys of tools",
    why: "null is what is not stated; strictness is always stated; loading on demand has no words",
    apply: tools((tool) => {
      const stated = Object.fromEntries(Object.entries(tool).filter(([, value]) => value !== null))
      return without(stated, "strict", "defer_loading")
    })
  }
]
