import { Json } from "@wield/core"
import type { Difference } from "../Difference.js"

const isObject = (value: Json.Json | undefined): value is Json.JsonObject => Json.isObject(value)

const objects = (value: Json.Json | undefined): ReadonlyArray<Json.JsonObject> =>
  Array.isArray(value) ? (value as ReadonlyArray<Json.Json>).filter(isObject) : []

const without = (value: Json.JsonObject, ...keys: ReadonlyArray<string>): Json.JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The fields of the API in camel case; what stands in `args`, `response` and schemas is not the API's. */
const inCamelCase = (value: Json.Json): Json.Json => {
  if (Array.isArray(value)) return (value as ReadonlyArray<Json.Json>).map(inCamelCase)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = camelCase(key)
      const isForeign = ["args", "response", "parameters", "parametersJsonSchema"].includes(name)
      return [name, isForeign ? inner : inCamelCase(inner)]
    })
  )
}

/** As Google's REST transport for Python numbers them. */
const types = ["", "string", "number", "integer", "boolean", "array", "object"]

/** JSON Schema's types, which Google writes in capitals or as numbers. */
const lowerCase = (schema: Json.Json): Json.Json => {
  if (Array.isArray(schema)) return (schema as ReadonlyArray<Json.Json>).map(lowerCase)
  if (!isObject(schema)) return schema
  if (schema["nullable"] === true && typeof schema["type"] === "string") {
    const { enum: values, nullable: _, type, ...rest } = schema
    const orNull = Array.isArray(values) ? { enum: [...(values as ReadonlyArray<Json.Json>), null] } : {}
    return lowerCase({ ...rest, type: [type.toLowerCase(), "null"], ...orNull })
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, inner]) => [
      key,
      key === "type" && (typeof inner === "string" || typeof inner === "number")
        ? (types[Number(inner)] ?? String(inner).toLowerCase())
        : lowerCase(inner)
    ])
  )
}

type Change = (parts: ReadonlyArray<Json.JsonObject>) => ReadonlyArray<Json.JsonObject>

const ofParts =
  (change: Change): Difference["apply"] =>
  (body) =>
    body["contents"] === undefined
      ? body
      : {
          ...body,
          contents: objects(body["contents"]).map((content) => ({
            ...content,
            parts: change(objects(content["parts"]))
          }))
        }

const ofTools =
  (change: (tools: ReadonlyArray<Json.JsonObject>) => ReadonlyArray<Json.JsonObject>): Difference["apply"] =>
  (body) =>
    body["tools"] === undefined ? body : { ...body, tools: change(objects(body["tools"])) }

const ofDeclarations = (change: (declaration: Json.JsonObject) => Json.JsonObject): Difference["apply"] =>
  ofTools((tools) =>
    tools.map((tool) =>
      tool["functionDeclarations"] === undefined
        ? tool
        : { ...tool, functionDeclarations: objects(tool["functionDeclarations"]).map(change) }
    )
  )

/** Media of a response, as they follow behind it. */
const mediaBehind = (contents: ReadonlyArray<Json.JsonObject>): ReadonlyArray<Json.JsonObject> =>
  contents.flatMap((content) => {
    const behind: Array<Json.JsonObject> = []
    const parts = objects(content["parts"]).map((part) => {
      const response = part["functionResponse"]
      if (!isObject(response) || response["parts"] === undefined) return part
      const notes = objects(response["parts"]).map((media) => {
        const blob = Object.values(media).find(isObject)
        const label = `File ${behind.length / 2 + 1}`
        behind.push({ text: `${label}, from the result of ${String(response["name"])}:` }, media)
        return `${label} (${String(blob?.["mimeType"])}) follows the results.`
      })
      const inner = isObject(response["response"]) ? response["response"] : {}
      const value = Object.keys(inner).length === 1 && inner["output"] !== undefined ? inner["output"] : inner
      return { functionResponse: { ...without(response, "parts"), response: { output: [value, ...notes] } } }
    })
    return behind.length === 0
      ? [content]
      : [
          { ...content, parts },
          { role: "user", parts: behind }
        ]
  })

export const gemini: ReadonlyArray<Difference> = [
  {
    name: "snake case",
    why: "the API reads its fields by both of their names",
    apply: (body) => {
      const { contents, toolConfig, tool_config, tools, ...rest } = body
      const renamed = Object.entries({ contents, toolConfig: toolConfig ?? tool_config, tools })
      return {
        ...rest,
        ...Object.fromEntries(
          renamed.flatMap(([key, value]) => (value === undefined ? [] : [[key, inCamelCase(value)]]))
        )
      }
    }
  },
  {
    name: "role of the instructions",
    why: "the API ignores it",
    apply: (body) =>
      isObject(body["systemInstruction"])
        ? { ...body, systemInstruction: without(body["systemInstruction"], "role") }
        : body
  },
  {
    name: "thought signatures",
    why: "they belong to the kept content, as a part that has nothing else; the first call gets the one that Google documents for other history",
    apply: ofParts((parts) =>
      parts.map((part) => without(part, "thoughtSignature")).filter((part) => Object.keys(part).join() !== "thought")
    )
  },
  {
    name: "media behind a response",
    why: "only Gemini 3 takes them inside, and which model it is stands in the address",
    apply: (body) =>
      body["contents"] === undefined ? body : { ...body, contents: mediaBehind(objects(body["contents"])) }
  },
  {
    name: "what the user says beside results",
    why: "it stands in a content of its own behind them; the API has one role for both, by two names",
    apply: (body) => {
      if (body["contents"] === undefined) return body
      const contents: Array<Json.JsonObject> = []
      for (const content of objects(body["contents"])) {
        const role = content["role"] === "function" ? "user" : (content["role"] ?? "user")
        const last = contents.at(-1)
        if (last?.["role"] !== "user" || role !== "user") contents.push({ ...content, role })
        else contents[contents.length - 1] = { role, parts: [...objects(last["parts"]), ...objects(content["parts"])] }
      }
      return { ...body, contents }
    }
  },
  {
    name: "alphabet of base64",
    why: "the API reads both; other APIs read the standard one only",
    apply: ofParts((parts) =>
      parts.map((part) => {
        const { inlineData } = part
        if (!isObject(inlineData) || typeof inlineData["data"] !== "string") return part
        const data = inlineData["data"].replaceAll("-", "+").replaceAll("_", "/")
        return { ...part, inlineData: { ...inlineData, data } }
      })
    )
  },
  {
    name: "schemas in parametersJsonSchema",
    why: "it is the default; `Gemini.make` writes `parameters`",
    apply: ofDeclarations((declaration) =>
      declaration["parameters"] === undefined
        ? declaration
        : {
            ...without(declaration, "parameters"),
            parametersJsonSchema: lowerCase(declaration["parameters"])
          }
    )
  },
  {
    name: "order of tools",
    why: "functions come first",
    apply: ofTools((tools) => {
      const isFunctions = (tool: Json.JsonObject): boolean => tool["functionDeclarations"] !== undefined
      return [...tools.filter(isFunctions), ...tools.filter((tool) => !isFunctions(tool))]
    })
  }
]
