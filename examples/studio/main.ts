/**
 * A shop with a studio beside it: tools with a hidden field, a rule that asks,
 * toolsets, a model with a script, and runs that are recorded. `pnpm studio`
 * keeps it open and prints its address; without `--stay` it asks its own API one
 * question and ends. No key is needed.
 */
import * as assert from "node:assert/strict"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Tool, Toolkit } from "@effect/ai"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Agent, ConversationStore } from "@wield/agent"
import { Approval, Hidden, type Policy, Toolset } from "@wield/core"
import { Manifest } from "@wield/manifest"
import { Inbox, Recorder, Studio } from "@wield/studio"
import { ScriptedModel } from "@wield/testing"
import { ActiveToolsets, ToolsetManager } from "@wield/toolset-manager"
import { Console, Effect, Layer, Redacted, Schema } from "effect"

const { values: flags } = parseArgs({
  options: { port: { type: "string", default: "0" }, stay: { type: "boolean", default: false } }
})

const GetOrders = Tool.make("get_orders", {
  description: "The customer's orders, newest first",
  parameters: { customerId: Schema.String, limit: Schema.optional(Schema.Int.pipe(Schema.positive())) },
  success: Schema.Array(Schema.Struct({ id: Schema.String, total: Schema.Number }))
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .pipe(Hidden.fields("customerId"))

const Refund = Tool.make("refund", {
  description: "Pays an order back, wholly or in part",
  parameters: { customerId: Schema.String, order: Schema.String, amount: Schema.Positive },
  success: Schema.String
}).pipe(Hidden.fields("customerId"))

class Shop extends Toolkit.make(GetOrders, Refund) {}

const ShopLive = Shop.toLayer({
  get_orders: ({ limit = 2 }) =>
    Effect.succeed(
      [
        { id: "A2", total: 240 },
        { id: "A1", total: 18.5 }
      ].slice(0, limit)
    ),
  refund: ({ amount, order }) => Effect.succeed(`Paid back ${amount} of ${order}`)
})

const isLarge = Schema.is(Schema.Struct({ amount: Schema.Number.pipe(Schema.greaterThan(100)) }))

const policy: Policy.Policy = {
  approval: ({ name, parameters }) =>
    name === "refund" && isLarge(parameters) ? Approval.ask("a refund over 100") : Approval.allow,
  limits: { default: { timeout: "10 seconds" } }
}

const { call, text, turn } = ScriptedModel

const script = [
  turn(text("I look at your orders. "), call("get_orders", { limit: 2 })),
  turn(call("refund", { order: "A2", amount: 240 })),
  text("A2 is paid back.")
]

const program = Effect.gen(function* () {
  const manifest = yield* Manifest.load(fileURLToPath(new URL("shop.tools.yaml", import.meta.url)))
  const written = yield* Manifest.toToolset(manifest, {
    handlers: { opening_hours: ({ day }) => Effect.succeed(`${String(day)}: 9 to 17`) }
  })
  const toolset = Toolset.combine(yield* Toolset.fromToolkit(Shop), written)
  const toolsets = yield* ToolsetManager.make({
    toolset,
    modules: new Map([["orders", ["get_orders", "refund"]]]),
    userFile: join(mkdtempSync(join(tmpdir(), "wield-studio-")), "toolsets.json"),
    initial: "all"
  })
  yield* toolsets.save("careful", ["get_orders", "opening_hours"], { metadata: { emoji: "🍵" } })

  const recorder = yield* Recorder.Recorder
  const store = yield* ConversationStore.ConversationStore
  const context = { customerId: "c_42" }
  const agent = yield* Agent.make({
    name: "clerk",
    model: yield* ScriptedModel.make(Array.from({ length: 20 }, () => script).flat()),
    toolset: toolsets.toolset,
    policy,
    instructions: "You serve the customers of a tea shop."
  })

  const { url } = yield* Studio.serve({
    toolset,
    policy,
    context,
    agent,
    toolsets,
    store,
    recorder,
    inbox: yield* Inbox.Inbox,
    title: "Tea shop",
    port: Number(flags.port)
  })
  const address = new URL(Redacted.value(url))
  const ask = (path: string, body?: object) =>
    Effect.promise(async () => {
      const response = await fetch(new URL(`/api/${path}`, address), {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${address.hash.slice(1)}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return response.json() as Promise<{ readonly [key: string]: unknown }>
    })

  // What the page does, too: a chat that comes to wait for a person.
  const session = yield* ask("playground", { model: "agent" })
  yield* ask(`playground/${String(session["id"])}/prompt`, { prompt: "I send A2 back." })
  const { tools } = yield* ask("tools")
  assert.deepEqual(
    (tools as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name),
    ["get_orders", "opening_hours", "refund"]
  )
  if (flags.stay) {
    yield* Console.log(`The studio is at ${address.href}`)
    return yield* Effect.never
  }
  yield* Console.log("The studio has shown three tools. pnpm studio keeps it open")
}).pipe(
  Effect.scoped,
  Effect.provide(
    Layer.mergeAll(
      ShopLive,
      ActiveToolsets.layerMemory,
      ConversationStore.layerMemory,
      Recorder.layer(),
      Inbox.layer
    ).pipe(Layer.provideMerge(NodeContext.layer))
  )
)

NodeRuntime.runMain(program)
