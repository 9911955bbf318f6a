/**
 * A chat page, of `useChat` or AG-UI, behind each of six servers: the lines between the marks are all that each needs.
 * The user comes from the session; here a header stands for it.
 */
import * as assert from "node:assert/strict"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { HttpApp, HttpRouter } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { getRequestListener } from "@hono/node-server"
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"
import express from "express"
import fastify from "fastify"
import { Hono } from "hono"
import { tool, wield } from "wield"

const getOrders = tool("get_orders", {
  description: "The customer's orders",
  facts: { isReadOnly: true },
  execute: async () => ["a kettle"]
})
await using shop = await wield({ tools: [getOrders] })
const agent = shop.agent({
  // With a key: { format: "anthropic", model: "claude-sonnet-4-5", key: process.env.ANTHROPIC_API_KEY }
  model: ScriptedModel.make(
    Array.from({ length: 6 }, () => [ScriptedModel.call("get_orders"), ScriptedModel.text("A kettle.")]).flat()
  )
})
const userOf = (request: Request): string | undefined => request.headers.get("x-session-user") ?? undefined

/** GET, POST and DELETE of `/api/chat` and what is below it. */
const handle = (request: Request): Promise<Response> => agent.chat(request, { user: userOf(request) })

// Next: app/api/chat/[[...path]]/route.ts. SvelteKit: +server.ts.
export { handle as DELETE, handle as GET, handle as POST }

// Bun, Deno, a worker: `export default { fetch: handle }`.
const worker = { fetch: handle }

// Hono
const hono = new Hono().all("/api/chat/*", (c) => handle(c.req.raw)).all("/api/chat", (c) => handle(c.req.raw))

// Express: before `express.json()`, which takes the body away.
const listener = getRequestListener(handle)
const expressApp = express().use("/api/chat", (request, response) => {
  request.url = request.originalUrl
  return listener(request, response)
})

// Fastify
const fastifyApp = fastify()
fastifyApp.addContentTypeParser("*", (_request, _body, done) => done(null))
fastifyApp.removeContentTypeParser("application/json")
fastifyApp.all("/api/chat*", (request, reply) => {
  reply.hijack()
  return listener(request.raw, reply.raw)
})

// @effect/platform
const router = HttpRouter.empty.pipe(
  HttpRouter.mountApp("/api/chat", HttpApp.fromWebHandler(handle), { includePrefix: true })
)

// From here on: a page that tries them.
const ask = async (url: string, fetchFrom: (request: Request) => Promise<Response> = fetch) => {
  const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "What have I ordered?" }] }]
  const send = (headers: { readonly [name: string]: string }) =>
    fetchFrom(
      new Request(`${url}/api/chat`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ id: `chat at ${url}`, messages })
      })
    )
  const response = await send({ "x-session-user": "ada" })
  const stream = await response.text()
  assert.match(stream, /"type":"tool-output-available"/)
  assert.match(stream, /data: \[DONE\]/)
  assert.equal((await send({})).status, 401)
  const past = await fetchFrom(
    new Request(`${url}/api/chat/${encodeURIComponent(`chat at ${url}`)}`, { headers: { "x-session-user": "ada" } })
  )
  assert.equal(((await past.json()) as { readonly messages: ReadonlyArray<unknown> }).messages.length, 2)
}
const urlOf = (address: unknown) => `http://127.0.0.1:${(address as AddressInfo).port}`

await ask("http://next", handle)
await ask("http://worker", worker.fetch)
for (const listen of [getRequestListener(hono.fetch), expressApp]) {
  const server = createServer(listen).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  await ask(urlOf(server.address()))
  server.close()
}
await fastifyApp.listen({ port: 0, host: "127.0.0.1" })
await ask(urlOf(fastifyApp.server.address()))
await fastifyApp.close()
await Effect.gen(function* () {
  const server = yield* NodeHttpServer.make(() => createServer(), { port: 0, host: "127.0.0.1" })
  yield* server.serve(router)
  yield* Effect.promise(() => ask(urlOf(server.address)))
}).pipe(Effect.scoped, Effect.runPromise)
console.log("six servers, one page")
