/**
 * A route handler of Next, with promises: `export const POST` takes a `Request`
 * and gives a `Response`, here a stream of lines of JSON. In an application the
 * part above the mark is `app/api/ask/route.ts`. The same shape serves Bun, Deno
 * and SvelteKit.
 */
import * as assert from "node:assert/strict"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { ScriptedModel } from "@wield/testing"
import { tool, wield } from "wield"
import { z } from "zod"

// A module of the server lives as long as its process, and so do the tools.
const shop = await wield({
  tools: [
    tool("get_orders", {
      description: "The customer's orders",
      facts: { isReadOnly: true },
      execute: async () => ["a kettle"]
    })
  ]
})
const agent = shop.agent({
  model: ScriptedModel.make([ScriptedModel.call("get_orders"), ScriptedModel.text("You have ordered a kettle.")])
})
const Ask = z.object({ prompt: z.string().min(1) })

/** A route handler gets the body unbounded. */
const readBounded = async (request: Request, limit: number): Promise<string | undefined> => {
  let text = ""
  let bytes = 0
  const decoder = new TextDecoder()
  const reader = request.body?.getReader()
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    bytes += read.value.byteLength
    if (bytes > limit) return undefined
    text += decoder.decode(read.value, { stream: true })
  }
  return text + decoder.decode()
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const POST = async (request: Request): Promise<Response> => {
  const text = await readBounded(request, 16 * 1024)
  if (text === undefined) return Response.json({ error: "The request is too long." }, { status: 413 })
  const body = Ask.safeParse(parse(text))
  if (!body.success) return Response.json({ error: z.prettifyError(body.error) }, { status: 400 })

  const events = agent.stream(body.data.prompt, { signal: request.signal })[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  const lines = new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await events.next()
        if (done === true) return controller.close()
        if (value._tag !== "TextDelta") continue
        return controller.enqueue(encoder.encode(`${JSON.stringify({ text: value.text })}\n`))
      }
    },
    // The page was left.
    cancel: async () => void (await events.return?.())
  })
  return new Response(lines, { headers: { "content-type": "application/x-ndjson" } })
}

// From here on: a server in the place of Next, and a client that tries it.
const server = serve({ fetch: POST, port: 0, hostname: "127.0.0.1" })
await once(server, "listening")
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/ask`

const response = await fetch(url, { method: "POST", body: JSON.stringify({ prompt: "What have I ordered?" }) })
const lines = (await response.text()).trim().split("\n")
assert.equal(lines.map((line) => JSON.parse(line).text).join(""), "You have ordered a kettle.")
assert.equal((await fetch(url, { method: "POST", body: "{" })).status, 400)
assert.equal((await fetch(url, { method: "POST", body: "a".repeat(20_000) })).status, 413)
console.log(`${lines.length} lines of JSON`)
server.close()
await shop.close()
