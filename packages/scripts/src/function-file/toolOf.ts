/** One tool from an entry of `TOOLS`: a function in the schema of OpenAI. */
import type { Facts, JsonSchema } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Issue from "@wield/core/Issue"
import * as Effect from "effect/Effect"
import { isRecord, type Located } from "./Located.js"
import type { FunctionTool } from "../FunctionFile.js"
import type { Report } from "../folder/problem.js"

export type CompileSchema = Effect.Effect.Success<typeof JsonSchema.compiler>

/** `undefined` if it is not a tool; what is wrong was reported then. */
export const toolOf = (
  entry: Located,
  index: number,
  report: Report,
  compile: CompileSchema
): Effect.Effect<FunctionTool | undefined> =>
  Effect.gen(function* () {
    const where = `TOOLS[${index}]`
    if (!isRecord(entry.value)) {
      const message = `${where} must be a dict with "type" and "function", but is ${Issue.show(entry.value)}`
      return report.error("malformed-tool", message, entry)
    }
    const type = entry.entries.get("type")
    const described = entry.entries.get("function")
    if (described === undefined || !isRecord(described.value)) {
      const found = described === undefined ? "" : `, but is ${Issue.show(described.value)}`
      const message = `${where}["function"] must be a dict with "name", "description" and "parameters"${found}`
      return report.error("missing-function", message, described ?? entry)
    }
    if (type !== undefined && type.value !== "function") {
      return report.error("tool-type", `${where}["type"] must be "function", but is ${Issue.show(type.value)}`, type)
    }
    if (type === undefined) report.warning("missing-type", `${where} has no "type"; add "type": "function"`, entry)
    const named = described.entries.get("name")
    const name = named?.value
    if (named === undefined || typeof name !== "string" || name === "") {
      const found = named === undefined ? "it is missing" : `it is ${Issue.show(named.value)}`
      const message = `${where}["function"]["name"] must be the function's name, but ${found}`
      return report.error("missing-name", message, named ?? described)
    }
    const warn = (rule: string, message: string, at: Located): void => report.warning(rule, message, at, name)
    if (!/^[\w-]{1,64}$/.test(name)) {
      const message = `Models' APIs take names of at most 64 letters, digits, _ and -; ${JSON.stringify(name)} has others`
      warn("function-name", message, named)
    }
    const written = described.entries.get("description")
    const description = typeof written?.value === "string" && written.value.trim() !== "" ? written.value : undefined
    if (description === undefined) {
      const message = `${name} has no description; say in it what the function does and when to use it`
      warn("missing-description", message, written ?? described)
    }
    const parameters = described.entries.get("parameters")
    for (const key of ["input_schema", "inputSchema", "params", "arguments", "properties"]) {
      const found = described.entries.get(key)
      if (parameters !== undefined || found === undefined) continue
      const advice =
        key === "properties"
          ? 'put it into "parameters": {"type": "object", "properties": {...}}'
          : 'name it "parameters"'
      const message = `${JSON.stringify(key)} of ${name} is not read, so that it has no parameters; ${advice}`
      warn("parameters-key", message, found)
    }
    const isSound = parameters === undefined || (yield* areParameters(parameters, name, report, compile))
    if (!isSound) return undefined
    return {
      name,
      description,
      inputSchema: parameters !== undefined && isRecord(parameters.value) ? parameters.value : {},
      facts: factsOf(entry, name, warn),
      entry: entry.value,
      place: named.place
    }
  })

const areParameters = (
  parameters: Located,
  name: string,
  report: Report,
  compile: CompileSchema
): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    let isSound = true
    const wrong = (message: string, at: Located): false => {
      report.error("parameters", message, at, name)
      return (isSound = false)
    }
    const schema = parameters.value
    if (!isRecord(schema)) {
      const message = `The parameters of ${name} must be a JSON Schema, {"type": "object", "properties": {...}}, but are ${Issue.show(schema)}`
      return wrong(message, parameters)
    }
    const type = parameters.entries.get("type")
    if (type !== undefined && type.value !== "object") {
      return wrong(`The parameters of ${name} must have "type": "object", but have ${Issue.show(type.value)}`, type)
    }
    const properties = parameters.entries.get("properties")
    if (properties !== undefined && !isRecord(properties.value)) {
      const message = `The "properties" of ${name} must be a dict of parameters, but are ${Issue.show(properties.value)}`
      return wrong(message, properties)
    }
    for (const [parameter, property] of properties?.entries ?? []) {
      if (isRecord(property.value) || typeof property.value === "boolean") continue
      const message = `The parameter ${JSON.stringify(parameter)} of ${JSON.stringify(name)} must be a JSON Schema such as {"type": "string"}, but is ${Issue.show(property.value)}`
      wrong(message, property)
    }
    const required = parameters.entries.get("required")
    const areNames = required === undefined || Json.isArray(required.value)
    if (required !== undefined && !(areNames && required.items.every(({ value }) => typeof value === "string"))) {
      wrong(
        `"required" of ${name} must be a list of names of parameters, but is ${Issue.show(required.value)}`,
        required
      )
    }
    if (!isSound) return false
    for (const item of required?.items ?? []) {
      if (typeof item.value === "string" && properties?.entries.has(item.value) !== true) {
        const message = `${name} requires ${JSON.stringify(item.value)}, which is not among its "properties"`
        report.warning("required", message, item, name)
      }
    }
    return yield* Effect.match(compile({ ...schema, type: "object" }, { formats: "assertion" }), {
      onFailure: (error) => wrong(`The parameters of ${name} are no JSON Schema: ${error.message}`, parameters),
      onSuccess: () => true
    })
  })

const factsOf = (
  { entries }: Located,
  name: string,
  warn: (rule: string, message: string, at: Located) => void
): Partial<Facts.Facts> => {
  const network = entries.get("network")
  const isLocal = entries.get("is_local")
  const ignore = (rule: string, expected: string, at: Located): void => {
    const key = JSON.stringify(rule.replace("-", "_"))
    warn(rule, `${key} of ${name} must be ${expected}, but is ${Issue.show(at.value)}; it is taken for not stated`, at)
  }
  const isOpenWorld = typeof network?.value === "boolean" ? network.value : undefined
  const disclosure = isLocal === undefined ? undefined : disclosures.get(isLocal.value)
  if (network !== undefined && isOpenWorld === undefined) ignore("network", "True or False", network)
  if (isLocal !== undefined && disclosure === undefined) ignore("is-local", 'True, False or "endpoint"', isLocal)
  return { ...(isOpenWorld === undefined ? {} : { isOpenWorld }), ...(disclosure === undefined ? {} : { disclosure }) }
}

/** By what `is_local` says. */
const disclosures: ReadonlyMap<Json.Json, Facts.Facts["disclosure"]> = new Map<Json.Json, Facts.Facts["disclosure"]>([
  ["endpoint", "endpoint"],
  [true, "none"],
  [false, "any"]
])
