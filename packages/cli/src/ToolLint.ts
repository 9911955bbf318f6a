/** What is wrong with the definitions of tools, as a model has to read them. It needs no model and no network. */
import * as Tokens from "@wield/agent/Tokens"
import type { ToolDefinition } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as WireFormat from "@wield/providers/WireFormat"
import * as Effect from "effect/Effect"
import * as Number from "effect/Number"
import { nearestTools } from "./lint/nearest.js"

/**
 * One thing that is wrong.
 *
 * @category models
 */
export interface Finding {
  readonly severity: "error" | "warning"
  readonly rule: Rule
  readonly tool: string
  /** The parameter, where it is about one. */
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

/**
 * The rules, by name.
 *
 * @category models
 */
export type Rule =
  | "missing-description"
  | "empty-description"
  | "undocumented-parameter"
  | "ambiguous"
  | "large"
  | "loss"

/**
 * What was found, and what the definitions cost.
 *
 * @category models
 */
export interface Report {
  readonly findings: ReadonlyArray<Finding>
  /** Tokens of a prompt, estimated: of all definitions together, and of each. */
  readonly tokens: { readonly total: number; readonly tools: ReadonlyMap<string, number> }
}

/**
 * Checks definitions of tools from any source: words that are missing, tools that are easily taken for each other,
 * definitions that are large, and what the API of a provider cannot say of them.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolLint } from "@wield/cli"
 * import { ToolDefinition } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const tools = [
 *   ToolDefinition.make({ name: "get_order", description: "Gets one order of a customer by its number" }),
 *   ToolDefinition.make({ name: "get_orders" })
 * ]
 * Effect.runPromise(ToolLint.check(tools)).then(({ findings }) =>
 *   assert.deepStrictEqual(findings.map(({ rule, tool }) => [rule, tool]), [["missing-description", "get_orders"]])
 * )
 * ```
 *
 * @category checking
 */
export const check = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: {
    /** Whose losses are reported: all wire formats unless given. */
    readonly formats?: ReadonlyArray<WireFormat.WireFormat> | undefined
  } = {}
): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const { definition: count } = yield* Tokens.estimate().counts
    const tools = new Map(definitions.map((one) => [one.name, count(one)]))
    return {
      findings: [
        ...definitions.flatMap(wordsOf),
        ...nearestTools(definitions, ambiguous).map(({ likeness, name, other }) =>
          finding(
            name,
            "ambiguous",
            `${other} has mostly the same words (${likeness.toFixed(2)}): a model may take one for the other; say what tells them apart`
          )
        ),
        ...[...tools].flatMap(([name, size]) =>
          size <= large
            ? []
            : [finding(name, "large", `It takes about ${size} tokens of every prompt; ${large} are plenty`)]
        ),
        ...lossesOf(definitions, options.formats ?? WireFormat.all)
      ],
      tokens: { total: Number.sumAll(tools.values()), tools }
    }
  })

/** From here on, tools of measured collections were chosen wrongly clearly more often. */
const ambiguous = 0.5

const large = 1000

const finding = (tool: string, rule: Rule, message: string, path: ReadonlyArray<string | number> = []): Finding => ({
  severity: "warning",
  rule,
  tool,
  path,
  message
})

const wordsOf = ({ description = "", inputSchema, name }: ToolDefinition.ToolDefinition): ReadonlyArray<Finding> => {
  const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")
  const about: ReadonlyArray<Finding> =
    description.trim() === ""
      ? [finding(name, "missing-description", "It has no description: a model has only its name to choose it by")]
      : letters(description) === letters(name)
        ? [finding(name, "empty-description", "Its description only repeats its name")]
        : []
  return [...about, ...undocumented(name, inputSchema, [], 0)]
}

const undocumented = (
  tool: string,
  schema: unknown,
  path: ReadonlyArray<string | number>,
  depth: number
): ReadonlyArray<Finding> => {
  if (!Json.isObject(schema) || depth > 3) return []
  const properties = Json.isObject(schema["properties"]) ? Object.entries(schema["properties"]) : []
  return properties.flatMap(([name, property]) => {
    const at = [...path, name]
    if (!Json.isObject(property)) return []
    const isClear = ["description", "title", "enum", "const", "$ref"].some((keyword) => keyword in property)
    const own = isClear ? [] : [finding(tool, "undocumented-parameter", "It has no description", at)]
    return [...own, ...undocumented(tool, property, at, depth + 1)]
  })
}

/** One finding for each place, with the formats that lose it. */
const lossesOf = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  formats: ReadonlyArray<WireFormat.WireFormat>
): ReadonlyArray<Finding> => {
  const found = new Map<string, { readonly finding: Finding; readonly formats: Array<string> }>()
  for (const format of formats) {
    for (const { keyword, path, reason, subject } of format.encodeTools(definitions).losses) {
      const at = [...path, keyword]
      const key = JSON.stringify([subject, at, reason])
      const known = found.get(key) ?? { finding: finding(subject, "loss", reason, at), formats: [] }
      known.formats.push(format.name)
      found.set(key, known)
    }
  }
  return Array.from(found.values(), (one) => ({
    ...one.finding,
    message: `${one.finding.message} (${one.formats.join(", ")})`
  }))
}
