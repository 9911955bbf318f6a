/** What leaves a program with the SDK of OpenTelemetry, as a collector receives it. */
import { context, metrics, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics"
import { TracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace"
import * as ApiError from "@wield/providers/ApiError"
import { ScriptedModel } from "@wield/testing"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import { tool, wield } from "wield"
import { fileStore } from "wield/file"
import { z } from "zod"
import { metricBreaches, spanBreaches } from "../../../test/conventions/breaches.js"
import { startCollector } from "../../../test/conventions/collector.js"

let collector: Awaited<ReturnType<typeof startCollector>>
let tracing: TracerProvider
let metering: MeterProvider
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "wield-traces-"))
})
afterAll(() => rm(folder, { recursive: true }))

beforeEach(async () => {
  collector = await startCollector()
  const exporter = new OTLPTraceExporter({ url: `${collector.url}/v1/traces` })
  tracing = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${collector.url}/v1/metrics` })
  })
  metering = new MeterProvider({ readers: [reader] })
  trace.setGlobalTracerProvider(tracing)
  metrics.setGlobalMeterProvider(metering)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterEach(async () => {
  trace.disable()
  metrics.disable()
  context.disable()
  await collector.close()
})

/** All that was measured and traced has reached the collector. */
const flush = async () => {
  await tracing.forceFlush()
  await metering.forceFlush()
}

const ofGenAi = () => collector.spans.filter(({ attributes }) => "gen_ai.operation.name" in attributes)
const nameOf = (id: string | undefined) => collector.spans.find((span) => span.id === id)?.name

const expectConventions = () => {
  expect(ofGenAi().flatMap(spanBreaches)).toEqual([])
  expect(collector.metrics.filter(({ name }) => name.startsWith("gen_ai.")).flatMap(metricBreaches)).toEqual([])
}

const look = tool("look", {
  description: "Looks an order up",
  parameters: z.object({ id: z.string(), account: z.string() }),
  hidden: ["account"],
  facts: { isReadOnly: true },
  execute: ({ account, id }) => ({ id, of: account, password: "hunter2-in-a-result" })
})

/** A server that speaks the API of Anthropic: a call first, then text. */
const startModel = async () => {
  let asked = 0
  const server: Server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      asked++
      const usage = {
        input_tokens: 10,
        cache_read_input_tokens: 200,
        cache_creation_input_tokens: 30,
        output_tokens: 7
      }
      const input = { id: "o_1", account: "acct-made-up" }
      const body =
        asked === 1
          ? { content: [{ type: "tool_use", id: "toolu_1", name: "look", input }], stop_reason: "tool_use" }
          : { content: [{ type: "text", text: "It is on its way." }], stop_reason: "end_turn" }
      const head = {
        type: "message",
        id: `msg_${asked}`,
        role: "assistant",
        model: "claude-sonnet-4-5-20250929",
        usage
      }
      response.setHeader("content-type", "application/json").end(JSON.stringify({ ...head, ...body }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server has no port")
  return { port: address.port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}

it("a run is an agent's span with its requests and calls beneath it, by the conventions, beside no statement of a store", async () => {
  const server = await startModel()
  await using shop = await wield({ tools: [look], store: fileStore({ path: join(folder, "shop.db") }) })
  const agent = shop.agent({
    name: "clerk",
    about: { id: "clerk-1", description: "Knows the orders", version: "3" },
    model: {
      format: "anthropic",
      model: "claude-sonnet-4-5",
      url: `http://127.0.0.1:${server.port}`,
      isStreaming: false,
      settings: { max_tokens: 500, temperature: 0.2, stop_sequences: ["END"] }
    }
  })
  const result = await agent.ask("Where is o_1?", { conversation: "conv_7", context: { account: "acct-4711" } })
  expect(result).toMatchObject({ _tag: "Finished", output: "It is on its way." })
  await flush()
  await server.close()
  expectConventions()

  const lines = collector.spans.map(({ name, parent }) => `${nameOf(parent) ?? ""} > ${name}`).sort()
  expect(lines).toEqual([
    " > invoke_agent clerk",
    "chat claude-sonnet-4-5 > http.client POST",
    "chat claude-sonnet-4-5 > http.client POST",
    "invoke_agent clerk > chat claude-sonnet-4-5",
    "invoke_agent clerk > chat claude-sonnet-4-5",
    "invoke_agent clerk > execute_tool look"
  ])
  const chat = ofGenAi().find(({ attributes }) => attributes["gen_ai.response.id"] === "msg_1")
  expect(chat?.attributes).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "claude-sonnet-4-5",
    "gen_ai.request.max_tokens": 500,
    "gen_ai.request.temperature": 0.2,
    "gen_ai.request.stop_sequences": ["END"],
    "gen_ai.conversation.id": "conv_7",
    "gen_ai.agent.name": "clerk",
    "gen_ai.agent.id": "clerk-1",
    "gen_ai.agent.description": "Knows the orders",
    "gen_ai.agent.version": "3",
    "gen_ai.response.id": "msg_1",
    "gen_ai.response.model": "claude-sonnet-4-5-20250929",
    "gen_ai.response.finish_reasons": ["tool_call"],
    "gen_ai.usage.input_tokens": 240,
    "gen_ai.usage.output_tokens": 7,
    "gen_ai.usage.cache_read.input_tokens": 200,
    "gen_ai.usage.cache_creation.input_tokens": 30,
    "server.address": "127.0.0.1",
    "server.port": server.port
  })
  expect(ofGenAi().find(({ name }) => name === "invoke_agent clerk")?.attributes).toMatchObject({
    "gen_ai.conversation.id": "conv_7",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 480
  })
  const tokens = collector.metrics.filter(({ name }) => name === "gen_ai.client.token.usage")
  expect(tokens.map(({ attributes, count, sum }) => [attributes["gen_ai.token.type"], count, sum])).toEqual([
    ["input", 2, 480],
    ["output", 2, 14]
  ])
  const names = collector.metrics.map(({ name }) => name)
  expect(names).toContain("gen_ai.client.operation.duration")
  expect(names).toContain("gen_ai.execute_tool.duration")
  // Nothing that was said, sent or found.
  expect(collector.text()).not.toMatch(/on its way|Where is|o_1"|hunter2|acct-/)
})

it("messages, arguments and results enter spans where they are asked for, without hidden fields and secrets", async () => {
  const server = await startModel()
  const observe = {
    messages: true,
    arguments: true,
    results: true,
    redact: (text: string) => text.replaceAll(/o_\d+/g, "an order")
  }
  await using shop = await wield({ tools: [look], policy: { observe } })
  const agent = shop.agent({
    name: "clerk",
    instructions: "Be brief.",
    model: {
      format: "anthropic",
      model: "claude-sonnet-4-5",
      url: `http://127.0.0.1:${server.port}`,
      isStreaming: false
    }
  })
  await agent.ask("Where is o_1? I am acct-4711", { context: { account: "acct-4711" } })
  await flush()
  await server.close()
  expectConventions()
  const call = ofGenAi().find(({ name }) => name === "execute_tool look")?.attributes
  expect(call?.["gen_ai.tool.call.arguments"]).toBe('{"id":"an order"}')
  expect(call?.["gen_ai.tool.call.result"]).toBe('{"id":"an order","of":"<redacted>","password":"<redacted>"}')
  const [first, second] = ofGenAi().filter(({ name }) => name.startsWith("chat "))
  expect(first?.attributes["gen_ai.system_instructions"]).toBe('[{"type":"text","content":"Be brief."}]')
  expect(first?.attributes["gen_ai.tool.definitions"]).toBe('[{"type":"function","name":"look"}]')
  expect(JSON.parse(String(first?.attributes["gen_ai.output.messages"]))).toEqual([
    {
      role: "assistant",
      finish_reason: "tool_call",
      parts: [{ type: "tool_call", id: "toolu_1", name: "look", arguments: { id: "an order", account: "<redacted>" } }]
    }
  ])
  expect(JSON.parse(String(second?.attributes["gen_ai.input.messages"]))).toEqual([
    { role: "user", parts: [{ type: "text", content: "Where is an order? I am <redacted>" }] },
    {
      role: "assistant",
      parts: [{ type: "tool_call", id: "toolu_1", name: "look", arguments: { id: "an order", account: "<redacted>" } }]
    },
    {
      role: "tool",
      parts: [
        {
          type: "tool_call_response",
          id: "toolu_1",
          response: { id: "an order", of: "<redacted>", password: "<redacted>" }
        }
      ]
    }
  ])
  expect(collector.text()).not.toMatch(/hunter2|acct-/)
})

it("a redaction that throws records nothing of the value, and ends no call", async () => {
  const redact = () => {
    throw new Error("the redaction is broken")
  }
  await using shop = await wield({ tools: [look], policy: { observe: { arguments: true, results: true, redact } } })
  const run = shop.run({ context: { account: "acct-4711" } })
  const content = [{ type: "tool_use", id: "toolu_1", name: "look", input: { id: "o_1" } }]
  const { outcomes } = await run.answer("anthropic", { type: "message", role: "assistant", content })
  expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Success"])
  await flush()
  expectConventions()
  expect(ofGenAi()[0]?.attributes["gen_ai.tool.call.result"]).toBe("[not recorded: redact failed]")
})

it("what fails says its kind, in the span of the request, of the call and of the run", async () => {
  const crash = tool("crash", { execute: () => Promise.reject(new Error("the password is hunter2")) })
  await using shop = await wield({ tools: [crash], logger: () => {} })
  const overloaded = new ApiError.ProviderUnavailable({ format: "scripted", status: 529, detail: "busy with hunter2" })
  const model = ScriptedModel.make([
    ScriptedModel.call("crash"),
    ScriptedModel.broken(ScriptedModel.text("No"), overloaded)
  ])
  const agent = shop.agent({ name: "clerk", model, retries: 0 })
  await expect(agent.ask("Crash")).rejects.toThrow("busy with hunter2")
  await flush()
  expectConventions()
  const failed = ofGenAi().filter(({ status }) => status.code === 2)
  expect(failed.map(({ attributes, name }) => [name, typeof attributes["error.type"]]).sort()).toEqual([
    ["chat scripted", "string"],
    ["execute_tool crash", "string"],
    ["invoke_agent clerk", "string"]
  ])
  const durations = collector.metrics.filter(({ name }) => name === "gen_ai.client.operation.duration")
  expect(durations.filter(({ attributes }) => "error.type" in attributes)).toHaveLength(1)
  expect(collector.text()).not.toContain("hunter2")
})
