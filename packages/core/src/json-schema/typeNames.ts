/**
 * Names of types as they are met in the wild, in the words of JSON Schema:
 * Python's and Java's, those of Gemini and of databases, and the generic ones
 * (`List[str]`, `Optional[int]`, `Map<String, Object>`, `string[]`).
 */
import type { JsonSchema } from "../Json.js"

/** Formats that stand in place of the type of their texts, in lower case. */
const formats: ReadonlyMap<string, string> = new Map(
  Object.entries({
    date: "date localdate",
    "date-time": "date-time datetime",
    email: "email",
    time: "time",
    uri: "uri url",
    uuid: "guid uuid"
  }).flatMap(([format, spellings]) => spellings.split(" ").map((spelling) => [spelling, format] as const))
)

const standard: ReadonlySet<string> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"])

/** In lower case. */
const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    array: "array arraylist frozenset iterable linkedlist list sequence set tuple vector",
    boolean: "bool boolean",
    integer: "bigint biginteger byte int int16 int32 int64 int8 integer long short uint uint32 uint64",
    null: "nil none nonetype null undefined void",
    number: "bigdecimal decimal double float float32 float64 number numeric real",
    object: "dict dictionary hashmap hashtable json map mapping object record struct",
    string: "binary char character file str string text varchar",
    any: "* any mixed type_unspecified unknown"
  }).flatMap(([type, spellings]) => spellings.split(" ").map((spelling) => [spelling, type] as const))
)

export const isStandard = (name: unknown): boolean => typeof name === "string" && standard.has(name)

/** What a type name means as keywords of a schema: `{}` for any value, `undefined` where nothing is known by it. */
export const meaningOf = (name: string, depth = 0): JsonSchema | undefined => {
  const text = name.trim()
  // Generators write it where they know nothing. Within another name it is a mistake.
  if (text === "" && depth === 0) return {}
  const known = names.get(text.toLowerCase())
  if (known !== undefined) return known === "any" ? {} : { type: known }
  const format = formats.get(text.toLowerCase())
  if (format !== undefined) return { type: "string", format }
  if (depth > 8) return undefined
  const parts = splitTop(text, "|")
  if (parts.length > 1) return union(parts, depth)
  if (text.endsWith("[]")) return listOf(text.slice(0, -2), depth)
  const generic = /^([A-Za-z.]+)\s*[[<](.*)[\]>]$/s.exec(text)
  if (generic === null) return undefined
  const base = (generic[1] ?? "").replace(/^.*\./, "").toLowerCase()
  const inside = splitTop(generic[2] ?? "", ",")
  if (base === "optional") return union([...inside, "null"], depth)
  if (base === "union") return union(inside, depth)
  const type = names.get(base)
  if (type === "array" && inside.length === 1) return listOf(inside[0] ?? "", depth)
  if (type === "array") return { type: "array" }
  if (type !== "object") return undefined
  const values = inside.length === 2 ? meaningOf(inside[1] ?? "", depth + 1) : {}
  return values === undefined || Object.keys(values).length === 0
    ? { type: "object" }
    : { type: "object", additionalProperties: values }
}

const listOf = (item: string, depth: number): JsonSchema | undefined => {
  const items = meaningOf(item, depth + 1)
  if (items === undefined) return undefined
  return Object.keys(items).length === 0 ? { type: "array" } : { type: "array", items }
}

const union = (parts: ReadonlyArray<string>, depth: number): JsonSchema | undefined => {
  const meanings: Array<JsonSchema> = []
  for (const part of parts) {
    const meaning = meaningOf(part, depth + 1)
    if (meaning === undefined) return undefined
    if (Object.keys(meaning).length === 0) return {}
    meanings.push(meaning)
  }
  if (meanings.every((meaning) => Object.keys(meaning).length === 1 && typeof meaning.type === "string")) {
    return { type: [...new Set(meanings.map((meaning) => meaning.type))] }
  }
  return { anyOf: meanings }
}

/** Splits at the separators that stand in no brackets. */
const splitTop = (text: string, separator: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let level = 0
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ""
    if (character === "[" || character === "<") level++
    else if (character === "]" || character === ">") level--
    else if (character === separator && level === 0) {
      parts.push(text.slice(start, index).trim())
      start = index + 1
    }
  }
  parts.push(text.slice(start).trim())
  return parts
}
