/** `${NAME}` in an API's configuration, from Effect's config provider, so that a test gives its own. */
import * as Json from "@wield/core/Json"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { error, type Fault, type Path } from "../ManifestProblem.js"

/** The configuration with each text that has a `${NAME}` as `Redacted`, or all that is missing. */
export const interpolate = (value: unknown, path: Path = []): Effect.Effect<unknown, ReadonlyArray<Fault>> => {
  if (typeof value === "string") return textOf(value, path)
  if (Array.isArray(value)) {
    return collected(value.map((item: unknown, index) => interpolate(item, [...path, index])))
  }
  if (!Json.isObject(value)) return Effect.succeed(value)
  const keys = Object.keys(value)
  return Effect.map(collected(keys.map((key) => interpolate(value[key], [...path, key]))), (values) =>
    Object.fromEntries(keys.map((key, index) => [key, values[index]]))
  )
}

const collected = (all: ReadonlyArray<Effect.Effect<unknown, ReadonlyArray<Fault>>>) =>
  Effect.validateAll(all, (effect) => effect).pipe(Effect.mapError((faults) => faults.flat()))

/** `$${` first: it stands for `${`, whatever follows. */
const reference = /\$\$\{|\$\{([^}]*)(\}?)/g

export const variablesOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [...value.matchAll(reference)].flatMap(([, name]) => name ?? [])
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(variablesOf) : []
}

const textOf = (text: string, path: Path): Effect.Effect<unknown, ReadonlyArray<Fault>> => {
  const matches = [...text.matchAll(reference)]
  if (matches.length === 0) return Effect.succeed(text)
  return collected(matches.map((match) => valueOf(match, path))).pipe(
    Effect.map((values) => {
      const replaced = matches.reduceRight(
        (before, { 0: { length }, index }, position) =>
          before.slice(0, index) + String(values[position]) + before.slice(index + length),
        text
      )
      return matches.every(([written]) => written === "$${") ? replaced : Redacted.make(replaced)
    })
  )
}

const valueOf = (match: RegExpExecArray, path: Path): Effect.Effect<string, ReadonlyArray<Fault>> => {
  const [written, name = "", end = ""] = match
  if (written === "$${") return Effect.succeed("${")
  const fault = (rule: string, message: string) => [error(rule, message, path, match.index)]
  if (end === "" || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    const message = `\${ begins the name of an environment variable, such as \${API_KEY}; write $\${ where \${ itself is meant`
    return Effect.fail(fault("invalid-variable", message))
  }
  return Effect.mapError(Config.string(name), (cause) =>
    fault(
      "missing-variable",
      ConfigError.isMissingData(cause)
        ? `The environment variable ${name} is not set; set it, or write $\${ where \${ itself is meant`
        : `The environment variable ${name} cannot be read`
    )
  )
}
