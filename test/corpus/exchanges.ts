/** Recorded HTTP exchanges with providers, and the calls that another client read from them. */
import { join } from "node:path"
import { Json } from "@wield/core"
import { filesIn, readJson, readLines } from "./folder.js"
import { streamBytes } from "./streamBytes.js"

export interface Exchange {
  readonly file: string
  /** The format, whoever the provider is. */
  readonly wire: string
  readonly provider: string
  /** The recording of another project that it comes from, and its place there. */
  readonly source: { readonly repo: string; readonly path: string; readonly index: number }
  readonly uri: string | undefined
  /** Undefined where the recording is of a response only. */
  readonly requestBody: unknown
  /** Undefined where the recording is of a request only. */
  readonly status: number | undefined
  readonly headers: { readonly [name: string]: string | undefined }
  /** The body of a response that does not stream. */
  readonly body: unknown
  /** The bytes of one that does. */
  readonly stream: Uint8Array | undefined
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

interface Recording {
  readonly provider: string
  readonly wire: string
  readonly source: Exchange["source"]
  readonly request?: { readonly uri?: string; readonly body?: unknown } | null
  readonly response?: RecordedResponse
}

/** The streaming body in the form in which the material has it. */
export interface RecordedResponse {
  readonly status?: number | null
  readonly headers?: { readonly [name: string]: unknown }
  readonly body?: unknown
  readonly sse?: string
  readonly ndjson?: string
  readonly raw_base64?: string
  /** One line a frame, `{[event type]: payload}`, where the original bytes were not recorded. */
  readonly lines?: ReadonlyArray<string>
}

interface OracleRow {
  readonly file: string
  readonly next?: string
  readonly id_echoed: boolean
  readonly expected_calls: ReadonlyArray<ExpectedCall>
}

export const readExchanges = (folder: string, wires: ReadonlySet<string>): ReadonlyArray<Exchange> =>
  readRecordings(folder).flatMap(({ file, provider, request, response = {}, source, wire }) => {
    if (!wires.has(wire)) return []
    const exchange: Exchange = {
      file,
      wire,
      provider,
      source,
      uri: request?.uri,
      requestBody: request?.body ?? undefined,
      status: response.status ?? undefined,
      headers: Object.fromEntries(
        Object.entries(response.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)])
      ),
      body: response.body ?? undefined,
      stream: streamBytes(response)
    }
    return [exchange]
  })

/** How many recordings there are of each format that is none of these. */
export const countOthers = (folder: string, wires: ReadonlySet<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { wire } of readRecordings(folder)) {
    if (!wires.has(wire)) counts.set(wire, (counts.get(wire) ?? 0) + 1)
  }
  return counts
}

/** Not by the material's index: it may be absent, or of other files. */
const readRecordings = (folder: string): ReadonlyArray<Recording & { readonly file: string }> =>
  filesIn(folder, ".json").flatMap((file) => {
    const recording = readJson<Recording>(join(folder, file), Json.isObject)
    return recording === undefined ? [] : [{ ...recording, file }]
  })

export const readExpected = (folder: string): ReadonlyMap<string, Expected> =>
  new Map(
    readLines<OracleRow>(join(folder, "expected-calls.jsonl")).map((row) => [
      row.file,
      { file: row.file, next: row.next, isIdEchoed: row.id_echoed, calls: row.expected_calls }
    ])
  )
