/**
 * Hono, with promises: an answer streamed to a browser as server-sent events.
 * Text and calls are sent as they come. Leaving the page ends the run.
 */
import * as assert from "node:assert/strict"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { ScriptedModel } from "@wield/testing"
import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { streamSSE } from "hono/streaming"
import { tool, wield } from "wield"
import { z } from "zod"

const getOrders = tool("get_orders", {
  description: "The customer's orders",
  facts: { isReadOnly: true },
  execute: async () => ["a kettle", "two cups"]
})
await using shop = await wield({ tools: [getOrders] })
const agent = shop.agent({
  model: ScriptedModel.make([
    ScriptedModel.turn(ScriptedModel.text("Let me look. "), ScriptedModel.call("get_orders")),
    ScriptedModel.text("A kettle and two cups.")
  ])
})
const Ask = z.object({ prompt: z.string().min(1) })

const app = new Hono()
app.post("/ask", bodyLimit({ maxSize: 16 * 1024 }), async (c) => {
  const body = Ask.safeParse(await c.req.json().catch(() => undefined))
  if (!body.success) return c.json({ error: z.prettifyError(body.error) }, 400)

  return streamSSE(c, async (stream) => {
    const client = new AbortController()
    stream.onAbort(() => client.abort())
    try {
      for await (const event of agent.stream(body.data.prompt, { signal: client.signal })) {
        // Send what the page shows, and nothing else: an outcome may hold what only the model is to read.
        if (event._tag === "TextDelta") await stream.writeSSE({ event: "text", data: JSON.stringify(event.text) })
        if (event._tag === "CallStarted") await stream.writeSSE({ event: "call", data: event.call.name })
        if (event._tag === "TurnBroken") await stream.writeSSE({ event: "restart", data: "" })
        if (event._tag === "Done") await stream.writeSSE({ event: "done", data: event.result._tag })
      }
    } catch (error) {
      if (client.signal.aborted) return
      console.error(error)
      await stream.writeSSE({ event: "failed", data: "The assistant is not available." })
    }
  })
})

// From here on: a browser that tries it.
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" })
await once(server, "listening")
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`
const headers = { "content-type": "application/json" }

const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ prompt: "What is mine?" }) })
assert.match(response.headers.get("content-type") ?? "", /text\/event-stream/)
const events = (await response.text())
  .split("\n\n")
  .filter((event) => event !== "")
  .map((event) => ({ name: /^event: (.*)$/m.exec(event)?.[1], data: /^data: (.*)$/m.exec(event)?.[1] ?? "" }))
const text = events.filter(({ name }) => name === "text").map(({ data }) => JSON.parse(data))
assert.equal(text.join(""), "Let me look. A kettle and two cups.")
assert.deepEqual(
  events.filter(({ name }) => name === "call").map(({ data }) => data),
  ["get_orders"]
)
assert.deepEqual(events.at(-1), { name: "done", data: "Finished" })

const tooLong = await fetch(url, { method: "POST", headers, body: JSON.stringify({ prompt: "a".repeat(20_000) }) })
assert.equal(tooLong.status, 413)
console.log(`${events.length} events, then the end`)
server.close()
