import { expect, it } from "@effect/vitest"
import { Approval, type Json, Toolset } from "@wield/core"
import { McpServer, McpTest } from "@wield/mcp"
import { Effect, Schema } from "effect"
import { sized } from "../../../test/sizes.js"

/** Numbers that look random and are the same each time. */
const randomOf = (seed: number) => () => {
  seed = (seed * 1664525 + 1013904223) >>> 0
  return seed / 2 ** 32
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" }
}

const seeds: ReadonlyArray<Json.JsonObject> = [
  { method: "tools/list", params: {} },
  { method: "tools/call", params: { name: "refund", arguments: { amount: 5 } } },
  {
    method: "tools/call",
    params: { name: "refund", arguments: { amount: 500 }, requestState: "x", inputResponses: {} }
  },
  { method: "resources/read", params: { uri: "lib://books/1" } },
  { method: "resources/list", params: { cursor: "a" } },
  { method: "prompts/get", params: { name: "review", arguments: { tone: "kind" } } },
  {
    method: "completion/complete",
    params: { ref: { type: "ref/prompt", name: "review" }, argument: { name: "tone", value: "" } }
  },
  { method: "subscriptions/listen", params: { notifications: { toolsListChanged: true } } },
  { method: "server/discover", params: {} },
  {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "f", version: "1" } }
  },
  { method: "logging/setLevel", params: { level: "debug" } },
  { method: "ping" }
]

const odd: ReadonlyArray<Json.Json> = [
  null,
  -1,
  1e308,
  "",
  "__proto__",
  "constructor",
  "\u0000",
  "x".repeat(5000),
  [],
  {},
  [[[[[]]]]],
  { __proto__x: 1 },
  true
]

/** A message with some of its values, keys and numbers changed. */
const mutate = (value: Json.Json, random: () => number): Json.Json => {
  if (random() < 0.06) return odd[Math.floor(random() * odd.length)] ?? null
  if (Array.isArray(value)) return value.map((each) => mutate(each, random))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]): Array<[string, Json.Json]> => {
      if (random() < 0.04) return []
      return [[random() < 0.03 ? String(odd[Math.floor(random() * 7)]) : key, mutate(each, random)]]
    })
  )
}

const server = Effect.gen(function* () {
  const toolset = yield* Toolset.dynamic([
    {
      name: "refund",
      inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      execute: ({ amount }) => Effect.succeed(amount)
    }
  ])
  return yield* McpServer.make({
    name: "fuzzed",
    version: "1",
    toolset,
    policy: {
      approval: ({ parameters }) => ((parameters as { amount: number }).amount > 100 ? Approval.ask() : Approval.allow)
    },
    resources: [
      McpServer.resourceTemplate({
        uriTemplate: "lib://books/{id}",
        name: "Book",
        parameters: { id: Schema.String },
        read: ({ id }) => Effect.succeed(id)
      })
    ],
    prompts: [
      McpServer.prompt({
        name: "review",
        parameters: { tone: Schema.String },
        get: ({ tone }) => Effect.succeed(tone),
        complete: { tone: () => Effect.succeed(["kind"]) }
      })
    ]
  })
})

for (const revision of ["2025-11-25", "2026-07-28"]) {
  it.scoped(`A server outlives what a client of ${revision} sends, and answers each request once`, () =>
    Effect.gen(function* () {
      const random = randomOf(7)
      const client = yield* McpTest.pair(yield* server, { revision })
      const count = sized(200, 50_000)
      for (let number = 0; number < count; number++) {
        const seed = seeds[Math.floor(random() * seeds.length)] ?? {}
        const params = (seed["params"] ?? {}) as Json.JsonObject
        const whole: Json.JsonObject = {
          ...seed,
          id: `fuzz ${number}`,
          params: revision === "2026-07-28" ? { ...params, _meta: envelope } : params
        }
        const message = mutate(whole, random)
        if (typeof message === "object" && message !== null && !Array.isArray(message)) yield* client.send(message)
        // The server reads on in turns.
        if (number % 100 === 99) yield* client.request("tools/list")
      }
      const { tools } = yield* client.request("tools/list")
      expect(tools).toHaveLength(1)
      const answered = client.received.filter(
        ({ id, method }) => method === undefined && String(id).startsWith("fuzz ")
      )
      expect(new Set(answered.map(({ id }) => id)).size).toBe(answered.length)
      expect(JSON.stringify(client.received)).not.toMatch(/node_modules|at .*\.js:\d+/u)
    })
  )
}
