/**
 * Decodes every recorded response and stream of the wire formats and checks it
 * against the calls that another, real client read from the same; and carries
 * every recorded request body into Wield's words and back.
 */
import { Json } from "@wield/core"
import { join } from "node:path"
import { countOthers, readExchanges, readExpected } from "./exchanges.js"
import { withUnreadable } from "./folder.js"
import type { Report, RunOptions } from "./Report.js"
import { cases } from "./wire/formats.js"
import type { Books, Counts } from "./wire/Ledger.js"
import { makeBooks } from "./wire/Ledger.js"
import { oddities } from "./wire/oddities.js"
import { checkRequest } from "./wire/requests.js"
import { checkError, checkResponse } from "./wire/responses.js"
import { checkStream } from "./wire/streams.js"

export const part = "provider-wire"

/** `only` runs one format, by the name that the recordings give it. */
export const run = (folder: string, { only }: RunOptions = {}): Report => {
  const recordings = join(folder, part)
  const chosen = new Map(
    cases.filter(({ wire }) => only === undefined || wire === only).map((each) => [each.wire, each])
  )
  const expected = readExpected(recordings)
  const books = makeBooks()
  // The rows of the table stand in the order of the formats.
  for (const wire of chosen.keys()) books.ledger(wire)
  let otherEndpoints = 0
  for (const exchange of readExchanges(recordings, new Set(chosen.keys()))) {
    const known = chosen.get(exchange.wire)
    if (known === undefined) continue
    const ledger = books.ledger(exchange.wire)
    if (exchange.uri !== undefined && !known.endpoint.test(exchange.uri.replace(/\?.*$/, ""))) {
      otherEndpoints++
      continue
    }
    const { file, requestBody, status, stream } = exchange
    if (Json.isObject(requestBody)) checkRequest(file, requestBody as Json.JsonObject, known, ledger)
    const oracle = expected.get(file)
    if (status === undefined) continue
    if (status >= 300) checkError(exchange, status, known, ledger)
    else if (stream !== undefined) checkStream(file, stream, known, oracle, ledger)
    else checkResponse(exchange, known, oracle, ledger)
  }
  return withUnreadable({
    table: tableOf(books),
    notes: notesOf(books, otherEndpoints, recordings),
    passed: books.passed(),
    failures: books.failures
  })
}

const columns: ReadonlyArray<readonly [keyof Counts, string]> = [
  ["responses", "responses"],
  ["streams", "streams"],
  ["cuts", "cuts"],
  ["breaks", "broken off"],
  ["requests", "requests"],
  ["errors", "errors"],
  ["expected", "calls expected"],
  ["found", "found"],
  ["failed", "failed"]
]

const tableOf = (books: Books): Report["table"] => [
  ["format", ...columns.map(([, title]) => title)],
  ...books.rows().map(([wire, counts]) => [wire, ...columns.map(([key]) => counts[key])])
]

const notesOf = (books: Books, otherEndpoints: number, recordings: string): ReadonlyArray<string> => {
  const others = countOthers(recordings, new Set(cases.map(({ wire }) => wire)))
  const why = new Map(
    cases.flatMap(({ differences, wire }) => differences.map(({ name, why }) => [`${wire}: ${name}`, why]))
  )
  return [
    `Other endpoints of these APIs, left out: ${otherEndpoints}.`,
    `Not in scope: ${Array.from(others, ([wire, count]) => `${wire} (${count})`).join(", ")}.`,
    "Recordings that are not as others:",
    ...oddities.map(({ file, why }) => `  ${file}: ${why}`),
    ...(books.needed.size === 0 ? [] : ["Differences of requests that were said anew (bodies that have them):"]),
    ...Array.from(why).flatMap(([name, reason]) => {
      const count = books.needed.get(name)
      return count === undefined ? [] : [`  ${name} (${count}): ${reason}`]
    })
  ]
}
