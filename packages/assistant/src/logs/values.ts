/** The texts in a value that is logged, to be looked at together, and the value again with other texts. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { isSecretName } from "./names.js"

export interface Piece {
  readonly text: string
  readonly isSecret: boolean
  /** Is a name itself, so not what a name before it leads one to expect. */
  readonly isName: boolean
}

type Rebuild = (texts: ReadonlyArray<string>) => unknown

const deepest = 8

const mostPieces = 500

/** All pieces together; what comes behind is left out. A line has room for far less. */
const mostCharacters = 65_536

export const collect = (pieces: Array<Piece>, stackTraces: boolean) => {
  let characters = 0
  const add = (text: string, isSecret: boolean, isName = false): ((texts: ReadonlyArray<string>) => string) => {
    if (pieces.length >= mostPieces || characters > mostCharacters) return () => "…"
    characters += text.length
    const index = pieces.push({ text, isSecret, isName }) - 1
    return (texts) => texts[index] ?? text
  }

  const take = (value: unknown, isSecret: boolean, above: ReadonlyArray<object>): Rebuild => {
    if (typeof value === "string") return add(stackTraces ? value : withoutFrames(value), isSecret)
    if (typeof value === "number" || typeof value === "bigint") {
      const written = String(value)
      const rebuild = add(written, isSecret)
      return (texts) => {
        const text = rebuild(texts)
        return text === written && typeof value === "number" ? value : text
      }
    }
    if (typeof value === "boolean" || value === null || value === undefined) return () => value
    if (typeof value !== "object") return add(String(value), isSecret)
    if (Redacted.isRedacted(value)) return () => "<redacted>"
    if (above.includes(value)) return () => "[Circular]"
    if (above.length >= deepest) return () => "…"
    return parts(value, isSecret, [...above, value])
  }

  const parts = (value: object, isSecret: boolean, above: ReadonlyArray<object>): Rebuild => {
    if (value instanceof Date) return () => (Number.isNaN(value.getTime()) ? null : value.toISOString())
    if (ArrayBuffer.isView(value)) return () => `<${value.byteLength} bytes>`
    if (value instanceof Map || value instanceof Set) return list([...value], isSecret, above)
    if (Array.isArray(value)) return list(value, isSecret, above)
    // Before `toJSON`, which tells the stack of some errors.
    if (value instanceof Error) {
      const { cause, message, name, stack, ...others } = value
      // They are not among its own fields that can be listed.
      const errors: unknown = value instanceof AggregateError ? value.errors : undefined
      const joined = errors === undefined ? {} : { errors }
      return fields(
        { name, message, ...others, ...joined, cause, stack: stackTraces ? stack : undefined },
        isSecret,
        above
      )
    }
    if (Predicate.hasProperty(value, "toJSON") && typeof value.toJSON === "function") {
      return take(value.toJSON(), isSecret, above)
    }
    return fields(value, isSecret, above)
  }

  const list = (values: ReadonlyArray<unknown>, isSecret: boolean, above: ReadonlyArray<object>): Rebuild => {
    const rebuilt = values.slice(0, mostPieces).map((value) => take(value, isSecret, above))
    return (texts) => rebuilt.map((rebuild) => rebuild(texts))
  }

  const fields = (value: object, isSecret: boolean, above: ReadonlyArray<object>): Rebuild => {
    const rebuilt = Object.entries(value)
      .slice(0, mostPieces)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [add(name, false, true), take(field, isSecret || isSecretName(name), above)] as const)
    return (texts) => Object.fromEntries(rebuilt.map(([name, field]) => [name(texts), field(texts)]))
  }

  return {
    name: (text: string) => add(text, false, true),
    text: (text: string) => add(text, false),
    /** What cannot be read, such as an object with a getter that throws, is not logged. */
    value: (value: unknown, isSecret = false): Rebuild =>
      Either.getOrElse(
        Either.try(() => take(value, isSecret, [])),
        () => () => "<unreadable>"
      )
  }
}

/** Without the lines of a trace, as runtimes write them: `    at name (file:1:2)`. */
const withoutFrames = (text: string): string =>
  text.includes("\n")
    ? text
        .split("\n")
        .filter((line, index) => index === 0 || !/^\s+at .*(?::\d+:\d+\)?|\(native\)|<anonymous>\)?)$/.test(line))
        .join("\n")
    : text
