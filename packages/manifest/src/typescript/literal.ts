/** Values and names from outside as code: they are quoted, never put into it as they are. */
import * as Json from "@wield/core/Json"
import { type Doc, list } from "./Doc.js"

/** U+2028 and U+2029 end a line in some readers of JavaScript. */
export const text = (value: string): string =>
  JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

export const literal = (value: unknown): Doc => {
  if (typeof value === "string") return text(value)
  if (Array.isArray(value)) return list("[", value.map(literal), "]")
  if (!Json.isObject(value)) return JSON.stringify(value) ?? "undefined"
  const entries = Object.entries(value)
  return entries.length === 0
    ? "{}"
    : list(
        "{",
        entries.map(([name, held]) => [keyOf(name), ": ", literal(held)]),
        "}"
      )
}

/** A key of an object: `__proto__` in quotes would set its prototype. */
export const keyOf = (name: string): string =>
  name === "__proto__" ? '["__proto__"]' : isIdentifier(name) ? name : text(name)

export const typeKeyOf = (name: string): string => (isIdentifier(name) ? name : text(name))

export const isIdentifier = (name: string): boolean => /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name)

/** Text in a comment, which must not end it. */
export const comment = (value: string): string => {
  const lines = value
    .replaceAll("*/", "*\\/")
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trimEnd())
  return lines.length === 1
    ? `/** ${lines[0] ?? ""} */`
    : `/**\n${lines.map((line) => ` *${line === "" ? "" : ` ${line}`}`).join("\n")}\n */`
}
