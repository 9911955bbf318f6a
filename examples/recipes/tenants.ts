/**
 * A service for several tenants: each has its own budget, an answer that is late
 * gets a 409 before anything streams, what a model had said stays when its reader
 * leaves, and an audit says who decided what. Promises and a file store; no key.
 */
import * as assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { AlreadyAnswered, type DeferredCall, tool, wield } from "wield"
import { fileStore } from "wield/file"
import { z } from "zod"

const start = (path: string) =>
  wield({
    tools: [
      tool("refund", {
        description: "Pays money back for an order",
        parameters: z.object({ order: z.string(), amount: z.number() }),
        execute: ({ amount, order }) => `${amount} for ${order}`
      }),
      tool("track", {
        description: "Where a parcel is",
        parameters: z.object({ order: z.string() }),
        facts: { isReadOnly: true },
        execute: ({ order }) => `${order} is in Leipzig`
      })
    ],
    approval: { refund: () => ({ ask: "it pays money" }) },
    // Counted in the store, so over all processes of the service.
    quotas: [{ name: "tenant", by: ({ tenant }) => String(tenant), window: "1 day", calls: 2 }],
    store: fileStore({ path })
  })

const agentOf = (service: Awaited<ReturnType<typeof start>>) =>
  service.agent({
    whenInterrupted: "keep",
    // It stands for any model: it pays when it is asked to, and otherwise talks at length.
    model: FunctionModel.make(({ messages }) => {
      const last = messages.at(-1)
      if (last?._tag === "Results") return ScriptedModel.text("Done.")
      if (JSON.stringify(last).includes("Pay")) return ScriptedModel.call("refund", { order: "o_1", amount: 5 })
      const words = "Let me tell you all about tea".split(" ")
      return ScriptedModel.turn(
        ...words.flatMap((word) => [ScriptedModel.text(`${word} `), ScriptedModel.delay("20 millis")])
      )
    })
  })

/** An answer from a page: its status is known before a stream begins. `who` comes from the session. */
const answer = async (
  agent: ReturnType<typeof agentOf>,
  to: DeferredCall,
  reply: "approve" | { deny: string },
  who: string
) => {
  const { conversation } = to
  const answers = [{ to, reply, by: { who, way: "page" } }]
  const context = { tenant: "north" }
  try {
    await agent.check(conversation, answers, { context })
  } catch (error) {
    if (error instanceof AlreadyAnswered) return { status: 409 }
    throw error
  }
  return { status: 200, result: await agent.ask(undefined, { conversation, answers, context }) }
}

// From here on it tries itself: two processes of the service, over one file.
const folder = mkdtempSync(join(tmpdir(), "tenants-"))
try {
  await using one = await start(join(folder, "service.db"))
  await using other = await start(join(folder, "service.db"))

  const paused = await agentOf(one).ask("Pay o_1 back", { conversation: "north/1", context: { tenant: "north" } })
  const [request] = paused._tag === "Paused" ? paused.requests : []
  assert.ok(request)
  assert.equal((await answer(agentOf(other), request, "approve", "ada")).status, 200)
  assert.equal((await answer(agentOf(one), request, { deny: "No." }, "bob")).status, 409)

  // The budget of a tenant is one for both processes: the refund was a call, this is the second. Others have their own.
  const track = (service: typeof one, tenant: string) =>
    service.run({ context: { tenant } }).call("track", { order: "o_1" })
  assert.equal(await track(other, "north"), "o_1 is in Leipzig")
  await assert.rejects(track(one, "north"), /2 calls per 1d/)
  assert.equal(await track(one, "south"), "o_1 is in Leipzig")

  // A reader that leaves: what it had read stays, and the next answer knows it.
  const left = new AbortController()
  const reading = agentOf(one).ask("What about tea?", {
    conversation: "north/2",
    context: { tenant: "north" },
    signal: left.signal,
    onEvent: (event) => {
      if (event._tag === "TextDelta" && event.text === "me ") left.abort()
    }
  })
  await assert.rejects(reading)
  const { entries } = await other.conversations.read("north/2")
  assert.match(JSON.stringify(entries.at(-1)), /Let me .*"isStopped":true/)

  for (const row of await other.conversations.audit("north/1")) console.log(JSON.stringify(row))
} finally {
  rmSync(folder, { recursive: true })
}
