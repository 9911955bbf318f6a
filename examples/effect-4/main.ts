/**
 * An application on Effect 4 alone, with `@wield/effect4`: an agent streams, finds an order by SQL, mends its mistakes,
 * and waits for a person. The process ends there. Another one opens the database, has the answer, and goes on; a third
 * finds the call made, and makes it no second time.
 */
import * as assert from "node:assert"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Agent, Conversation, DeferredCall, Model, Response, ToolCall, ToolRunner, Toolset } from "@wield/effect4"
import * as SqlStore from "@wield/effect4/SqlStore"
import { Effect, Layer, Stream } from "effect"
import * as ScriptedModel from "./model.js"
import { Clerk, Orders, policy, Shop, ShopLive } from "./shop.js"
import * as Sqlite from "./sqlite.js"

const conversationId = "customer c_42, 28 November"
const context = { customerId: "c_42" }

/** Everything that the parts below need, over one database. */
const layerOf = (database: string) =>
  ShopLive.pipe(
    Layer.provideMerge(Layer.merge(Orders.layer, SqlStore.layer)),
    Layer.provideMerge(Sqlite.layer(database)),
    Layer.provideMerge(ScriptedModel.layer),
    Layer.provideMerge(Layer.succeed(Clerk, "Ada"))
  )

const makeAgent = Effect.gen(function* () {
  const journal = yield* SqlStore.SqlJournalService
  return yield* Agent.make({
    model: yield* Model.fromLanguageModel({ id: "script" }),
    toolset: yield* Toolset.fromToolkit(Shop),
    policy: { ...(yield* policy), journal },
    instructions: "Be brief."
  })
})

/** The first process: streams until a person has to be asked, and prints what waits. */
const begin = Effect.gen(function* () {
  const store = yield* Conversation.ConversationStore
  const conversation = yield* store.openOrCreate(conversationId)
  const agent = yield* makeAgent
  const lines: Array<string> = []
  const events = Agent.stream(agent, { prompt: "Please refund order o_1.", promptId: "1", conversation, context })
  const last = yield* events.pipe(
    Stream.tap((event) =>
      Effect.sync(() => {
        if (event._tag === "CallFinished") lines.push(`${event.outcome.name}: ${event.outcome._tag}`)
      })
    ),
    Stream.runLast
  )
  assert.deepStrictEqual(lines, [
    "find_orders: UnknownTool",
    "find_order: Success",
    "refund: InvalidArguments",
    "refund: Deferred"
  ])
  assert.ok(last._tag === "Some" && last.value._tag === "Done" && last.value.result._tag === "Paused")
  assert.strictEqual(yield* (yield* Orders).refunds, 0)
  // JSON: it may wait in a table, or go to a page.
  return last.value.result.requests
})

/** Another process, which has nothing but the database and the person's answer. */
const goOn = (request: unknown) =>
  Effect.gen(function* () {
    const store = yield* Conversation.ConversationStore
    const conversation = yield* store.open(conversationId)
    const answer = yield* DeferredCall.decodeAnswer({ request, response: Response.approve })
    const result = yield* Agent.run(yield* makeAgent, { conversation, answers: [answer], context })
    assert.ok(result._tag === "Finished")
    return { text: result.text, refunds: yield* (yield* Orders).refunds }
  })

/** The same call, of a program that has no agent: any model's response can be answered so. */
const withoutAgent = Effect.gen(function* () {
  const journal = yield* SqlStore.SqlJournalService
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Shop), { ...(yield* policy), journal })
  const run = runner.forRun({ id: "without an agent", context })
  const [found, tooMuch] = yield* run.settle([
    ToolCall.make("1", "find_order", '{"orderId":"o_1"}'),
    ToolCall.make("2", "refund", { orderId: "o_1", amount: 900 })
  ])
  assert.ok(found?._tag === "Success" && found.name === "find_order" && found.result.refunded === 450)
  assert.ok(tooMuch?._tag === "Denied")
  return { events: yield* Stream.runCollect(run.stream([ToolCall.make("3", "notify_customer", { message: "Hi" })])) }
})

const inShop = <A, E>(database: string, effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof layerOf>>>) =>
  Effect.runPromise(Effect.provide(effect, layerOf(database)))

/** This program again, as another process; it answers with JSON. */
const asProcess = (...given: ReadonlyArray<string>): unknown => {
  const program = process.argv[1] ?? ""
  const output = execFileSync(process.execPath, [...process.execArgv, program, ...given], { encoding: "utf8" })
  return JSON.parse(output.trim().split("\n").at(-1) ?? "")
}

const [part, database = "", request = ""] = process.argv.slice(2)
if (part === "begin") {
  console.log(JSON.stringify(await inShop(database, begin)))
} else if (part === "go-on") {
  console.log(JSON.stringify(await inShop(database, goOn(JSON.parse(request)))))
} else {
  const folder = mkdtempSync(join(tmpdir(), "wield-effect-4-"))
  try {
    const file = join(folder, "shop.db")
    const requests = asProcess("begin", file)
    assert.ok(Array.isArray(requests) && requests.length === 1)
    const [waiting] = requests as ReadonlyArray<DeferredCall.DeferredCall>
    console.log(`waits: ${waiting?.name} ${JSON.stringify(waiting?.arguments)}, for ${waiting?.why}`)

    const ended = asProcess("go-on", file, JSON.stringify(waiting))
    console.log("another process:", ended)
    assert.deepStrictEqual(ended, { text: "Your order was refunded. ", refunds: 1 })
    // The answer comes again, as from a second click: the call has been made.
    assert.deepStrictEqual(asProcess("go-on", file, JSON.stringify(waiting)), ended)

    const { events } = await inShop(file, withoutAgent)
    console.log("without an agent:", events.map(({ _tag }) => _tag).join(", "))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
