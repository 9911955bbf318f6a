/**
 * A web server before the runners. It serves no conversation itself: it sends
 * prompts, and streams what happens as server-sent events.
 *
 *     DATABASE_URL=postgres://… PORT=8080 npx tsx examples/cluster/web.ts
 */
import { serve } from "@hono/node-server"
import { DeferredCall } from "@wield/agent"
import { type AgentClient, Cluster, RunEvent } from "@wield/cluster"
import { Effect, Layer, ManagedRuntime, Schema, Stream } from "effect"
import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { streamSSE } from "hono/streaming"
import { Database, takeover } from "./database.js"
import { Shop } from "./shop.js"

const runtime = ManagedRuntime.make(Layer.provide(Cluster.layerClient({ takeover }), Database))

const withShop = <A, E>(
  use: (shop: AgentClient.AgentClient<{ readonly customerId: string }>) => Effect.Effect<A, E>,
  signal?: AbortSignal
): Promise<A> => runtime.runPromise(Effect.flatMap(Shop.client, use), { signal })

/** A real shop reads it from the session, and looks whether the order is the customer's. */
const context = { customerId: "ada" }

const app = new Hono()
app.get("/health", (c) => c.text("ok"))

// The browser names the prompt, and may send it as often as it likes.
app.put("/orders/:order/prompts/:id", bodyLimit({ maxSize: 16 * 1024 }), async (c) => {
  const { id, order } = c.req.param()
  const prompt = await c.req.text()
  const reused = await withShop((shop) =>
    shop.prompt(order, { prompt, promptId: id, context }).pipe(
      Effect.as(undefined),
      Effect.catchTag("IdReused", ({ message }) => Effect.succeed(message))
    )
  )
  return reused === undefined ? c.json({ run: id }, 202) : c.json({ error: reused }, 409)
})

// From the first event on, also for a browser that comes back: it clears its page first.
app.get("/orders/:order/runs/:id/events", (c) => {
  const { id, order } = c.req.param()
  return streamSSE(c, async (stream) => {
    const left = new AbortController()
    stream.onAbort(() => left.abort())
    const send = (event: string, data: unknown) =>
      Effect.promise(() => stream.writeSSE({ event, data: JSON.stringify(data) }))
    await withShop((shop) => {
      const { events, result } = shop.run(order, id)
      const seen = Stream.runForEach(events, (event) => send(event._tag, Schema.encodeSync(RunEvent.RunEvent)(event)))
      return Effect.zipRight(
        seen,
        Effect.flatMap(result, ({ _tag }) => send("End", { ending: _tag }))
      ).pipe(Effect.catchTag("RunNotFound", ({ _tag }) => send("End", { ending: _tag })))
    }, left.signal).catch((error: unknown) => {
      if (!left.signal.aborted) throw error
    })
  })
})

app.get("/orders/:order", async (c) => c.json((await withShop((shop) => shop.status(c.req.param("order")))) ?? null))

// For staff only.
app.post("/orders/:order/approval", async (c) => {
  const { order } = c.req.param()
  const answered = await withShop((shop) =>
    Effect.gen(function* () {
      const latest = yield* shop.status(order)
      if (latest?.state !== "Paused") return undefined
      const paused = yield* shop.run(order, latest.id).result
      if (paused._tag !== "Paused") return undefined
      return yield* shop.answer(order, paused.requests.map(DeferredCall.approve), { context })
    })
  )
  return answered === undefined ? c.json({ error: "nothing waits" }, 409) : c.json({ run: answered.id }, 202)
})

const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 8080) })
process.once("SIGTERM", () => {
  server.close()
  void runtime.dispose().finally(() => process.exit())
})
