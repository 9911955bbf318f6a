/** One tool from an entry of `TOOLS`: a function in the schema of OpenAI. */
import type { Facts, JsonSchema } from "@wield/core"
import * as Issue from "@wield/core/Issue"
import * as Effect from "effect/Effect"
import { isArray, isRecord, type Located } from "./Located.js"
import type { FunctionTool } from "../FunctionFile.js"
import type { Report } from "./report.js"

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
      report.error(
        "malformed-tool",
        `${where} must be a dict with "type" and "function", but is ${Issue.show(entry.value)}`,
        entry
      )
      return undefined
    }
    const type = entry.entries.get("type")
    const described = entry.entries.get("function")
    if (described === undefined || !isRecord(described.value)) {
      const found = described === undefined ? "" : `, but is ${Issue.show(described.value)}`
      report.error(
        "missing-function",
        `${where}["function"] must be a dict with "name", "description" and "parameters"${found}`,
        described ?? entry
      )
      return undefined
    }
    if (type !== undefined && type.value !== "function") {
      report.error("tool-type", `${where}["type"] must be "function", but is ${Issue.show(type.value)}`, type)
      return undefined
    }
    if (type === undefined) report.warning("missing-type", `${where} has no "type"; add "type": "function"`, entry)
    const named = described.entries.get("name")
    const name = named?.value
    if (named === undefined || typeof name !== "string" || name === "") {
      const found = named === undefined ? "it is missing" : `it is ${Issue.show(named.value)}`
      report.error(
        "missing-name",
        `${where}["function"]["name"] must be the function's name, but ${found}`,
        named ?? described
      )
      return undefined
    }
    if (!/^[\w-]{1,64}$/.test(name)) {
      report.warning(
        "function-name",
        `Models' APIs take names of at most 64 letters, digits, _ and -; ${JSON.stringify(name)} has others`,
        named,
        name
      )
    }
    const written = described.entries.get("description")
    const description = typeof written?.value === "string" && written.value.trim() !== "" ? written.value : undefined
    if (description === undefined) {
      report.warning(
        "missing-description",
        `${name} has no description; say in it what the function does and when to use it`,
        written ?? described,
        name
      )
    }
    const parameters = described.entries.get("parameters")
    for (const key of ["input_schema", "inputSchema", "params", "arguments", "properties"]) {
      const found = described.entries.get(key)
      if (parameters !== undefined || found === undefined) continue
      report.warning(
        "parameters-key",
        `${JSON.stringify(key)} of ${name} is not read, so that it has no parameters; ${
          key === "properties"
            ? 'put it into "parameters": {"type": "object", "properties": {...}}'
            : 'name it "parameters"'
        }`,
        found,
        name
      )
    }
    const isSound = parameters === undefined || (yield* areParameters(parameters, name, report, compile))
    if (!isSound) return undefined
    return {
      name,
      description,
      inputSchema: parameters !== undefined && isRecord(parameters.value) ? parameters.value : {},
      facts: { ...reachOf(entry, name, report), ...disclosureOf(entry, name, report) },
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
    const rule = "parameters"
    const wrong = (message: string, at: Located): boolean => {
      report.error(rule, message, at, name)
      return false
    }
    const schema = parameters.value
    if (!isRecord(schema)) {
      return wrong(
        `The parameters of ${name} must be a JSON Schema, {"type": "object", "properties": {...}}, but are ${Issue.show(schema)}`,
        parameters
      )
    }
    const type = parameters.entries.get("type")
    if (type !== undefined && type.value !== "object") {
      return wrong(`The parameters of ${name} must have "type": "object", but have ${Issue.show(type.value)}`, type)
    }
    const properties = parameters.entries.get("properties")
    if (properties !== undefined && !isRecord(properties.value)) {
      return wrong(
        `The "properties" of ${name} must be a dict of parameters, but are ${Issue.show(properties.value)}`,
        properties
      )
    }
    let isSound = true
    for (const [parameter, property] of properties?.entries ?? []) {
      if (isRecord(property.value) || typeof property.value === "boolean") continue
      isSound = wrong(
        `The parameter ${JSON.stringify(parameter)} of ${JSON.stringify(name)} must be a JSON Schema such as {"type": "string"}, but is ${Issue.show(property.value)}`,
        property
      )
    }
    const required = parameters.entries.get("required")
    if (
      required !== undefined &&
      !(isArray(required.value) && required.value.every((item) => typeof item === "string"))
    ) {
      isSound = wrong(
        `"required" of ${name} must be a list of names of parameters, but is ${Issue.show(required.value)}`,
        required
      )
    }
    if (!isSound) return false
    for (const item of required?.items ?? []) {
      if (typeof item.value === "string" && !(properties?.entries.has(item.value) ?? false)) {
        report.warning(
          "required",
          `${name} requires ${JSON.stringify(item.value)}, which is not among its "properties"`,
          item,
          name
        )
      }
    }
    return yield* Effect.match(compile({ ...schema, type: "object" }, { formats: "assertion" }), {
      onFailure: (error) => wrong(`The parameters of ${name} are no JSON Schema: ${error.message}`, parameters),
      onSuccess: () => true
    })
  })

type Stated = Partial<Facts.Facts>

const reachOf = (entry: Located, name: string, report: Report): Stated => {
  const network = entry.entries.get("network")
  if (network === undefined) return {}
  if (typeof network.value === "boolean") return { isOpenWorld: network.value }
  report.warning(
    "network",
    `"network" of ${name} must be True or False, but is ${Issue.show(network.value)}; it is taken for not stated`,
    network,
    name
  )
  return {}
}

const disclosureOf = (entry: Located, name: string, report: Report): Stated => {
  const isLocal = entry.entries.get("is_local")
  if (isLocal === undefined) return {}
  if (isLocal.value === "endpoint") return { disclosure: "endpoint" }
  if (typeof isLocal.value === "boolean") return { disclosure: isLocal.value ? "none" : "any" }
  report.warning(
    "is-local",
    `"is_local" of ${name} must be True, False or "endpoint", but is ${Issue.show(isLocal.value)}; it is taken for not stated`,
    isLocal,
    name
  )
  return {}
}
