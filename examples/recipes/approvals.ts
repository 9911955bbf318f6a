/**
 * Approvals in a web application, with promises: a customer asks, the request
 * waits in a folder (your database), and a manager answers later, here to
 * another process of the server. The manager names the request by its id, so
 * that a yes is to exactly what was shown.
 */
import * as assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { serve } from "@hono/node-server"
import type { DeferredCall } from "@wield/agent"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { AlreadyAnswered, StaleResponse, tool, UnknownRequest, wield } from "wield"
import { fileStore } from "wield/file"
import { z } from "zod"

const refund = tool("refund", {
  description: "Pays money back for an order",
  parameters: z.object({ orderId: z.string(), amount: z.number().positive() }),
  execute: async ({ amount, orderId }) => `${amount} for ${orderId}`
})

const start = async (folder: string) => {
  const shop = await wield({
    tools: [refund],
    approval: { refund: ({ amount }) => (amount > 100 ? { ask: "a refund over 100" } : "allow") },
    store: fileStore({ path: join(folder, "shop.db") })
  })
  const agent = shop.agent({
    // It stands for any model: first it calls the tool, and then it says what came of it.
    model: FunctionModel.make(({ messages }) =>
      messages.at(-1)?._tag === "Results"
        ? ScriptedModel.text("Your 450 are on the way.")
        : ScriptedModel.call("refund", { orderId: "o_2", amount: 450 })
    )
  })

  /** A table of your database. The id is a word of hexadecimal digits. */
  const fileOf = (id: string) => join(folder, "waiting", `${id}.json`)
  mkdirSync(join(folder, "waiting"), { recursive: true })
  const isManager = (authorization: string | undefined) => authorization === "Bearer t_manager"

  const app = new Hono()
  app.use(bodyLimit({ maxSize: 16 * 1024 }))

  app.post("/ask", async (c) => {
    const { prompt } = z.object({ prompt: z.string() }).parse(await c.req.json())
    const result = await agent.ask(prompt, { signal: c.req.raw.signal })
    if (result._tag !== "Paused") return c.json({ text: result.text })
    for (const request of result.requests) writeFileSync(fileOf(request.id), JSON.stringify(request))
    return c.json({ conversation: result.conversation, text: "A manager has to look at this." }, 202)
  })

  app.get("/approvals", (c) => {
    if (!isManager(c.req.header("authorization"))) return c.body(null, 401)
    const requests = readdirSync(join(folder, "waiting")).map((name): DeferredCall.DeferredCall =>
      JSON.parse(readFileSync(join(folder, "waiting", name), "utf8"))
    )
    return c.json(requests.map(({ arguments: given, id, name, why }) => ({ id, name, given, why })))
  })

  app.post("/approvals/:id{[0-9a-f]+}", async (c) => {
    if (!isManager(c.req.header("authorization"))) return c.body(null, 401)
    const file = fileOf(c.req.param("id"))
    if (!existsSync(file)) return c.json({ error: "This request does not wait." }, 404)
    const { reply } = z
      .object({ reply: z.union([z.literal("approve"), z.object({ deny: z.string() })]) })
      .parse(await c.req.json())

    const to: DeferredCall.DeferredCall = JSON.parse(readFileSync(file, "utf8"))
    try {
      const { text } = await agent.ask(undefined, { conversation: to.conversation, answers: [{ to, reply }] })
      rmSync(file)
      return c.json({ text })
    } catch (error) {
      const isOver =
        error instanceof AlreadyAnswered || error instanceof StaleResponse || error instanceof UnknownRequest
      if (isOver) return c.json({ error: "This request was answered or has changed." }, 409)
      throw error
    }
  })

  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" })
  await once(server, "listening")
  process.send?.((server.address() as AddressInfo).port)
}

/** From here on: a customer and a manager, and a server that starts again between them. */
const tryIt = async () => {
  const folder = mkdtempSync(join(tmpdir(), "approvals-"))
  const withServer = async (use: (url: string) => Promise<void>) => {
    const server = spawn(process.execPath, [...process.execArgv, process.argv[1]!, folder], {
      stdio: ["ignore", "inherit", "inherit", "ipc"]
    })
    try {
      const [port] = await once(server, "message")
      await use(`http://127.0.0.1:${port}`)
    } finally {
      server.kill("SIGKILL")
    }
  }
  const headers = { "content-type": "application/json", authorization: "Bearer t_manager" }
  const post = (url: string, body: object) => fetch(url, { method: "POST", headers, body: JSON.stringify(body) })

  await withServer(async (url) => {
    const answer = await post(`${url}/ask`, { prompt: "Pay back my order o_2." })
    assert.equal(answer.status, 202)
    assert.equal((await fetch(`${url}/approvals`)).status, 401)
  })

  await withServer(async (url) => {
    const waiting = await (await fetch(`${url}/approvals`, { headers })).json()
    assert.deepEqual(waiting[0]?.given, { orderId: "o_2", amount: 450 })
    const approval = `${url}/approvals/${waiting[0]?.id}`
    const answer = await post(approval, { reply: "approve" })
    assert.deepEqual(await answer.json(), { text: "Your 450 are on the way." })
    assert.equal((await post(approval, { reply: "approve" })).status, 404)
  })
  console.log("asked in one process, approved in the next")
}

const folder = process.argv[2]
await (folder === undefined ? tryIt() : start(folder))
