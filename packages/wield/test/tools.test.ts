/** What a tool gives and who runs it: results that are checked, content, progress, tools of a page, the log. */
import { describe, expect, it } from "vitest"
import { setTimeout as sleep } from "node:timers/promises"
import { type } from "arktype"
import { content, file, image, type LogLine, tool, type Tool, wield } from "wield"
import { z } from "zod"

type AnyOf = Tool<string, never, unknown, never, never>

const call = (name: string, input: object = {}, id = "toolu_1") => ({ type: "tool_use", id, name, input })
const respond = (...content: ReadonlyArray<object>) => ({
  type: "message",
  role: "assistant",
  content,
  stop_reason: "tool_use"
})

const toolsOf = (one: unknown, options: object = {}) => wield({ tools: [one as AnyOf], ...options })

describe("a result", () => {
  const Order = z.object({ id: z.string(), total: z.number().positive() })
  it.each([
    ["zod", Order],
    ["arktype", type({ id: "string", total: "number > 0" })],
    ["a JSON Schema", z.toJSONSchema(Order)]
  ])("is checked by %s, and one that does not fit reaches no model", async (_, outputSchema) => {
    const lines: Array<LogLine> = []
    const order = tool("order", {
      parameters: { type: "object", properties: { total: {} } },
      outputSchema: outputSchema as never,
      execute: ({ total }) => ({ id: "leaked", total }) as never
    })
    await using shop = await toolsOf(order, { logger: (line: LogLine) => lines.push(line) })
    const good = await shop.run().answer("anthropic", respond(call("order", { total: 5 })))
    expect(good.outcomes).toMatchObject([{ _tag: "Success", encoded: { id: "leaked", total: 5 } }])
    const bad = await shop.run().answer("anthropic", respond(call("order", { total: -5 })))
    expect(bad.outcomes).toMatchObject([{ _tag: "InvalidResult" }])
    expect(JSON.stringify(bad.messages)).not.toContain("leaked")
    expect(lines).toMatchObject([{ level: "error", message: expect.stringContaining("does not fit its schema") }])
    const [definition] = (await shop.run().tools("openai-responses"))["tools"] as ReadonlyArray<object>
    expect(definition).toMatchObject({ name: "order" })
  })

  it("is what its schema makes of it", async () => {
    const outputSchema = z.object({ at: z.date().transform((date) => date.toISOString()) })
    await using clock = await toolsOf(tool("now", { outputSchema, execute: () => ({ at: new Date(0) }) }))
    const { outcomes } = await clock.run().answer("anthropic", respond(call("now")))
    expect(outcomes).toMatchObject([{ encoded: { at: "1970-01-01T00:00:00.000Z" } }])
  })

  it("of a schema that cannot be compiled ends the making, with the tool's name", async () => {
    const wrong = tool("now", { outputSchema: { type: "object", properties: 7 }, execute: () => 1 })
    await expect(toolsOf(wrong)).rejects.toThrow(/now.*output schema/s)
  })

  it("may have texts, images and files, by bytes or by Base64", async () => {
    const receipt = tool("receipt", {
      execute: () =>
        content("Paid.", image("image/png", new Uint8Array([1, 2, 3])), file("application/pdf", "JVBERg==", "r.pdf"))
    })
    await using shop = await toolsOf(receipt)
    const { messages } = await shop.run().answer("anthropic", respond(call("receipt")))
    expect(messages).toMatchObject([
      {},
      {
        content: [
          {
            content: [
              { type: "text", text: "Paid." },
              { type: "image", source: { media_type: "image/png", data: "AQID" } },
              { type: "document" }
            ]
          }
        ]
      }
    ])
  })

  it.each([
    ["an image", tool("draw", { execute: () => image("image/png", new Uint8Array([1, 2, 3])) }), "image/png", "AQID"],
    ["a file", tool("draw", { execute: async () => file("application/pdf", "JVBE") }), "application/pdf", "JVBE"]
  ])("may be %s alone, which the model sees as one", async (_, draw, mediaType, data) => {
    await using tools = await toolsOf(draw)
    const { messages, outcomes } = await tools.run().answer("anthropic", respond(call("draw")))
    expect(JSON.stringify(messages)).toContain(`"media_type":"${mediaType}","data":"${data}"`)
    expect(outcomes[0]).toMatchObject({ _tag: "Success", result: { parts: [expect.anything()] } })
  })

  it("may be a list of texts and images, which is content", async () => {
    const draw = tool("draw", { execute: () => ["A cat", image("image/png", "AQID")] })
    await using tools = await toolsOf(draw)
    const { messages, outcomes } = await tools.run().answer("anthropic", respond(call("draw")))
    expect(JSON.stringify(messages)).toContain('"text":"A cat"')
    expect(JSON.stringify(messages)).toContain('"media_type":"image/png","data":"AQID"')
    expect(outcomes[0]).toMatchObject({ result: { parts: [expect.anything(), expect.anything()] } })
  })

  it("has no image and no file of a media type that no API takes", () => {
    expect(() => image("png", "AQID")).toThrow('`image` needs a media type, such as "image/png", but has "png"')
    expect(() => image("text/plain", "AQID")).toThrow('but has "text/plain"')
    expect(() => file("pdf", "AQID")).toThrow('`file` needs a media type, such as "application/pdf", but has "pdf"')
  })

  it("of megabytes is shown to the model by its beginning, and is whole in the program", async () => {
    const dump = tool("dump", { execute: () => "x".repeat(8_000_000) })
    await using shop = await toolsOf(dump)
    expect(JSON.stringify(await shop.run().tools("anthropic"))).not.toContain("read_result")
    const { messages, outcomes } = await shop.run().answer("anthropic", respond(call("dump")))
    expect(JSON.stringify(messages).length).toBeLessThan(110_000)
    expect(JSON.stringify(messages)).toContain("The rest is not shown")
    expect(outcomes).toMatchObject([{ result: "x".repeat(8_000_000) }])
  })
})

describe("a tool of the page", () => {
  const pick = tool("pick_seat", { parameters: z.object({ row: z.number() }), outputSchema: z.enum(["A", "B"]) })

  it("waits for the page's result, which is checked", async () => {
    await using trips = await toolsOf(pick)
    const run = trips.run({ id: "trip 1" })
    const response = respond(call("pick_seat", { row: 3 }))
    const { waiting } = await run.answer("anthropic", response)
    expect(waiting).toMatchObject([{ name: "pick_seat", waitsFor: "client", arguments: { row: 3 } }])
    const answer = (reply: { readonly result: string }) =>
      run.answer("anthropic", response, { answers: waiting.map((to) => ({ to, reply })) })
    expect((await answer({ result: "Z" })).outcomes).toMatchObject([{ _tag: "InvalidResult" }])
    const { messages, outcomes } = await answer({ result: "A" })
    expect(outcomes).toMatchObject([{ _tag: "Success", encoded: "A" }])
    expect(JSON.stringify(messages)).toContain('"A"')
  })

  it("may say why it could not", async () => {
    await using trips = await toolsOf(pick)
    const run = trips.run({ id: "trip 2" })
    const response = respond(call("pick_seat", { row: 3 }))
    const { waiting } = await run.answer("anthropic", response)
    const answers = waiting.map((to) => ({ to, reply: { failure: "The row is full" } }))
    const { messages, outcomes } = await run.answer("anthropic", response, { answers })
    expect(outcomes).toMatchObject([{ _tag: "Failure" }])
    expect(JSON.stringify(messages)).toContain("The row is full")
  })
})

it("what happens to calls is heard while they run, as JSON", async () => {
  const pack = tool("pack", {
    execute: async (_, { progress }) => {
      await progress({ done: 1, of: 2 })
      return "packed"
    }
  })
  await using shop = await toolsOf(pack)
  const events: Array<unknown> = []
  const onEvent = (event: object) => events.push(JSON.parse(JSON.stringify(event)))
  await shop.run().answer("anthropic", respond(call("pack")), { onEvent })
  const made = { id: "toolu_1", name: "pack", arguments: {} }
  expect(events).toEqual([
    { _tag: "CallStarted", call: made },
    { _tag: "CallProgress", call: made, value: { done: 1, of: 2 } },
    { _tag: "CallFinished", call: made, outcome: expect.objectContaining({ _tag: "Success", value: "packed" }) }
  ])
})

it("a tool is stopped after its limit, or after that of all", async () => {
  const wait = tool("wait", { execute: (_, { signal }) => sleep(60_000, "late", { signal }) })
  await using shop = await toolsOf(wait, { limits: { default: { timeout: 20 } } })
  const { outcomes } = await shop.run().answer("anthropic", respond(call("wait")))
  expect(outcomes).toMatchObject([{ _tag: "TimedOut", limit: 20 }])
  await using another = await toolsOf(wait)
  expect(another.policy.limits?.default?.timeout).toBe("5 minutes")
})

it("a limit that is undefined takes no other away", async () => {
  const wait = tool("wait", { execute: (_, { signal }) => sleep(60_000, "late", { signal }) })
  await using shop = await toolsOf(wait, {
    limits: {
      default: { timeout: undefined },
      tools: { wait: { timeout: 20 } },
      dynamic: { wait: undefined as never }
    },
    policy: { resultBound: undefined }
  })
  expect(shop.policy).toMatchObject({
    limits: { default: { timeout: "5 minutes" }, dynamic: { wait: { timeout: 20 } } },
    resultBound: { maxBytes: 100_000 }
  })
  const { outcomes } = await shop.run().answer("anthropic", respond(call("wait")))
  expect(outcomes).toMatchObject([{ _tag: "TimedOut", limit: 20 }])
  await using other = await toolsOf(wait, {
    limits: { default: { timeout: 20 }, tools: { wait: { timeout: undefined, concurrency: 1 } } }
  })
  const ended = await other.run().answer("anthropic", respond(call("wait")))
  expect(ended.outcomes).toMatchObject([{ _tag: "TimedOut", limit: 20 }])
})

it("a logger that throws ends no call, and not the making", async () => {
  const crash = tool("crash", {
    execute: () => {
      throw new Error("bug")
    }
  })
  const logger = () => {
    throw new Error("the disk is full")
  }
  await using shop = await toolsOf(crash, { logger })
  const { outcomes } = await shop.run().answer("anthropic", respond(call("crash")))
  expect(outcomes).toMatchObject([{ _tag: "Defect" }])
})
