/** One log entry as one line, as Effect's own loggers write it, with its secrets replaced. */
import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as List from "effect/List"
import * as Logger from "effect/Logger"
import * as LogSpan from "effect/LogSpan"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { isSecretName } from "./ranges.js"
import { redact, type Secrets } from "./redact.js"

interface Format {
  readonly format: "logfmt" | "json"
  readonly secrets: Secrets
  readonly stackTraces: boolean
  readonly lineBytes: number
}

type Entry = Logger.Logger.Options<unknown>

export const lineOf = (entry: Entry, { format, lineBytes, secrets, stackTraces }: Format): string => {
  const pieces: Array<Piece> = []
  const { name, text, value } = collect(pieces, stackTraces)
  // In the order in which they are written, since a secret can begin in one and end in the next.
  const messages = (Array.isArray(entry.message) ? entry.message : [entry.message]).map((message) => value(message))
  const cause = Cause.isEmptyType(entry.cause) ? undefined : text(causeOf(entry.cause, stackTraces))
  const spans = List.toArray(entry.spans).map(({ label, startTime }) => ({ label: text(label), startTime }))
  const annotations = HashMap.toEntries(entry.annotations).map(
    ([label, annotation]) => [name(label), value(annotation, isSecretName(label))] as const
  )
  const replaced = redact(pieces, secrets)
  for (const length of lengths) {
    const texts = replaced.map((piece) => (piece.length > length ? `${piece.slice(0, length)}…` : piece))
    const line = write(format, {
      ...entry,
      message: messages.map((message) => message(texts)),
      spans: List.fromIterable(spans.map(({ label, startTime }) => LogSpan.make(label(texts), startTime))),
      annotations: HashMap.fromIterable(annotations.map(([label, annotation]) => [label(texts), annotation(texts)])),
      cause: cause?.(texts)
    })
    if (Buffer.byteLength(line) <= lineBytes) return line
  }
  const note = `an entry of more than ${lineBytes} bytes was left out`
  return write(format, {
    ...entry,
    message: [note],
    spans: List.empty(),
    annotations: HashMap.empty(),
    cause: undefined
  })
}

/** What is too long as a whole has its texts cut, all alike, so that it stays well-formed. */
const lengths = [Infinity, 1000, 200, 50]

type Written = Omit<Entry, "cause"> & { readonly cause: string | undefined }

const write = (format: Format["format"], { cause, ...entry }: Written): string => {
  const plain = { ...entry, cause: Cause.empty }
  if (format === "logfmt") {
    const line = Logger.logfmtLogger.log(plain)
    return cause === undefined ? line : `${line} cause=${JSON.stringify(cause)}`
  }
  return JSON.stringify({ ...Logger.structuredLogger.log(plain), cause })
}

const causeOf = (cause: Cause.Cause<unknown>, stackTraces: boolean): string => {
  const pretty = Cause.pretty(cause, { renderErrorCause: true })
  const shown = stackTraces
    ? pretty
    : pretty
        .split("\n")
        .filter((line) => !/^\s+at /.test(line))
        .join("\n")
  return [shown, ...aggregateLines([...Cause.failures(cause), ...Cause.defects(cause)])].join("\n")
}

const most = 20

interface Waiting {
  readonly error: unknown
  readonly isJoined: boolean
}

/** A line for each, also for those of causes. */
const aggregateLines = (errors: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const seen = new Set<unknown>()
  const lines: Array<string> = []
  const left: Array<Waiting> = errors.map((error) => ({ error, isJoined: false }))
  for (let next = left.shift(); next !== undefined && lines.length < most; next = left.shift()) {
    const { error, isJoined } = next
    if (seen.has(error)) continue
    seen.add(error)
    if (isJoined) lines.push(`  - ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`)
    if (!(error instanceof Error)) continue
    if (error instanceof AggregateError) {
      left.push(...error.errors.slice(0, most).map((error: unknown) => ({ error, isJoined: true })))
    }
    if (error.cause !== undefined) left.push({ error: error.cause, isJoined: false })
  }
  return lines
}

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

const collect = (pieces: Array<Piece>, stackTraces: boolean) => {
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
