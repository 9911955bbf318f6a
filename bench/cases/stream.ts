/** Reading streamed answers: tokens per second through each wire format's decoder. */
import { assertEqual, batched, type Contender, keep, measure } from "../harness/measure.js"
import { type Goal, type Group, type Measured, rowOf, times, timingTable, type TimingTable } from "../harness/table.js"
import { formats } from "../peers/formats.js"
import { aiSdkReader, bareParser, type Read, wieldDecoder, wieldStream } from "../peers/streamReaders.js"
import { bodies, type Body, expected, inPiecesOf } from "../task/streams.js"

const contender = (name: string, read: Read, pieces: ReadonlyArray<Uint8Array>, tokens: number): Contender =>
  batched(
    name,
    async () => read(pieces),
    async (count) => {
      for (let time = 0; time < count; time++) keep(await read(pieces))
    },
    tokens
  )

const own = "Wield: streamDecoder"
const bare = "eventsource-parser + JSON.parse"
const sdk = "AI SDK 7: doStream"

const tableOf = async (body: Body, pieces: ReadonlyArray<Uint8Array>, cut: string): Promise<TimingTable> => {
  const format = formats.find(({ name }) => name === body.format)
  if (format === undefined) throw new Error(`there is no format ${body.format}`)
  const aiSdk = aiSdkReader(body.format)
  const readers: ReadonlyArray<readonly [string, Read]> = [
    ...(body.read === undefined ? [] : [[bare, bareParser(body.read)] as const]),
    ...(aiSdk === undefined ? [] : [[sdk, aiSdk] as const]),
    [own, wieldDecoder(format)],
    ["Wield: decodeStream, an Effect Stream", wieldStream(format)]
  ]
  const contenders = readers.map(([name, read]) => contender(name, read, pieces, body.tokens))
  await assertEqual(contenders, expected)
  return timingTable(
    `${body.format}, ${cut}: time of a token`,
    await measure(contenders, { rounds: 11, sampleMilliseconds: 20, warmMilliseconds: 300 }),
    body.read === undefined ? own : bare
  )
}

const goalsOf = (tables: ReadonlyArray<TimingTable>): ReadonlyArray<Goal> =>
  tables
    .filter(({ rows }) => rows.some(({ name }) => name === sdk))
    .map((table) => {
      const ratio = rowOf(table, sdk).minimum / rowOf(table, own).minimum
      const streamed = rowOf(table, sdk).minimum / rowOf(table, "Wield: decodeStream, an Effect Stream").minimum
      return {
        name: `stream, ${table.title.replace(": time of a token", "")}`,
        goal: "≥ 3x the AI SDK",
        measured: `${times(ratio)} by streamDecoder, ${times(streamed)} by decodeStream`,
        isMet: ratio >= 3
      }
    })

const measureFormat = async (body: Body): Promise<Measured> => {
  const tables = [
    await tableOf(body, inPiecesOf(4_096, body.events), "pieces of 4 KB"),
    await tableOf(body, body.events, "one event a piece")
  ]
  return {
    tables: [
      ...tables,
      {
        _tag: "Figures",
        title: `${body.format}: million tokens a second`,
        columns: [
          "reader",
          ...tables.map(({ title }) => title.replace(/^[^,]*, /, "").replace(": time of a token", ""))
        ],
        rows: (tables[0]?.rows ?? []).map(({ name }) => [
          name,
          ...tables.map((table) => (1e3 / rowOf(table, name).minimum).toFixed(2))
        ])
      }
    ],
    goals: goalsOf(tables),
    notes: formats
      .filter(({ name }) => !bodies.some(({ format }) => format === name))
      .map(({ name }) => `No body for the format ${name}: it is not measured.`)
  }
}

export const groups: ReadonlyArray<Group> = bodies.map((body) => ({
  name: body.format,
  measure: () => measureFormat(body)
}))
