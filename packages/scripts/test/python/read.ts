/** What introspection tells of a file or a text. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { introspectPython } from "../../src/python/introspect.js"
import type { Source } from "../../src/syntax/Source.js"

export const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/python/${name}`, import.meta.url), "utf8")

/** With the grammar loaded once. */
const introspection = Effect.runSync(Effect.cached(introspectPython))

export const read = (text: string, kind: Source["kind"] = "tool", file = "tools/weather.py") =>
  Effect.flatMap(introspection, (introspect) => introspect({ file, text, kind }))

/** The schemas of the parameters of `run`, by name. */
export const schemasOf = (text: string) =>
  Effect.map(read(text), ({ functions: [run], problems }) => ({
    schemas: Object.fromEntries(run?.parameters.map(({ name, schema }) => [name, schema]) ?? []),
    required: run?.parameters.flatMap(({ isRequired, name }) => (isRequired ? [name] : [])),
    definitions: run?.inputSchema["$defs"],
    problems: problems.map(({ message, place, rule, severity, subject }) => ({
      severity,
      rule,
      at: place === undefined ? undefined : `${place.line}:${place.column}`,
      subject,
      message
    }))
  }))
