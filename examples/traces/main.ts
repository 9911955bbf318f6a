/**
 * A shop's agent and its traces: a run, the requests to its model, its calls, a
 * sub-agent, a call that fails. No key is needed: the models are scripted.
 *
 * It prints the spans. With `OTEL_EXPORTER_OTLP_ENDPOINT` it sends them there.
 * `pnpm traces` starts a viewer from npm, sends them to it and prints its address.
 */
import * as assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout } from "node:timers/promises"
import { context, metrics, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics"
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import { ScriptedModel } from "@wield/testing"
import { failure, tool, wield } from "wield"
import { z } from "zod"

const isStaying = process.argv.includes("--stay")
const viewer = "http://127.0.0.1:4318"
const endpoint = isStaying ? viewer : process.env["OTEL_EXPORTER_OTLP_ENDPOINT"]

/** The viewer needs Node 24, which npx brings along. It is a grandchild of this process and ends with its group. */
const startViewer = async () => {
  const packages = ["-p", "node@24", "-p", "autotel-devtools@27.1.0"]
  const child = spawn("npx", ["-y", ...packages, "autotel-devtools", "--host", "127.0.0.1", "--port", "4318"], {
    detached: true,
    stdio: "ignore"
  })
  const { pid } = child
  if (pid === undefined) throw new Error("npx does not start")
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.kill(-pid, signal))
  for (;;) {
    const response = await fetch(`${viewer}/healthz`).catch(() => undefined)
    if (response?.ok === true) return child
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("The viewer has ended")
    await setTimeout(200)
  }
}

const child = isStaying ? await startViewer() : undefined

// What a program with the SDK of OpenTelemetry does anyway, before it calls `wield`.
const memory = new InMemorySpanExporter()
const spanProcessors = [new SimpleSpanProcessor({ exporter: memory })]
if (endpoint !== undefined) {
  spanProcessors.push(new SimpleSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }) }))
}
const tracing = new TracerProvider({ spanProcessors })
trace.setGlobalTracerProvider(tracing)
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const readers =
  endpoint === undefined
    ? []
    : [new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics` }) })]
const metering = new MeterProvider({ readers })
metrics.setGlobalMeterProvider(metering)

const getOrders = tool("get_orders", {
  description: "The customer's orders",
  parameters: z.object({ customer: z.string(), status: z.enum(["open", "shipped"]) }),
  hidden: ["customer"],
  facts: { isReadOnly: true },
  execute: async ({ status }) => {
    // What a tool does is within its call's span.
    await trace.getTracer("shop").startActiveSpan("SELECT orders", async (span) => {
      await setTimeout(8)
      span.end()
    })
    return [{ id: "o_1", status }]
  }
})
const track = tool("track", {
  description: "Where a parcel is",
  parameters: z.object({ order: z.string() }),
  facts: { isReadOnly: true },
  execute: async ({ order }) => {
    await setTimeout(12)
    return order === "o_1" ? "Leipzig" : failure("No such parcel")
  }
})

const { call, text, turn, usage } = ScriptedModel
const think = (ms: number) => ScriptedModel.delay(`${ms} millis`)

// Everything that is asked for stands in the spans, but nothing hidden or secret.
const observe = { messages: true, arguments: true, results: true }
await using parcels = await wield({ tools: [track], policy: { observe } })
const courier = parcels.agent({
  name: "courier",
  model: ScriptedModel.make(
    [
      turn(think(15), call("track", { order: "o_1" }), call("track", { order: "o_9" })),
      turn(think(10), text("In Leipzig."))
    ],
    { id: "small-model" }
  )
})
await using shop = await wield({
  tools: [getOrders, courier.toTool("ask_courier", { description: "Knows where parcels are" })],
  policy: { observe }
})
const clerk = shop.agent({
  name: "clerk",
  about: { version: "3" },
  instructions: "You help the customers of a shop.",
  model: ScriptedModel.make(
    [
      turn(think(20), usage({ input: 1200, cacheRead: 1100, output: 24 }), call("get_orders", { status: "shipped" })),
      turn(
        think(15),
        usage({ input: 1290, cacheRead: 1200, output: 31 }),
        call("ask_courier", { task: "Where is o_1?" })
      ),
      turn(think(25), usage({ input: 1360, cacheRead: 1290, output: 12 }), text("Your order is in Leipzig."))
    ],
    { id: "large-model" }
  )
})

const request = trace.getTracer("shop").startSpan("POST /chat")
await context.with(trace.setSpan(context.active(), request), async () => {
  const result = await clerk.ask("Where is my order?", {
    conversation: "conv_7",
    context: { customer: "customer-4711" }
  })
  assert.equal(result._tag, "Finished")
})
request.end()
await tracing.forceFlush()
await metering.forceFlush()

const spans = memory.getFinishedSpans()
const show = (parent: string | undefined, depth: number): void => {
  for (const span of spans) {
    if (span.parentSpanContext?.spanId !== parent) continue
    console.log(`${"  ".repeat(depth)}${span.name}`)
    show(span.spanContext().spanId, depth + 1)
  }
}
show(undefined, 0)
assert.ok(!JSON.stringify(spans.map(({ attributes }) => attributes)).includes("customer-4711"))

if (child !== undefined) {
  console.log(`The traces stand at ${viewer}`)
  await once(child, "exit")
}
