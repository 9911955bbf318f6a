/** What goes wrong at a travel desk, and how it ends in each of its forms: the table of its README. */
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import * as aiSdk from "../../examples/travel-desk/aiSdk.js"
import type { Desk, Turn } from "../../examples/travel-desk/desk.js"
import { type Line, modelOf } from "../../examples/travel-desk/model.js"
import { openTravel, type Travel } from "../../examples/travel-desk/travel.js"
import * as wieldAgent from "../../examples/travel-desk/wieldAgent.js"
import * as wieldTools from "../../examples/travel-desk/wieldTools.js"

type Model = ReturnType<typeof modelOf>
type Open = (travel: Travel, model: Model, traveller: string) => Desk | Promise<Desk>

const forms: { readonly [name: string]: Open } = {
  "the AI SDK alone": (...given) => aiSdk.openDesk(...given),
  "with its secret": (...given) => aiSdk.openDesk(...given, "a secret of thirty-two characters"),
  "Wield's tools in its loop": (...given) => wieldTools.openDesk(...given),
  "Wield's agent": (...given) => wieldAgent.openDesk(...given)
}

/** Results as the model was sent them with the last request, as text. */
const readBy = ({ doGenerateCalls, doStreamCalls }: Model): string => {
  const { prompt = [] } = [...doGenerateCalls, ...doStreamCalls].at(-1) ?? {}
  const last = prompt.findLast(({ role }) => role === "tool")
  const [result] = Array.isArray(last?.content) ? last.content : []
  if (result?.type !== "tool-result") return "nothing"
  const { output } = result
  if (output.type === "content")
    return output.value.map((part) => (part.type === "text" ? part.text : part.type)).join()
  return output.type === "execution-denied"
    ? String(output.reason)
    : typeof output.value === "string"
      ? output.value
      : JSON.stringify(output.value)
}

interface Seen {
  readonly read: string
  readonly booked: ReadonlyArray<string>
  /** By the page. */
  readonly error: string | undefined
}

const book: Line = ["book", { flight: "W1", price: 90 }]

const see = async (open: Open, script: ReadonlyArray<Line>, story: (desk: Desk) => Promise<unknown>): Promise<Seen> => {
  const travel = openTravel()
  const model = modelOf(script)
  const error = await story(await open(travel, model, "Ada")).then(
    () => undefined,
    ({ name }: Error) => name.replace(/^AI_/, "")
  )
  return { read: readBy(model), booked: travel.bookings.map(({ flight, price }) => `${flight} for ${price}`), error }
}

const approve = (desk: Desk, { session, waiting }: Turn) =>
  desk.reply(session, Object.fromEntries(waiting.map(({ id }) => [id, { approved: true }])))

const say = (text: string) => (desk: Desk) => desk.say(text)

/** Only where it stands: an id may happen to have the same signs. What a page sends that has never been asked anything. */
const invent = (session: string): string =>
  session
    .replaceAll(/(flight\\*":\\*")W1/g, (_, key: string) => `${key}W2`)
    .replaceAll("call_0", "call_9")
    .replace("aitxt-", "aitxt-9")

const bookings = ({ booked, error }: Seen) =>
  `${booked.length === 0 ? "nothing is booked" : `booked: ${booked.join(", ")}`}${error === undefined ? "" : `; \`${error}\``}`
const words = ({ read }: Seen) => {
  const line = read.replaceAll(/\s+/g, " ").replace(/reference \w+/, "reference …")
  return `\`${line.length > 130 ? `${line.slice(0, 129)}…` : line}\``
}
const size = ({ read }: Seen) => `${Math.round(read.length / 1000)} kB`

type Row = readonly [
  event: string,
  script: ReadonlyArray<Line>,
  story: (desk: Desk) => Promise<unknown>,
  cell: (seen: Seen) => string
]

const rows: ReadonlyArray<Row> = [
  ["a person approves", [book, "Done."], async (desk) => approve(desk, await desk.say("Book W1")), bookings],
  [
    "the page sends the approval twice",
    [book, "Done."],
    async (desk) => {
      const asked = await desk.say("Book W1")
      await approve(desk, asked)
      await approve(desk, asked)
    },
    bookings
  ],
  [
    "the page changes what was approved",
    [book, "Done."],
    async (desk) => {
      const asked = await desk.say("Book W1")
      await approve(desk, {
        ...asked,
        session: asked.session.replaceAll(/(price\\*":)90/g, (_, key: string) => `${key}9`)
      })
    },
    bookings
  ],
  [
    "the page invents a call, and approves it",
    [book, "Done."],
    async (desk) => {
      const asked = await desk.say("Book W1")
      const session = invent(asked.session)
      await approve(desk, { ...asked, session, waiting: [{ id: "call_9", tool: "book", input: {} }] })
    },
    bookings
  ],
  ["a tool throws: the model reads", [["weather", { city: "Atlantis" }], "Done."], say("Weather?"), words],
  ["wrong arguments: the model reads", [["hold", { flight: 1 }], "Done."], say("Hold W1"), words],
  [
    "a result of 6.6 MB: the model reads",
    [["search", { from: "Berlin", to: "anywhere" }], "Done."],
    say("Flights?"),
    size
  ],
  ["the receipt, an image: the model reads", [["receipt", { booking: "b1" }], "Done."], say("My receipt?"), words],
  [
    "the page has shown the map: the model reads",
    [["show_map", { city: "Lisbon" }], "Done."],
    async (desk) => {
      const { session, waiting } = await desk.say("Where is it?")
      await desk.reply(session, Object.fromEntries(waiting.map(({ id }) => [id, { result: "shown" }])))
    },
    words
  ]
]

const tableOf = (seen: ReadonlyArray<readonly [string, ReadonlyArray<string>]>) =>
  [
    ["", ...Object.keys(forms)],
    ["---", ...Object.keys(forms).map(() => "---")],
    ...seen.map(([event, cells]) => [event, ...cells])
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")

it("the table says how each form ends what goes wrong", async () => {
  const seen = await Promise.all(
    rows.map(async ([event, script, story, cell]) => {
      const cells = Object.values(forms).map(async (open) => cell(await see(open, script, story)))
      return [event, await Promise.all(cells)] as const
    })
  )
  const table = tableOf(seen)
  expect(readFileSync(new URL("../../examples/travel-desk/README.md", import.meta.url), "utf8")).toContain(table)
})
