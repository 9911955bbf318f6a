/** One log entry as one line, as Effect's own loggers write it, with its secrets replaced. */
import * as Cause from "effect/Cause"
import * as HashMap from "effect/HashMap"
import * as List from "effect/List"
import * as Logger from "effect/Logger"
import * as LogSpan from "effect/LogSpan"
import { isSecretName } from "./names.js"
import { redact, type Secrets } from "./redact.js"
import { collect, type Piece } from "./values.js"

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
