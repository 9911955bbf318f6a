import { expect, it } from "@effect/vitest"
import { Content, Toolset } from "@wield/core"
import { McpRequest, McpServer, McpTest } from "@wield/mcp"
import { Effect, Schema } from "effect"
import { describe } from "vitest"

const library = McpServer.make({
  name: "library",
  version: "1",
  resources: [
    McpServer.resource({ uri: "lib://terms", name: "Terms", mimeType: "text/plain", read: Effect.succeed("be kind") }),
    McpServer.resource({
      uri: "lib://logo",
      name: "Logo",
      mimeType: "image/png",
      read: Effect.succeed(new Uint8Array([1, 2]))
    }),
    McpServer.resource({ uri: "lib://broken", name: "Broken", read: Effect.fail("password hunter2") }),
    McpServer.resourceTemplate({
      uriTemplate: "lib://books/{id}/{+rest}",
      name: "Book",
      parameters: { id: Schema.NumberFromString, rest: Schema.String },
      read: ({ id, rest }) => Effect.succeed(`${id + 1} ${rest}`),
      complete: { id: (typed) => Effect.succeed(["1", "12", "2"].filter((id) => id.startsWith(typed))) }
    })
  ],
  prompts: [
    McpServer.prompt({
      name: "review",
      title: "Review",
      parameters: {
        times: Schema.NumberFromString.annotations({ description: "How often" }),
        tone: Schema.optional(Schema.String)
      },
      get: ({ times, tone }) =>
        Effect.succeed([
          {
            role: "user",
            content: Content.text(`Review it ${times * 2} times${tone === undefined ? "" : `, ${tone}`}.`)
          },
          { role: "assistant", content: Content.image("image/png", "aW1n") }
        ])
    }),
    McpServer.prompt({ name: "hello", get: () => Effect.succeed("Say hello.") }),
    McpServer.prompt({
      name: "asking",
      get: () =>
        Effect.map(
          McpRequest.ask({ who: McpRequest.form({ message: "Who?", fields: Schema.Struct({ name: Schema.String }) }) }),
          ({ who }) => (who.action === "accept" ? `Greet ${who.content.name}.` : "Greet the room.")
        )
    })
  ]
})

describe("Resources and prompts", () => {
  it.scoped("are listed and read by address", () =>
    Effect.gen(function* () {
      const client = yield* McpTest.pair(yield* library)
      const { resources } = (yield* client.request("resources/list")) as never as { resources: Array<{ uri: string }> }
      expect(resources.map(({ uri }) => uri)).toEqual(["lib://terms", "lib://logo", "lib://broken"])
      expect((yield* client.request("resources/templates/list"))["resourceTemplates"]).toEqual([
        { uriTemplate: "lib://books/{id}/{+rest}", name: "Book" }
      ])
      const read = (uri: string) => Effect.map(client.request("resources/read", { uri }), ({ contents }) => contents)
      expect(yield* read("lib://terms")).toEqual([{ uri: "lib://terms", mimeType: "text/plain", text: "be kind" }])
      expect(yield* read("lib://logo")).toEqual([{ uri: "lib://logo", mimeType: "image/png", blob: "AQI=" }])
      expect(yield* read("lib://books/4/a/b%20c")).toEqual([{ uri: "lib://books/4/a/b%20c", text: "5 a/b c" }])
      expect(yield* Effect.flip(read("lib://books/four/a"))).toMatchObject({ code: -32602 })
      expect(yield* Effect.flip(read("lib://nothing"))).toMatchObject({ code: -32602 })
      expect(yield* Effect.flip(read("lib://broken"))).toMatchObject({ code: -32603 })
      expect(JSON.stringify(client.received)).not.toContain("hunter2")
    })
  )

  it.scoped("have arguments with types, and suggestions for them", () =>
    Effect.gen(function* () {
      const client = yield* McpTest.pair(yield* library, { revision: "2025-11-25" })
      const { prompts } = yield* client.request("prompts/list")
      expect(prompts).toMatchObject([
        {
          name: "review",
          title: "Review",
          arguments: [
            { name: "times", description: "How often", required: true },
            { name: "tone", required: false }
          ]
        },
        { name: "hello", arguments: [] },
        { name: "asking" }
      ])
      const get = (name: string, args: { [name: string]: string }) =>
        client.request("prompts/get", { name, arguments: args })
      expect((yield* get("review", { times: "2", tone: "kindly" }))["messages"]).toEqual([
        { role: "user", content: { type: "text", text: "Review it 4 times, kindly." } },
        { role: "assistant", content: { type: "image", data: "aW1n", mimeType: "image/png" } }
      ])
      expect(yield* Effect.flip(get("review", { times: "often" }))).toMatchObject({ code: -32602 })
      expect(yield* Effect.flip(get("toString", {}))).toMatchObject({ code: -32602 })
      const complete = (argument: { name: string; value: string }) =>
        client.request("completion/complete", {
          ref: { type: "ref/resource", uri: "lib://books/{id}/{+rest}" },
          argument
        })
      expect((yield* complete({ name: "id", value: "1" }))["completion"]).toMatchObject({
        values: ["1", "12"],
        total: 2
      })
      expect((yield* complete({ name: "rest", value: "" }))["completion"]).toMatchObject({ values: [] })
      expect((yield* complete({ name: "constructor", value: "" }))["completion"]).toMatchObject({ values: [] })
    })
  )

  it.scoped("may ask the client first", () =>
    Effect.gen(function* () {
      const client = yield* McpTest.pair(yield* library, { capabilities: { elicitation: {} } })
      const asked = yield* client.request("prompts/get", { name: "asking", arguments: {} })
      expect(asked["resultType"]).toBe("input_required")
      const answered = yield* client.request("prompts/get", {
        name: "asking",
        arguments: {},
        requestState: asked["requestState"] ?? "",
        inputResponses: { who: { action: "accept", content: { name: "Ada" } } }
      })
      expect(answered["messages"]).toEqual([{ role: "user", content: { type: "text", text: "Greet Ada." } }])
    })
  )

  for (const revision of ["2025-11-25", "2026-07-28"]) {
    it.scoped(`tell those clients of ${revision} of a change that asked for it`, () =>
      Effect.gen(function* () {
        const server = yield* library
        const client = yield* McpTest.pair(server, { revision })
        if (revision === "2025-11-25") yield* client.request("resources/subscribe", { uri: "lib://terms" })
        else {
          yield* Effect.fork(
            client.request("subscriptions/listen", { notifications: { resourceSubscriptions: ["lib://terms"] } })
          )
          yield* client.notification("notifications/subscriptions/acknowledged")
        }
        yield* server.resourceUpdated("lib://logo")
        yield* server.resourceUpdated("lib://terms")
        yield* client.notification("notifications/resources/updated")
        const updates = client.received.filter(({ method }) => method === "notifications/resources/updated")
        expect(updates.map(({ params }) => params?.["uri"])).toEqual(["lib://terms"])
      })
    )
  }

  it.scoped("take no subscription of a session beyond half a million characters, and say so", () =>
    Effect.gen(function* () {
      const client = yield* McpTest.pair(yield* library, { revision: "2025-11-25" })
      const large = `lib://${"a".repeat(499_994)}`
      yield* client.request("resources/subscribe", { uri: large })
      yield* client.request("resources/subscribe", { uri: large })
      expect(yield* Effect.flip(client.request("resources/subscribe", { uri: "lib://terms" }))).toMatchObject({
        code: -32600,
        message: expect.stringContaining("unsubscribe from others first")
      })
      yield* client.request("resources/unsubscribe", { uri: large })
      yield* client.request("resources/unsubscribe", { uri: large })
      yield* client.request("resources/subscribe", { uri: "lib://terms" })
      expect(yield* Effect.flip(client.request("resources/subscribe", { uri: large }))).toMatchObject({ code: -32600 })
    })
  )

  it.scoped("hold the whole of a result that was too large", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 1000 }, (_, index) => `line ${index} ü`).join("\n")
      const toolset = yield* Toolset.dynamic([{ name: "long", execute: () => Effect.succeed(long) }])
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        toolset,
        policy: { resultBound: { maxBytes: 1000 } }
      })
      const client = yield* McpTest.pair(server)
      const { content } = (yield* client.request("tools/call", { name: "long", arguments: {} })) as never as {
        content: Array<{ type: string; uri?: string }>
      }
      const link = content.find(({ type }) => type === "resource_link")
      const whole = yield* client.request("resources/read", { uri: link?.uri ?? "" })
      expect(whole["contents"]).toMatchObject([{ text: JSON.stringify(long) }])
      expect(yield* Effect.flip(client.request("resources/read", { uri: "wield://results/other" }))).toMatchObject({
        code: -32602
      })
    })
  )

  it.scoped("log to clients that want it", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        {
          name: "log",
          execute: () =>
            Effect.as(
              Effect.zipRight(McpRequest.log("debug", "small"), McpRequest.log("error", { big: true }, "shop")),
              1
            )
        }
      ])
      const client = yield* McpTest.pair(yield* McpServer.make({ name: "s", version: "1", toolset }))
      yield* client.request("tools/call", { name: "log", arguments: {} })
      expect(client.received.filter(({ method }) => method === "notifications/message")).toEqual([])
      yield* client.request("tools/call", {
        name: "log",
        arguments: {},
        _meta: { "io.modelcontextprotocol/logLevel": "warning" }
      })
      const messages = client.received.filter(({ method }) => method === "notifications/message")
      expect(messages.map(({ params }) => params)).toMatchObject([
        { level: "error", logger: "shop", data: { big: true } }
      ])
    })
  )
})
