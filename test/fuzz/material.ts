/** What is mutated: recordings of each API where there are some, and fixtures in any case. */
import { join } from "node:path"
import { readExchanges } from "../corpus/exchanges.js"
import { corpusFolder, hasCorpus } from "../corpus/folder.js"
import { part } from "../corpus/wire.js"
import { cases } from "../corpus/wire/formats.js"
import type { Fixture } from "./fixtures.js"
import { fixtures } from "./fixtures.js"

/** A mutation of a small body is as good as one of a large one, and many times as fast. */
const maxBytes = 30_000

const isSmall = (body: unknown): boolean => body !== undefined && (JSON.stringify(body) ?? "").length < maxBytes

export const readMaterial = (): ReadonlyMap<string, Fixture> => {
  const exchanges = hasCorpus(part)
    ? readExchanges(join(corpusFolder, part), new Set(cases.map(({ wire }) => wire)))
    : []
  return new Map(
    cases.map(({ wire }) => {
      const own = fixtures.get(wire)
      const recorded = exchanges.filter((exchange) => exchange.wire === wire)
      return [
        wire,
        {
          responses: [...(own?.responses ?? []), ...recorded.map(({ body }) => body).filter(isSmall)],
          streams: [
            ...(own?.streams ?? []),
            ...recorded.flatMap(({ stream }) => (stream === undefined || stream.length > maxBytes ? [] : [stream]))
          ],
          requests: [...(own?.requests ?? []), ...recorded.map(({ requestBody }) => requestBody).filter(isSmall)]
        }
      ]
    })
  )
}
