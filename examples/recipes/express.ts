/**
 * Express, with promises: one `wield` for the process, one run for each request.
 * The customer comes from the session and never from the model. The body is
 * bounded, and the run ends when its client leaves.
 */
import * as assert from "node:assert/strict"
import { EventEmitter, once } from "node:events"
import type { AddressInfo } from "node:net"
import { ScriptedModel } from "@wield/testing"
import express from "express"
import { tool, wield } from "wield"
import { z } from "zod"

const getOrders = tool("get_orders", {
  description: "The customer's orders",
  parameters: z.object({ customerId: z.string() }),
  hidden: ["customerId"],
  facts: { isReadOnly: true },
  execute: async ({ customerId }) => [`a kettle for ${customerId}`]
})
const parcel = new EventEmitter()
const waitForParcel = tool("wait_for_parcel", {
  description: "Answers when the parcel is there",
  execute: async (_, { signal }) => {
    parcel.emit("awaited")
    await once(parcel, "arrived", { signal }).finally(() => parcel.emit("left"))
    return "It is there."
  }
})

await using shop = await wield({ tools: [getOrders, waitForParcel], limits: { default: { timeout: "30 seconds" } } })
const agent = shop.agent({
  // With a key: { format: "anthropic", model: "claude-sonnet-4-5", key: process.env.ANTHROPIC_API_KEY }
  model: ScriptedModel.make([
    ScriptedModel.call("get_orders"),
    ScriptedModel.text("You have ordered a kettle."),
    ScriptedModel.call("wait_for_parcel")
  ]),
  instructions: "You help the customers of a shop."
})
const customers = new Map([["Bearer t_ada", "c_ada"]])
const Ask = z.object({ prompt: z.string().min(1) })

const app = express()
app.use(express.json({ limit: "16kb" })) // a longer body is answered with 413
app.post("/ask", async (request, response) => {
  const customerId = customers.get(request.get("authorization") ?? "")
  if (customerId === undefined) return void response.sendStatus(401)
  const body = Ask.safeParse(request.body)
  if (!body.success) return void response.status(400).json({ error: z.prettifyError(body.error) })

  const client = new AbortController()
  response.on("close", () => client.abort())
  try {
    const { text } = await agent.ask(body.data.prompt, { context: { customerId }, signal: client.signal })
    response.json({ text })
  } catch (error) {
    if (client.signal.aborted) return // no one is there to read it
    console.error(error) // the client gets no text of an error: it may hold an address or a name
    response.status(502).json({ error: "The assistant is not available." })
  }
})

const onError: express.ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error.status ?? 500
  response.status(status).json({ error: status === 500 ? "Something went wrong." : error.message })
}
app.use(onError)

// From here on: a client that tries it.
const server = app.listen(0, "127.0.0.1")
await once(server, "listening")
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`
const ask = (body: object, signal: AbortSignal | null = null) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer t_ada" },
    body: JSON.stringify(body),
    signal
  })

assert.deepEqual(await (await ask({ prompt: "What have I ordered?" })).json(), { text: "You have ordered a kettle." })
assert.equal((await ask({ prompt: "a".repeat(20_000) })).status, 413)
assert.equal((await ask({})).status, 400)
assert.equal((await fetch(url, { method: "POST" })).status, 401)

const leaving = new AbortController()
const left = once(parcel, "left")
void once(parcel, "awaited").then(() => leaving.abort())
await assert.rejects(ask({ prompt: "Tell me when it is there." }, leaving.signal), { name: "AbortError" })
await left // the handler's signal was aborted, too
console.log("answered, bounded, and ended when the client left")
server.close()
server.closeAllConnections() // those whose body was not read to its end
