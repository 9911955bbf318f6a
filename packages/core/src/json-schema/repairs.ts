/**
 * What is changed in a schema that no draft allows, one function each. They
 * change the fields of one schema and leave its subschemas to the caller.
 */
import { isObject } from "../Json.js"
import type { SchemaMistake } from "../JsonSchemaError.js"
import type { Draft, NormalisationName } from "../JsonSchema.js"
import { holdsList, holdsNamed, holdsOne, keywordsIn, type Path } from "./keywords.js"
import { isRegExp } from "./native.js"
import { isStandard, meaningOf } from "./typeNames.js"

export type Fields = Map<string, unknown>

export interface Normaliser {
  readonly draft: Draft
  readonly isDeclared: boolean
  readonly note: (name: NormalisationName, path: Path, keyword: string, reason: string) => void
  readonly fail: (path: Path, problem: string, kind?: SchemaMistake) => void
}

type Repair = (fields: Fields, path: Path, normaliser: Normaliser) => void

const numeric = keywordsIn(
  "maxContains maximum maxItems maxLength maxProperties minContains minimum minItems minLength minProperties " +
    "exclusiveMaximum exclusiveMinimum multipleOf"
)
const flags = keywordsIn("additionalItems additionalProperties nullable optional uniqueItems")
const texts = keywordsIn("$anchor $comment $id $ref description format pattern title")
const lists = keywordsIn("dependentRequired enum examples required type")

/** A serializer that writes absent keywords as null writes all of them; the type `null` is a string. */
const nullKeywords: Repair = (fields, path, { note }) => {
  for (const [keyword, stated] of fields) {
    if (stated !== null) continue
    const isKnown = [numeric, flags, texts, lists, holdsOne, holdsList, holdsNamed].some((set) => set.has(keyword))
    if (!isKnown) continue
    fields.delete(keyword)
    note("null-keyword", path, keyword, `${keyword}: null is read as if it were absent.`)
  }
}

const textValues: Repair = (fields, path, { note }) => {
  for (const [keyword, stated] of fields) {
    if (typeof stated !== "string") continue
    const text = stated.trim().toLowerCase()
    if (numeric.has(keyword) && text !== "" && Number.isFinite(Number(text))) {
      fields.set(keyword, Number(text))
      note("number-as-text", path, keyword, `${keyword}: ${JSON.stringify(stated)} is read as ${text}.`)
    } else if (flags.has(keyword) && (text === "true" || text === "false")) {
      fields.set(keyword, text === "true")
      note("flag-as-text", path, keyword, `${keyword}: ${JSON.stringify(stated)} is read as ${text}.`)
    }
  }
}

/** What says something to a reader only, and the type of its value. */
const annotations: ReadonlyMap<string, "string" | "boolean" | "array"> = new Map([
  ["title", "string"],
  ["description", "string"],
  ["format", "string"],
  ["$comment", "string"],
  ["examples", "array"],
  ["readOnly", "boolean"],
  ["writeOnly", "boolean"],
  ["deprecated", "boolean"]
])

/** No value depends on them. YAML without quotes makes numbers, dates and flags of texts. */
const annotationValues: Repair = (fields, path, { draft, isDeclared, note }) => {
  for (const [keyword, type] of annotations) {
    const stated = fields.get(keyword)
    if (stated === undefined || (Array.isArray(stated) ? "array" : typeof stated) === type) continue
    // Before 2019-09 any value of it is valid.
    if (keyword === "deprecated" && isDeclared && draft.startsWith("draft-")) continue
    const isScalar = typeof stated === "number" || typeof stated === "boolean"
    const text = type === "string" && isScalar ? String(stated) : ""
    if (text === "" || keyword === "format") fields.delete(keyword)
    else fields.set(keyword, text)
    note(
      "annotation-type",
      path,
      keyword,
      `${keyword} is read as ${fields.has(keyword) ? "text" : "if it were absent"}.`
    )
  }
}

const emptyLists: Repair = (fields, path, { note }) => {
  const items = fields.get("items")
  if (Array.isArray(items) && items.length === 0) {
    fields.delete("items")
    note("empty-list", path, "items", "items: [] is read as if it were absent.")
  }
  for (const keyword of holdsNamed) {
    const stated = fields.get(keyword)
    if (!Array.isArray(stated) || stated.length > 0) continue
    fields.set(keyword, {})
    note("empty-list", path, keyword, `${keyword}: [] is read as {}.`)
  }
}

const draft4Id: Repair = (fields, path, { draft, note }) => {
  const id = fields.get("id")
  if (draft !== "draft-04" || typeof id !== "string" || fields.has("$id")) return
  fields.delete("id")
  fields.set("$id", id)
  note("draft-04-id", path, "id", "Draft 4's id is read as $id.")
}

const types: Repair = (fields, path, { fail, note }) => {
  const stated = fields.get("type")
  if (stated === undefined || isStandard(stated)) return
  const namesOf = Array.isArray(stated) ? stated : [stated]
  if (Array.isArray(stated) && stated.every(isStandard)) return
  const meanings = namesOf.map((name: unknown) =>
    typeof name === "string" ? (isStandard(name) ? { type: name } : meaningOf(name)) : undefined
  )
  const unknown = meanings.indexOf(undefined)
  if (unknown !== -1 || meanings.length === 0) {
    const found = JSON.stringify(namesOf[unknown]) ?? "nothing"
    return fail([...path, "type"], `${found} is no type: use string, number, integer, boolean, array, object or null`)
  }
  fields.delete("type")
  const [only, ...others] = meanings
  let read = "any value"
  if (meanings.some((meaning) => meaning !== undefined && Object.keys(meaning).length === 0)) {
    // Any value: nothing to state.
  } else if (others.length === 0 && only !== undefined) {
    read = JSON.stringify(only)
    for (const [keyword, value] of Object.entries(only)) if (!fields.has(keyword)) fields.set(keyword, value)
  } else {
    const type = [...new Set(meanings.flatMap((meaning) => meaning?.["type"] ?? []))]
    read = JSON.stringify({ type })
    fields.set("type", type)
  }
  note("type-name", path, "type", `${JSON.stringify(stated)} is read as ${read}.`)
}

const exclusiveFlags: Repair = (fields, path, { note }) => {
  for (const [keyword, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"]
  ] as const) {
    const stated = fields.get(keyword)
    if (typeof stated !== "boolean") continue
    const limit = fields.get(bound)
    fields.delete(keyword)
    if (stated && typeof limit === "number") {
      fields.delete(bound)
      fields.set(keyword, limit)
    }
    note("exclusive-flag", path, keyword, `${keyword}: ${stated} is read with ${bound}.`)
  }
}

const itemsList: Repair = (fields, path, { draft, fail, note }) => {
  const items = fields.get("items")
  if (draft !== "2020-12" || !Array.isArray(items)) return
  if (fields.has("prefixItems"))
    return fail([...path, "items"], "a list beside prefixItems: state the rest as one schema")
  fields.delete("items")
  fields.set("prefixItems", items)
  if (fields.has("additionalItems")) {
    fields.set("items", fields.get("additionalItems"))
    fields.delete("additionalItems")
  }
  note("items-list", path, "items", "A list in items is read as prefixItems.")
}

/** Whether a property says of itself that it is required; `undefined` where it says nothing that counts. */
const requiredFlag = (property: unknown): boolean | undefined => {
  if (!isObject(property)) return undefined
  const { required } = property
  if (typeof required === "boolean") return required
  // A property named "true" is not what this means: properties of its own would stand beside it.
  if (typeof required !== "string" || isObject(property["properties"])) return undefined
  const text = required.toLowerCase()
  return text === "true" ? true : text === "false" ? false : undefined
}

const requiredFlags: Repair = (fields, path, { note }) => {
  const own = fields.get("required")
  if (typeof own === "string" && isObject(fields.get("properties"))) {
    fields.set("required", [own])
    note("required-flag", path, "required", "One name is read as a list of one.")
  } else if (requiredFlag({ required: own }) !== undefined) {
    fields.delete("required")
    // On a property it is read by its object.
    if (path.at(-2) !== "properties") {
      note("required-flag", path, "required", "A flag that is on no property says nothing.")
    }
  }
  const properties = fields.get("properties")
  if (!isObject(properties)) return
  const listed = fields.get("required")
  const required: Array<unknown> = Array.isArray(listed) ? [...new Set(listed)] : []
  if (Array.isArray(listed) && required.length < listed.length) {
    fields.set("required", required)
    note("repeated-name", path, "required", "A name listed twice is listed once.")
  }
  for (const [key, property] of Object.entries(properties)) {
    const flag = requiredFlag(property)
    if (flag === undefined) continue
    if (flag && !required.includes(key)) {
      required.push(key)
      fields.set("required", required)
    }
    const reason = flag ? `${key} is listed as required.` : `${key} is not listed as required by it.`
    note("required-flag", [...path, "properties", key], "required", reason)
  }
}

const optionalFlag: Repair = (fields, path, { isDeclared, note }) => {
  if (isDeclared || typeof fields.get("optional") !== "boolean") return
  fields.delete("optional")
  note("optional-flag", path, "optional", "Which properties are required is read from their object's list.")
}

const patterns: Repair = (fields, path, { fail, note }) => {
  const pattern = fields.get("pattern")
  if (typeof pattern === "string" && !isRegExp(pattern)) {
    const translated = fromOtherEngine(pattern)
    if (!isRegExp(translated)) return fail([...path, "pattern"], "this is no regular expression of ECMAScript")
    fields.set("pattern", translated)
    note("pattern-syntax", path, "pattern", `Read as ${translated}.`)
  }
  const named = fields.get("patternProperties")
  if (!isObject(named)) return
  const keys = Object.keys(named)
  const read = new Map(keys.map((key) => [isRegExp(key) ? key : fromOtherEngine(key), named[key]]))
  const broken = keys.find((key) => !isRegExp(key) && !isRegExp(fromOtherEngine(key)))
  if (broken !== undefined || read.size < keys.length) {
    return fail(
      [...path, "patternProperties", ...(broken === undefined ? [] : [broken])],
      "this is no regular expression of ECMAScript"
    )
  }
  if (keys.every((key) => read.has(key))) return
  fields.set("patternProperties", Object.fromEntries(read))
  note("pattern-syntax", path, "patternProperties", `Read as ${[...read.keys()].join(", ")}.`)
}

const namedClasses: ReadonlyMap<string, string> = new Map([
  ["alnum", "A-Za-z0-9"],
  ["alpha", "A-Za-z"],
  ["ascii", "\\x00-\\x7f"],
  ["blank", " \\t"],
  ["cntrl", "\\x00-\\x1f\\x7f"],
  ["digit", "0-9"],
  ["graph", "\\x21-\\x7e"],
  ["lower", "a-z"],
  ["print", "\\x20-\\x7e"],
  ["punct", "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e"],
  ["space", "\\s"],
  ["upper", "A-Z"],
  ["xdigit", "0-9A-Fa-f"]
])

/** Python's groups and ends of a text, the classes of letters that POSIX and Java name, and escapes of signs that need none. */
const fromOtherEngine = (pattern: string): string => {
  let isInClass = false
  // Each escape is one token: of `\\A`, no end of a text is made.
  return pattern.replaceAll(
    /\(\?P(?:<|=(\w+)\))|\\([pP])\{(\w+)\}|\[:(\w+):\]|\\.|[[\]]/gs,
    (whole: string, group?: string, sign?: string, java?: string, posix?: string) => {
      const characters = namedClasses.get((java ?? posix ?? "").toLowerCase())
      if (characters !== undefined && (java !== undefined || isInClass) && !(sign === "P" && isInClass)) {
        return isInClass ? characters : `[${sign === "P" ? "^" : ""}${characters}]`
      }
      if (whole === "[" || whole === "]") isInClass = whole === "["
      else if (!isInClass) {
        if (whole.startsWith("(")) return group === undefined ? "(?<" : `\\k<${group}>`
        if (whole === "\\A") return "^"
        if (/^\\[Zz]$/.test(whole)) return "$"
      }
      // With the flag `u`, only what means something without it is escaped.
      return /^\\[^A-Za-z0-9^$\\.*+?()[\]{}|/]$/.test(whole) && !(isInClass && whole === "\\-") ? whole.slice(1) : whole
    }
  )
}

/** After the subschemas, since it may wrap them. */
const nullable: Repair = (fields, path, { isDeclared, note }) => {
  if (isDeclared) return
  for (const keyword of ["nullable", "x-nullable"]) {
    const stated = fields.get(keyword)
    if (typeof stated !== "boolean") continue
    fields.delete(keyword)
    if (!stated) continue
    allowNull(fields)
    note("nullable", path, keyword, "Null is a valid value too.")
  }
}

/** What is said of the whole, and what references look for where it stands. */
const stays = keywordsIn("$anchor $defs $id $schema default definitions deprecated description example examples title")

const allowNull = (fields: Fields): void => {
  if (!["$ref", "allOf", "anyOf", "const", "if", "not", "oneOf"].some((keyword) => fields.has(keyword))) {
    const type = fields.get("type")
    const values = fields.get("enum")
    const all = Array.isArray(type) ? type : [type]
    if (type !== undefined && !all.includes("null")) fields.set("type", [...all, "null"])
    if (Array.isArray(values) && !values.includes(null)) fields.set("enum", [...values, null])
    return
  }
  const stated = [...fields].filter(([keyword]) => !stays.has(keyword))
  for (const [keyword] of stated) fields.delete(keyword)
  fields.set("anyOf", [Object.fromEntries(stated), { type: "null" }])
}

export const repairs = {
  /** A schema where something else stands for it. */
  schema: (value: unknown, path: Path, { note }: Normaliser): unknown => {
    const meaning = typeof value === "string" && value.trim() !== "" ? meaningOf(value) : undefined
    if (meaning === undefined) return undefined
    note("type-as-schema", path, "type", `${JSON.stringify(value)} is read as ${JSON.stringify(meaning)}.`)
    return meaning
  },
  /** Before the subschemas are looked at. */
  keywords: [
    nullKeywords,
    textValues,
    annotationValues,
    emptyLists,
    draft4Id,
    types,
    exclusiveFlags,
    itemsList,
    requiredFlags,
    optionalFlag,
    patterns
  ],
  /** After them. */
  whole: [nullable]
} as const
