/** Recorded HTTP exchanges with providers, and the calls that another client read from them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface Exchange {
  readonly file: string
  /** The format, whoever the provider is. */
  readonly wire: string
  readonly uri: string | undefined
  readonly requestBody: unknown
  readonly status: number
  readonly isStreaming: boolean
  readonly body: unknown
}

export interface ExpectedCall {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

export interface Expected {
  readonly file: string
  /** The exchange whose request carries the turn on. */
  readonly next: string | undefined
  /** False where the client made ids of its own. */
  readonly isIdEchoed: boolean
  readonly calls: ReadonlyArray<ExpectedCall>
}

interface IndexRow {
  readonly file: string
  readonly wire: string
  readonly status: number
  readonly streaming: boolean
}

interface Recording {
  readonly request?: { readonly uri?: string; readonly body?: unknown } | null
  readonly response?: { readonly body?: unknown }
}

interface OracleRow {
  readonly file: string
  readonly next?: string
  readonly id_echoed: boolean
  readonly expected_calls: ReadonlyArray<ExpectedCall>
}

// The files' own SOURCES.md states these shapes; the suite fails on a file that breaks them.
const readJson = <A>(folder: string, file: string): A => JSON.parse(readFileSync(join(folder, file), "utf8")) as A

const readLines = <A>(folder: string, file: string): ReadonlyArray<A> =>
  readFileSync(join(folder, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as A)

export const readExchanges = (folder: string, wires: ReadonlySet<string>): ReadonlyArray<Exchange> =>
  readLines<IndexRow>(folder, "index.jsonl")
    .filter((row) => wires.has(row.wire))
    .map((row) => {
      const recording = readJson<Recording>(folder, row.file)
      return {
        file: row.file,
        wire: row.wire,
        uri: recording.request?.uri,
        requestBody: recording.request?.body,
        status: row.status,
        isStreaming: row.streaming,
        body: recording.response?.body
      }
    })

export const readExpected = (folder: string): ReadonlyMap<string, Expected> =>
  new Map(
    readLines<OracleRow>(folder, "expected-calls.jsonl").map((row) => [
      row.file,
      { file: row.file, next: row.next, isIdEchoed: row.id_echoed, calls: row.expected_calls }
    ])
  )
