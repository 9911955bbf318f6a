/**
 * Fastify, with Effect: the application's layers are built once, for the
 * process, and each request runs a program over them. Services, typed errors and
 * the end of what a request has started come with it.
 */
import * as assert from "node:assert/strict"
import type { AddressInfo } from "node:net"
import { Tool, Toolkit } from "@effect/ai"
import { Agent } from "@wield/agent"
import { Hidden, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Cause, Effect, Exit, Layer, ManagedRuntime, Schema } from "effect"
import Fastify from "fastify"

/** The shop's own service, as the rest of the application uses it. */
class Orders extends Effect.Service<Orders>()("Orders", {
  succeed: { of: (customerId: string) => Effect.succeed([`a kettle for ${customerId}`]) }
}) {}

class Shop extends Toolkit.make(
  Tool.make("get_orders", {
    description: "The customer's orders",
    parameters: { customerId: Schema.String },
    success: Schema.Array(Schema.String)
  }).pipe(Hidden.fields("customerId"))
) {}
const ShopLive = Shop.toLayer(
  Effect.map(Orders, (orders) => Shop.of({ get_orders: ({ customerId }) => orders.of(customerId) }))
)

class Assistant extends Effect.Service<Assistant>()("Assistant", {
  effect: Effect.gen(function* () {
    // With a key: Model.fromWire(Anthropic.format, { model: "claude-sonnet-4-5", key })
    const model = yield* ScriptedModel.make([
      ScriptedModel.call("get_orders"),
      ScriptedModel.text("You have ordered a kettle.")
    ])
    const agent = yield* Agent.make({ model, toolset: yield* Toolset.fromToolkit(Shop) })
    return {
      ask: (prompt: string, customerId: string) =>
        Agent.run(agent, { prompt, context: { customerId } }).pipe(
          Effect.timeout("1 minute"),
          Effect.map(({ text }) => ({ status: 200, body: { text } })),
          Effect.catchTags({
            TimeoutException: () => Effect.succeed({ status: 504, body: { error: "That took too long." } }),
            TooManyMistakes: () => Effect.succeed({ status: 502, body: { error: "The model is confused." } })
          })
        )
    }
  }),
  dependencies: [ShopLive.pipe(Layer.provide(Orders.Default))]
}) {}

const runtime = ManagedRuntime.make(Assistant.Default)

const app = Fastify({ bodyLimit: 16 * 1024 }) // a longer body is answered with 413
app.addHook("onClose", () => runtime.dispose())
app.post<{ Body: { prompt: string } }>(
  "/ask",
  { schema: { body: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] } } },
  async (request, reply) => {
    if (request.headers.authorization !== "Bearer t_ada") return reply.code(401).send()
    const client = new AbortController()
    reply.raw.on("close", () => client.abort())

    const program = Effect.flatMap(Assistant, ({ ask }) => ask(request.body.prompt, "c_ada"))
    const exit = await runtime.runPromiseExit(program, { signal: client.signal })
    if (Exit.isSuccess(exit)) return reply.code(exit.value.status).send(exit.value.body)
    if (!Cause.isInterruptedOnly(exit.cause)) console.error(Cause.pretty(exit.cause))
    return reply.code(502).send({ error: "The assistant is not available." })
  }
)

// From here on: a client that tries it.
await app.listen({ port: 0, host: "127.0.0.1" })
const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/ask`
const ask = (body: object, authorization = "Bearer t_ada") =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify(body)
  })

assert.deepEqual(await (await ask({ prompt: "What have I ordered?" })).json(), { text: "You have ordered a kettle." })
assert.equal((await ask({})).status, 400)
assert.equal((await ask({ prompt: "a".repeat(20_000) })).status, 413)
assert.equal((await ask({ prompt: "Hello" }, "")).status, 401)
await app.close()
console.log("answered, bounded, and closed with its layers")
