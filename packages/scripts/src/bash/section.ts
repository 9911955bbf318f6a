/** What the tags of a section come to: a function's description and parameters, each from the tag that declares it. */
import type { Outline, Section } from "./outline.js"
import type { ParameterTag } from "./Tag.js"
import type { Json } from "@wield/core"
import type { Parameter } from "../Script.js"
import type { BoundParameter } from "./Binding.js"

export type ReadSection = ReturnType<typeof readSection>

/** `argc__fn` is the function that is called, the others are its words. */
const reserved: ReadonlySet<string> = new Set(["_fn", "_args", "_positionals"])

/** `inherited` are options of the script that a command has, too, unless it declares its own. */
export const readSection = (
  section: Section,
  subject: string,
  { functions }: Outline,
  inherited: ReadonlyArray<ParameterTag> = []
) => {
  const { report } = section
  const tags = section.tags.filter(isParameter)
  const own = new Set(tags.map(parameterName))
  const seen = new Set<string>()
  const words = new Map<string, ParameterTag>()
  const parameters: Array<ReadParameter> = []
  for (const tag of [...inherited.filter((tag) => !own.has(parameterName(tag))), ...tags]) {
    const name = parameterName(tag)
    const at = { place: tag.place, subject: `${subject}.${name}` }
    if (seen.has(name)) {
      const message = `${name} is declared before; argc_${name} can hold only one of both`
      report.error("duplicate-parameter", message, at)
      continue
    }
    seen.add(name)
    if (reserved.has(name)) {
      report.error("reserved-parameter", `argc_${name} is a variable that argc itself sets; name it otherwise`, at)
      continue
    }
    // An inherited option may share a short name with one of the command's own.
    const names = tags.includes(tag) ? [tag.word, tag.short].filter((word) => word !== undefined) : []
    const taken = names.find((word) => words.has(word))
    if (taken !== undefined) {
      const other = words.get(taken)?.word ?? "another parameter"
      report.error("duplicate-parameter", `${taken} is the name of ${other} before; take another one`, at)
      continue
    }
    for (const word of names) words.set(word, tag)
    const read = parameterOf(tag)
    for (const { message, rule } of read.mistakes) report.error(rule, message, at)
    const { choicesFunction, defaultFunction } = read.binding
    for (const asked of [choicesFunction, defaultFunction]) {
      if (asked === undefined || functions.has(asked)) continue
      const message = `The script has no function ${asked}; unless it sources one, every call that needs it fails`
      report.warning("unknown-function", message, at)
    }
    parameters.push(read)
  }
  const texts = section.tags.flatMap((tag) =>
    (tag.tag === "describe" || tag.tag === "cmd") && tag.text !== "" ? [tag] : []
  )
  const [last, ...before] = texts.toReversed()
  for (const { place } of before) {
    report.warning("ignored", "There is another description below, which is the one that counts", { place, subject })
  }
  return {
    description: last?.text ?? "",
    parameters,
    variables: section.tags.flatMap((tag) => (tag.tag === "env" ? [tag] : []))
  }
}

export const isParameter = (tag: Section["tags"][number]): tag is ParameterTag =>
  tag.tag === "option" || tag.tag === "flag" || tag.tag === "arg"

/** A parameter, how it is bound, and what is wrong with its tag. */
interface ReadParameter {
  readonly parameter: Parameter
  readonly binding: BoundParameter
  readonly mistakes: ReadonlyArray<Mistake>
}

interface Mistake {
  readonly rule: string
  readonly message: string
}

/** argc's name of the variable, without `argc_`. */
const parameterName = ({ name }: ParameterTag): string => name.replaceAll(/[-.:]/g, "_")

const parameterOf = (tag: ParameterTag): ReadParameter => {
  const mistakes: Array<Mistake> = []
  const name = parameterName(tag)
  const kind = kindOf(tag)
  const notation = tag.notations[0] ?? ""
  const shown = `${tag.word === undefined ? "" : `${tag.word} `}<${(notation === "" ? tag.name : notation).toUpperCase()}>`
  const texts = defaultTexts(tag, kind)
  const types = typesOf(tag)
  const describe = tag.description === "" ? {} : { description: tag.description }
  const typed = (text: string, what: string, rule: string, at = 0): Json.Json => {
    const type = types[Math.min(at, types.length - 1)] ?? "string"
    const value = typedValue(text, type)
    if (value === undefined) {
      mistakes.push({ rule, message: `${what} of ${shown} is ${JSON.stringify(text)}; expected ${withArticle(type)}` })
    }
    return value ?? text
  }
  const choices = tag.choices?.type === "values" ? tag.choices.values : undefined
  const values = choices?.map((choice) => typed(choice, "A choice", "invalid-choice"))
  const items = types.map((type) => ({ type, ...(values === undefined ? {} : { enum: values }) }))
  const defaults = texts?.map((text, at) => typed(text, "The default", "invalid-default", at))
  const schema = { ...schemaOf(tag, kind, items), ...describe, ...defaultKeyword(tag, kind, defaults) }
  const isRequired = tag.modifier.isRequired && tag.default === undefined && tag.variable === undefined
  return {
    parameter: { name, schema, isRequired },
    binding: {
      name,
      kind,
      word: tag.word,
      joint: jointOf(tag),
      shown,
      default: texts,
      defaultFunction: tag.default?.type === "function" ? tag.default.name : undefined,
      choicesFunction: tag.choices?.type === "function" && tag.choices.isValidated ? tag.choices.name : undefined,
      variable:
        tag.variable === undefined
          ? undefined
          : {
              name: tag.variable === "$" ? name.toUpperCase() : tag.variable,
              delimiter: tag.modifier.delimiter,
              isRequired: tag.modifier.isRequired && tag.default === undefined,
              choices: choices ?? []
            }
    },
    mistakes
  }
}

const kindOf = ({ modifier, notations, repetition, tag }: ParameterTag): BoundParameter["kind"] => {
  if (tag === "flag") return modifier.isMultiple ? "counter" : "flag"
  if (modifier.isMap) return "map"
  const isMany = modifier.isMultiple || modifier.isRest || notations.length > 1
  return isMany || repetition === "*" || repetition === "+" ? "list" : "single"
}

/** Values that follow one word may be many, and of an option that is given many times, they are many each time. */
const isGrouped = ({ modifier, notations, repetition }: ParameterTag): boolean =>
  modifier.isMultiple && (notations.length > 1 || repetition !== undefined)

const jointOf = (tag: ParameterTag): BoundParameter["joint"] => {
  const { modifier, notations, repetition } = tag
  if (modifier.isPrefix) return ""
  if (modifier.isRest || repetition !== undefined) return Infinity
  return notations.length > 1 ? notations.length : "="
}

const defaultTexts = (tag: ParameterTag, kind: BoundParameter["kind"]): ReadonlyArray<string> | undefined => {
  if (tag.default?.type !== "value") return undefined
  const { delimiter } = tag.modifier
  return kind === "list" && delimiter !== undefined ? tag.default.value.split(delimiter) : [tag.default.value]
}

type ScalarType = "string" | "integer" | "number"

const typesOf = ({ notations }: ParameterTag): ReadonlyArray<ScalarType> =>
  notations.length === 0 ? ["string"] : notations.map(typeOfNotation)

const typeOfNotation = (notation: string): ScalarType => {
  const name = notation.toUpperCase()
  if (name === "INT") return "integer"
  return name === "NUM" ? "number" : "string"
}

const withArticle = (type: ScalarType): string => (type === "integer" ? "an integer" : `a ${type}`)

const typedValue = (text: string, type: ScalarType): Json.Json | undefined => {
  if (type === "string") return text
  const isOne = type === "integer" ? /^[+-]?\d+$/.test(text) : text.trim() !== "" && Number.isFinite(Number(text))
  return isOne ? Number(text) : undefined
}

const schemaOf = (
  tag: ParameterTag,
  kind: BoundParameter["kind"],
  items: ReadonlyArray<Json.JsonSchema>
): Json.JsonSchema => {
  const [first = { type: "string" }] = items
  switch (kind) {
    case "flag":
      return { type: "boolean" }
    case "counter":
      return { type: "integer", minimum: 0 }
    case "map":
      return { type: "object", additionalProperties: first }
    case "single":
      return first
    case "list": {
      if (!isGrouped(tag)) return arrayOf(items, bounds(tag, items.length))
      const group = arrayOf(items, bounds({ ...tag, modifier: { ...tag.modifier, isMultiple: false } }, items.length))
      return { type: "array", items: group, ...(tag.modifier.isRequired ? { minItems: 1 } : {}) }
    }
  }
}

const arrayOf = (items: ReadonlyArray<Json.JsonSchema>, { maximum, minimum }: Bounds): Json.JsonSchema => {
  const [first = { type: "string" }] = items
  return {
    type: "array",
    ...(items.every(({ type }) => type === first.type)
      ? { items: first }
      : { prefixItems: items, items: items.at(-1) }),
    ...(minimum > 0 ? { minItems: minimum } : {}),
    ...(maximum === undefined ? {} : { maxItems: maximum })
  }
}

interface Bounds {
  readonly minimum: number
  readonly maximum: number | undefined
}

/** How many values a list may have. */
const bounds = ({ modifier, repetition }: ParameterTag, notations: number): Bounds => {
  if (modifier.isRest || modifier.isMultiple) return { minimum: modifier.isRequired ? 1 : 0, maximum: undefined }
  const least = repetition === "*" || repetition === "?" ? notations - 1 : notations
  return { minimum: least, maximum: repetition === "*" || repetition === "+" ? undefined : notations }
}

const defaultKeyword = (
  tag: ParameterTag,
  kind: BoundParameter["kind"],
  values: ReadonlyArray<Json.Json> | undefined
): Json.JsonSchema => {
  // What the environment says comes before it, and is known to the script alone.
  if (tag.variable !== undefined) return {}
  if (kind === "flag") return { default: false }
  if (kind === "counter") return { default: 0 }
  if (values === undefined || kind === "map" || isGrouped(tag)) return {}
  return { default: kind === "list" ? values : values[0] }
}
