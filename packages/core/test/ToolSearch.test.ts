import { expect, it } from "@effect/vitest"
import { ToolDefinition, ToolSearch } from "@wield/core"
import { Effect, FastCheck } from "effect"

const weather = { name: "get_forecast", description: "The weather of the next days" }
const email = { name: "sendEmail", description: "Sends a message to an address" }
const orders = {
  name: "list_orders",
  description: "Orders of the shop",
  inputSchema: {
    type: "object",
    properties: { state: { enum: ["shipped", "returned"], description: "Progress of a delivery" } }
  }
}

const idsOf = (found: ReadonlyArray<ToolSearch.Found>) => found.map(({ id }) => id)

const ask = (tools: Iterable<ToolSearch.SearchedTool>, request: string, limit?: number) =>
  Effect.gen(function* () {
    return idsOf(yield* (yield* ToolSearch.make(tools)).search(request, { limit }))
  })

it.effect.each([
  ["a word of the name", "email the boss", "sendEmail"],
  ["a word of the description in another form", "messages", "sendEmail"],
  ["a parameter's description", "deliveries", "list_orders"],
  ["a value to choose from", "what was returned?", "list_orders"],
  ["a parameter's name", "state", "list_orders"]
])("finds a tool by %s", ([, request, name]) =>
  Effect.gen(function* () {
    expect(yield* ask([weather, email, orders], request)).toEqual([name])
  })
)

it.effect("finds a tool by an example request whose words its definition does not have", () =>
  Effect.gen(function* () {
    const request = "Will I need an umbrella?"
    expect(yield* ask([weather, email], request)).toEqual([])
    expect(yield* ask([{ ...weather, requests: ["Should I take my umbrella along?"] }, email], request)).toEqual([
      "get_forecast"
    ])
  })
)

it.effect("words of one script stand for themselves: no spaces are needed, and marks make no difference", () =>
  Effect.gen(function* () {
    const tools = [
      { name: "a", description: "查询天气预报" },
      { name: "b", description: "Tìm chuyến xe" }
    ]
    expect(yield* ask(tools, "天气")).toEqual(["a"])
    expect(yield* ask(tools, "chuyến xe".normalize("NFD"))).toEqual(["b"])
  })
)

it.effect("equal tools come in the order of their ids, whatever the order they were added in", () =>
  Effect.gen(function* () {
    const tools = ["c", "a", "b"].map((id) => ({ id, name: "look_up", description: "Looks something up" }))
    expect(yield* ask(tools, "look up")).toEqual(["a", "b", "c"])
    expect(yield* ask([...tools].reverse(), "look up", 2)).toEqual(["a", "b"])
  })
)

it.effect("reads no default, no example arguments and no key that is not part of a schema's words", () =>
  Effect.gen(function* () {
    const definition = ToolDefinition.make({
      name: "pay",
      inputSchema: {
        type: "object",
        properties: { to: { type: "string", default: "zanzibar", examples: ["zanzibar"], "x-note": "zanzibar" } }
      },
      facts: { ...ToolDefinition.make({ name: "pay" }).facts, examples: [{ to: "zanzibar" }] }
    })
    expect(yield* ask([definition], "zanzibar")).toEqual([])
  })
)

it.effect("an index after any changes answers exactly as one built at once", () =>
  Effect.promise(() => {
    const word = FastCheck.constantFrom("order", "orders", "mail", "weather", "search", "file", "__proto__", "天气")
    const text = FastCheck.array(word, { maxLength: 5 }).map((words) => words.join(" "))
    const tool = FastCheck.record({
      name: FastCheck.constantFrom("a", "b", "c", "__proto__", "constructor", "toString"),
      description: text,
      requests: FastCheck.array(text, { maxLength: 2 })
    })
    const change = FastCheck.oneof(
      FastCheck.record({ put: tool }),
      FastCheck.record({ remove: FastCheck.constantFrom("a", "b", "__proto__", "constructor") }),
      FastCheck.record({ replace: FastCheck.array(tool, { maxLength: 4 }) }),
      FastCheck.record({ search: text })
    )
    return FastCheck.assert(
      FastCheck.asyncProperty(FastCheck.array(change, { maxLength: 20 }), text, (changes, request) =>
        Effect.runPromise(
          Effect.gen(function* () {
            const index = yield* ToolSearch.make()
            const now = new Map<string, ToolSearch.SearchedTool>()
            for (const change of changes) {
              if ("put" in change) {
                yield* index.put([change.put])
                now.set(change.put.name, change.put)
              } else if ("remove" in change) {
                yield* index.remove([change.remove])
                now.delete(change.remove)
              } else if ("replace" in change) {
                yield* index.replace(change.replace)
                now.clear()
                for (const tool of change.replace) now.set(tool.name, tool)
              } else yield* index.search(change.search)
            }
            const atOnce = yield* ToolSearch.make(now.values())
            expect(yield* index.search(request)).toEqual(yield* atOnce.search(request))
          })
        )
      )
    )
  })
)

it.effect("hostile tools and requests are read in part, and harm no other tool", () =>
  Effect.gen(function* () {
    const cyclic: Record<string, unknown> = { type: "object" }
    cyclic["items"] = cyclic
    const deep = Array.from({ length: 50_000 }).reduce<unknown>((inner) => ({ items: inner }), {})
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`word${index}`, {}]))
    const hostile = [
      { name: "__proto__", description: "x".repeat(1_000_000) },
      { name: "constructor", description: "word ".repeat(100_000) },
      { name: "toString", inputSchema: cyclic },
      { name: "deep", inputSchema: deep },
      { name: "wide", inputSchema: { type: "object", properties: wide } },
      { name: "odd", description: "\uD800 \u0000 \u202E ﷺ".repeat(10_000) },
      { name: "numbers", description: 7, requests: [null, "fine"] } as unknown as typeof weather,
      weather
    ]
    const index = yield* ToolSearch.make(hostile)
    expect(idsOf(yield* index.search("weather"))).toEqual(["get_forecast"])
    expect(idsOf(yield* index.search("__proto__"))).toEqual(["__proto__"])
    for (const request of ["weather ".repeat(1_000_000), "x".repeat(1_000_000), "\uD800weather", "", "the of"]) {
      expect((yield* index.search(request)).length).toBeLessThanOrEqual(5)
    }
    const manyWords = Array.from({ length: 100_000 }, (_, index) => `w${index}`).join(" ")
    expect(yield* index.search(manyWords)).toEqual([])
    for (const limit of [0, -1, Number.NaN]) expect(yield* index.search("weather", { limit })).toEqual([])
  })
)

// Eight groups of tools, whose words say which they are of; requests name a group by another word than its tools.
const groups = ["apple", "brick", "cloud", "drum", "eagle", "flute", "grape", "horse"]
const many = groups.flatMap((group) =>
  Array.from({ length: 25 }, (_, number) => ({
    name: `${group}_${number}`,
    description: `Does ${group} number${number} things item${(number * 7) % 25}`
  }))
)
const requests = many.map(({ name }, place) => ({
  wanted: name,
  request: `item${(place * 7) % 25} for the ${groups[Math.floor(place / 25)]}`
}))

const recall = (embedder?: ToolSearch.Embedder) =>
  Effect.gen(function* () {
    const index = yield* ToolSearch.make(many, { embedder })
    const found = yield* Effect.forEach(requests, ({ request, wanted }) =>
      Effect.map(index.search(request), (found) => (idsOf(found).includes(wanted) ? 1 : 0))
    )
    return found.reduce<number>((sum, one) => sum + one, 0) / requests.length
  })

/** The same numbers each time. */
const noise = () => {
  let seed = 7
  return () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5
}

const badEmbedders: ReadonlyArray<readonly [string, () => ToolSearch.Embedder["embed"]]> = [
  [
    "random",
    () => {
      const next = noise()
      return (texts) => Effect.succeed(texts.map(() => Array.from({ length: 16 }, next)))
    }
  ],
  ["constant", () => (texts) => Effect.succeed(texts.map(() => [1, 2, 3]))],
  ["zero", () => (texts) => Effect.succeed(texts.map(() => [0, 0]))],
  ["failing", () => () => Effect.fail("no")],
  [
    "throwing",
    () => () => {
      throw new Error("no")
    }
  ],
  ["dying", () => () => Effect.die("no")],
  ["one that gives NaN", () => (texts) => Effect.succeed(texts.map(() => [Number.NaN, 1]))],
  ["one that gives too few", () => (texts) => Effect.succeed(texts.slice(1).map(() => [1, 2]))],
  [
    "one whose vectors differ in length",
    () => (texts) => Effect.succeed(texts.map((_, place) => Array(place + 1).fill(1)))
  ],
  ["one that gives no vectors", () => () => Effect.succeed(null as never)],
  ["one that gives empty vectors", () => (texts) => Effect.succeed(texts.map(() => []))]
]

it.effect.each(badEmbedders)("a bad embedder (%s) finds as much as words alone", ([, embed]) =>
  Effect.gen(function* () {
    const plain = yield* recall()
    expect(yield* recall({ embed: embed() })).toBeGreaterThanOrEqual(plain - 0.01)
  })
)

it.live("an embedder that never answers ends no search", () =>
  Effect.gen(function* () {
    const index = yield* ToolSearch.make([weather, email], { embedder: { embed: () => Effect.never }, patience: 1 })
    expect(idsOf(yield* index.search("weather"))).toEqual(["get_forecast"])
  })
)

it.effect("a useful embedder finds tools whose words the request does not have", () =>
  Effect.gen(function* () {
    const ponies = Array.from({ length: 5 }, (_, number) => ({ name: `pony_${number}`, description: "Feeds a pony" }))
    const kinds = [/horse|pony/, ...groups.slice(0, 7).map((group) => new RegExp(group))]
    const embed: ToolSearch.Embedder["embed"] = (texts) =>
      Effect.succeed(texts.map((text) => kinds.map((kind) => (kind.test(text) ? 1 : 0.01))))
    const found = (embedder?: ToolSearch.Embedder) =>
      Effect.gen(function* () {
        const index = yield* ToolSearch.make([...many, ...ponies], { embedder })
        return idsOf(yield* index.search("a horse", { limit: 30 })).filter((id) => id.startsWith("pony"))
      })
    expect(yield* found()).toEqual([])
    expect(yield* found({ embed })).toEqual(ponies.map(({ name }) => name))
  })
)
