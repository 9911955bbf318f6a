/**
 * Decodes every recorded response of the wire formats and checks it against
 * the calls that another, real client read from the same response.
 */
import { WireFormat } from "@wield/providers"
import * as Anthropic from "@wield/providers/Anthropic"
import * as Gemini from "@wield/providers/Gemini"
import * as OpenAiChat from "@wield/providers/OpenAiChat"
import * as OpenAiResponses from "@wield/providers/OpenAiResponses"
import type { Turn } from "@wield/core"
import { Either, Option } from "effect"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { comparable } from "./comparable.js"
import type { Exchange, Expected, ExpectedCall } from "./exchanges.js"
import { readExchanges, readExpected } from "./exchanges.js"
import type { Report } from "./Report.js"

export const part = "provider-wire"

/** A format by the name that the recordings give it, and the end of its endpoint's path. */
const formats: ReadonlyMap<string, { readonly format: WireFormat.WireFormat; readonly endpoint: RegExp }> = new Map([
  ["openai-chat", { format: OpenAiChat.format, endpoint: /\/chat(\/completions)?$/ }],
  ["openai-responses", { format: OpenAiResponses.format, endpoint: /\/responses$/ }],
  ["anthropic-messages", { format: Anthropic.format, endpoint: /\/messages$/ }],
  ["gemini-generatecontent", { format: Gemini.format, endpoint: /:generateContent$/ }]
])

interface Row {
  responses: number
  errors: number
  expected: number
  found: number
  detected: number
  failed: number
  nativeKnown: number
  nativeEqual: number
  otherEndpoints: number
  streaming: number
}

export const run = (folder: string): Report => {
  const recordings = join(folder, part)
  const exchanges = readExchanges(recordings, new Set(formats.keys()))
  const byFile = new Map(exchanges.map((exchange) => [exchange.file, exchange]))
  const expected = readExpected(recordings)
  const rows = new Map(Array.from(formats.keys(), (wire) => [wire, emptyRow()]))
  const failures: Array<string> = []
  let passed = 0

  for (const exchange of exchanges) {
    const known = formats.get(exchange.wire)
    const row = rows.get(exchange.wire)
    if (known === undefined || row === undefined) continue
    const { format, endpoint } = known
    const check = (isMet: boolean, failure: () => string): boolean => {
      if (isMet) passed++
      else {
        row.failed++
        failures.push(`${exchange.file}: ${failure()}`)
      }
      return isMet
    }
    if (exchange.isStreaming) {
      row.streaming++
      continue
    }
    if (exchange.uri !== undefined && !endpoint.test(exchange.uri.replace(/\?.*$/, ""))) {
      row.otherEndpoints++
      continue
    }
    row.responses++
    const claims = Array.from(formats.values(), (other) => other.format)
      .filter((other) => other.isFormatOf(exchange.body))
      .map((other) => other.name)
    const detected = Option.map(WireFormat.detect(exchange.body), (found) => found.name)
    const isError = exchange.status >= 300
    const decoded = attempt(() => format.decodeTurn(exchange.body))
    if (isError) {
      row.errors++
      check(decoded !== thrown, () => "decodeTurn threw on an error body")
      continue
    }
    const isDetected = isDeepStrictEqual(claims, [format.name]) && Option.contains(detected, format.name)
    if (check(isDetected, () => `detected as ${claims.join(" and ") || "nothing"}`)) row.detected++
    if (!check(decoded !== thrown && Either.isRight(decoded), () => `not decoded: ${describe(decoded)}`)) continue
    if (decoded === thrown || Either.isLeft(decoded)) continue

    const oracle = expected.get(exchange.file)
    if (oracle === undefined) continue
    const calls = decoded.right.parts.filter((candidate) => candidate._tag === "Call")
    for (const call of oracle.calls) {
      row.expected++
      if (check(takeCall(calls, call, oracle), () => missing(call, decoded.right))) row.found++
    }
    const next = oracle.next === undefined ? undefined : byFile.get(oracle.next)
    if (next !== undefined) {
      row.nativeKnown++
      if (isInHistory(decoded.right, next)) row.nativeEqual++
    }
  }

  return { table: tableOf(rows), notes, passed, failures }
}

const emptyRow = (): Row => ({
  responses: 0,
  errors: 0,
  expected: 0,
  found: 0,
  detected: 0,
  failed: 0,
  nativeKnown: 0,
  nativeEqual: 0,
  otherEndpoints: 0,
  streaming: 0
})

const tableOf = (rows: ReadonlyMap<string, Row>): Report["table"] => [
  [
    "format",
    "responses",
    "of them errors",
    "calls expected",
    "found",
    "detected",
    "failed",
    "native as sent back",
    "other endpoints",
    "streaming"
  ],
  ...Array.from(rows, ([wire, row]) => [
    wire,
    row.responses,
    row.errors,
    row.expected,
    row.found,
    row.detected,
    row.failed,
    `${row.nativeEqual} of ${row.nativeKnown}`,
    row.otherEndpoints,
    row.streaming
  ])
]

const notes = [
  "native as sent back: the recorded client's next request has the turn's native message, apart from what",
  "comparable.ts names. Counted, but no check: clients may rebuild the message.",
  "other endpoints: recordings of the same provider that are no model response (such as counting tokens).",
  "streaming: not in this suite yet."
]

const thrown = Symbol("thrown")

/** A decoder must not throw; that it did is a finding, not the suite's end. */
const attempt = <A>(decode: () => A): A | typeof thrown => {
  try {
    return decode()
  } catch {
    return thrown
  }
}

const describe = (decoded: ReturnType<WireFormat.WireFormat["decodeTurn"]> | typeof thrown): string =>
  decoded === thrown ? "decodeTurn threw" : Either.isLeft(decoded) ? decoded.left.message : ""

/** Takes the expected call out of the decoded ones, so that two equal calls have to be found twice. */
const takeCall = (calls: Array<Turn.CallPart>, wanted: ExpectedCall, oracle: Expected): boolean => {
  const index = calls.findIndex(
    ({ call }) =>
      call.name === wanted.name &&
      isDeepStrictEqual(parsed(call.arguments), parsed(wanted.arguments)) &&
      (!oracle.isIdEchoed || call.id === wanted.id)
  )
  if (index === -1) return false
  calls.splice(index, 1)
  return true
}

const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const missing = (wanted: ExpectedCall, turn: Turn.Turn): string => {
  const found = turn.parts.filter((candidate) => candidate._tag === "Call").map((candidate) => candidate.call)
  return `expected the call\n  ${JSON.stringify(wanted)}\namong\n  ${found.map((call) => JSON.stringify(call)).join("\n  ")}`
}

const isInHistory = (turn: Turn.Turn, next: Exchange): boolean => {
  const body = next.requestBody
  if (typeof body !== "object" || body === null) return false
  const history: ReadonlyArray<unknown> = ["messages", "contents", "input"].flatMap((key) => {
    const value: unknown = Reflect.get(body, key)
    return Array.isArray(value) ? value : []
  })
  const sent = history.map(comparable)
  return turn.native.map(comparable).every((message) => sent.some((other) => isDeepStrictEqual(other, message)))
}
