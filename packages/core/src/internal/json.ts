/** JSON text and values between a model and a tool, and why something is not JSON. */
import { isPlain, parse } from "../Json.js"
import { isJson } from "./isJson.js"

/** A value or text that is not JSON, and why. */
export class NotJson {
  constructor(
    readonly reason: string,
    readonly path: ReadonlyArray<string | number> = []
  ) {}
}

/** Cycles, BigInt and very deep nesting have no JSON text. */
export const jsonText = (value: unknown): string | NotJson => {
  // JSON.stringify reports by throwing; no effect is involved.
  try {
    // Its type leaves out that a function, and nothing, have no text.
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? new NotJson(`a ${typeof value}`) : text
  } catch (error) {
    return new NotJson(error instanceof Error ? (error.message.split("\n")[0] ?? "") : "it cannot be serialised")
  }
}

/**
 * A program's value as JSON: itself where it is JSON, else a copy, in which all that has `toJSON` is its JSON and an
 * instance of a class its fields. What JSON.stringify loses without a word, such as a Map, a function or `NaN`, is not
 * JSON; `undefined` is, since what may be absent is often written so.
 */
export const jsonOf = (value: unknown, isNot: (problems: ReadonlyArray<NotJson>) => void): unknown => {
  // A getter that throws, and what contains itself, is found again by the reader.
  try {
    if (isJson(value, true)) return value
  } catch {}
  const reader = new Reader()
  const copy = reader.read("", () => value)
  if (reader.problems.length > 0) isNot(reader.problems)
  return copy === undefined ? null : copy
}

/** An instance of an image or a file of `Content`, also of another copy of this package. What was read from JSON is JSON. */
const isPicture = (value: object): boolean =>
  Object.getPrototypeOf(value) !== Object.prototype &&
  /^(?:Image|File)$/.test(String(Reflect.get(value, "_tag"))) &&
  "mediaType" in value &&
  "source" in value

const AnswerId = Symbol.for("@wield/core/Content/Answer")

/** More would only repeat the same mistake. */
const shownProblems = 10

class Reader {
  readonly problems: Array<NotJson> = []
  readonly #path: Array<string | number> = []
  readonly #above = new Set<object>()

  /** The JSON of what is at a key. A getter or a `toJSON` may throw; no effect is involved. */
  read(key: string | number, of: () => unknown): unknown {
    if (this.problems.length >= shownProblems) return undefined
    try {
      return this.#copyOf(key, of())
    } catch (error) {
      return this.#report(error instanceof RangeError ? "it nests too deeply" : "reading it throws an error")
    }
  }

  #copyOf(key: string | number, given: unknown): unknown {
    const value = hasToJson(given) ? given.toJSON(String(key)) : given
    if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf()
    const reason = this.#reasonOf(value)
    if (reason !== undefined) return this.#report(reason)
    if (typeof value !== "object" || value === null) return value
    this.#above.add(value)
    const copy = Array.isArray(value)
      ? Array.from(value, (item: unknown, index) => this.#readAt(index, () => item))
      : // Not by assignment: `__proto__` may be a key.
        Object.fromEntries(
          Object.keys(value).map((name) => [name, this.#readAt(name, () => Reflect.get(value, name))] as const)
        )
    this.#above.delete(value)
    return copy
  }

  #readAt(key: string | number, of: () => unknown): unknown {
    this.#path.push(key)
    const copy = this.read(key, of)
    this.#path.pop()
    return copy
  }

  /** Whether what is read stands among the parts of content: those of an answer, or of a list that is one. */
  #isContent(): boolean {
    const [root] = this.#above
    return root !== undefined && (AnswerId in root || (Array.isArray(root) && this.#path.length === 1))
  }

  #report(reason: string): undefined {
    this.problems.push(new NotJson(reason, [...this.#path]))
  }

  #reasonOf(value: unknown): string | undefined {
    switch (typeof value) {
      case "bigint":
        return "a bigint"
      case "number":
        return Number.isFinite(value) ? undefined : String(value)
      case "function":
      case "symbol":
        return `a ${typeof value}`
      case "object":
        if (value === null) return undefined
        if (this.#above.has(value)) return "it contains itself"
        if (isPicture(value) && !this.#isContent()) {
          return "an image or a file within a value, which a model would read as text: give it alone, or as a part of content"
        }
        return Array.isArray(value) || isRecord(value) ? undefined : foreign(value)
      default:
        return undefined
    }
  }
}

/** As JSON.stringify asks: of objects, functions and bigints. */
const hasToJson = (value: unknown): value is { readonly toJSON: (key: string) => unknown } =>
  value !== null &&
  (typeof value === "object" || typeof value === "function" || typeof value === "bigint") &&
  typeof Reflect.get(Object(value), "toJSON") === "function"

/** Whether an object's own fields are all that it says: a literal's, or those of an instance that has some. */
const isRecord = (value: object): boolean => {
  if (isPlain(value)) return true
  return (
    !(value instanceof Error) &&
    !ArrayBuffer.isView(value) &&
    !(Symbol.iterator in value) &&
    !(Symbol.asyncIterator in value) &&
    typeof Reflect.get(value, "then") !== "function" &&
    Object.keys(value).length > 0
  )
}

/** What an object is that is no literal. */
export const foreign = (value: object): string => {
  if (typeof Reflect.get(value, "then") === "function") {
    // What it rejects with would end the process. Another thenable may begin its work by `then`.
    if (value instanceof Promise) value.catch(() => undefined)
    return "a promise that was not awaited"
  }
  if (Symbol.asyncIterator in value) {
    return "an async generator or a stream, which is not read: report what comes on the way as progress, and return the result"
  }
  const maker: unknown = Reflect.get(value, "constructor")
  return `an instance of ${typeof maker === "function" && maker.name !== "" ? maker.name : "a class"}`
}

/** V8's setting, which other engines ignore. */
const traced = Error as { stackTraceLimit?: number | undefined }

/**
 * `Json.parse` with rounded decimals, without the stack trace of the error it throws, which takes longer
 * to make than most texts take to parse and which is seldom read.
 */
export const jsonValue = (text: string): unknown => {
  const { stackTraceLimit } = traced
  traced.stackTraceLimit = 0
  // It reports by throwing; no effect is involved.
  try {
    return parse(text, { decimals: "rounded" })
  } catch (error) {
    return new NotJson(error instanceof Error ? error.message : "it cannot be parsed")
  } finally {
    traced.stackTraceLimit = stackTraceLimit
  }
}

/**
 * A copy of a JSON value. What JSON cannot say (a date, an instance of a class)
 * stays as it is. The value must not nest deeper than recursion goes.
 */
export const copyJson = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  // What is left is an object.
  const fields = value as { readonly [key: string]: unknown }
  const copy: { [key: string]: unknown } = {}
  for (const key of Object.keys(value)) copy[key] = copyJson(fields[key])
  return copy
}
