/** Spans by the tracer that a program has registered with the API of OpenTelemetry. */
import {
  context,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  trace,
  type Tracer
} from "@opentelemetry/api"
import { ScriptedModel } from "@wield/testing"
import { AsyncLocalStorage } from "node:async_hooks"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { tool, wield } from "wield"

interface Recorded {
  readonly name: string
  readonly id: string
  readonly parent: string | undefined
  readonly kind: unknown
  readonly attributes: Record<string, unknown>
  status: unknown
  isEnded: boolean
}

/** What has been traced. */
let spans: Array<Recorded> = []
const storage = new AsyncLocalStorage<Context>()

const tracer: Pick<Tracer, "startSpan"> = {
  startSpan: (name: string, options: SpanOptions = {}, around: Context = context.active()) => {
    const id = String(spans.length + 1).padStart(16, "0")
    const parent = trace.getSpan(around)?.spanContext().spanId
    const recorded: Recorded = {
      name,
      id,
      parent,
      kind: options.kind,
      attributes: {},
      status: undefined,
      isEnded: false
    }
    spans.push(recorded)
    const span: Pick<Span, "spanContext" | "setAttribute" | "addEvent" | "setStatus" | "end"> = {
      spanContext: () => ({ traceId: "1".padStart(32, "0"), spanId: id, traceFlags: 1 }),
      setAttribute: (key, value) => ((recorded.attributes[key] = value), span as Span),
      addEvent: () => span as Span,
      setStatus: (status) => ((recorded.status = status), span as Span),
      end: () => void (recorded.isEnded = true)
    }
    return span as Span
  }
}

beforeAll(() => {
  trace.setGlobalTracerProvider({ getTracer: () => tracer as Tracer })
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (around, run, self, ...given) => storage.run(around, () => run.call(self as never, ...given)),
    bind: (_, target) => target,
    enable: () => context as never,
    disable: () => context as never
  })
})
afterAll(() => {
  trace.disable()
  context.disable()
})
beforeEach(() => {
  spans = []
})

const response = (name: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "tool_use", id: "toolu_1", name, input: {} }],
  stop_reason: "tool_use"
})

it("a call is a span beneath that of the request, and what its tool does is beneath it", async () => {
  const look = tool("look", {
    description: "Looks",
    execute: async () => {
      await Promise.resolve()
      tracer.startSpan("SELECT").end()
      return "found"
    }
  })
  await using shop = await wield({ tools: [look] })
  const request = (name: string) => {
    const span = tracer.startSpan(name)
    return context.with(trace.setSpan(context.active(), span), async () => {
      await shop.run().answer("anthropic", response("look"))
      span.end()
    })
  }
  await Promise.all([request("GET /one"), request("GET /two")])
  expect(spans.every(({ isEnded }) => isEnded)).toBe(true)
  for (const name of ["GET /one", "GET /two"]) {
    const own = spans.find((span) => span.name === name)
    const call = spans.find(({ parent }) => parent === own?.id)
    expect(call).toMatchObject({
      name: "execute_tool look",
      kind: 0,
      attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "wield.outcome": "Success" }
    })
    expect(spans.filter(({ parent }) => parent === call?.id).map(({ name }) => name)).toEqual(["SELECT"])
  }
})

it("an agent's run is a span with its turns and calls, also as a stream", async () => {
  await using shop = await wield({ tools: [tool("look", { execute: () => "found" })] })
  const agent = () =>
    shop.agent({ name: "clerk", model: ScriptedModel.make([ScriptedModel.call("look"), ScriptedModel.text("Found.")]) })
  const inRequest = async (run: () => Promise<unknown>) => {
    spans = []
    const span = tracer.startSpan("POST /chat")
    await context.with(trace.setSpan(context.active(), span), run)
    const nameOf = (id: string | undefined) => spans.find((one) => one.id === id)?.name
    return spans.slice(1).map(({ name, parent }) => `${nameOf(parent)} > ${name}`)
  }
  const asked = await inRequest(() => agent().ask("Look"))
  expect(asked).toContain("POST /chat > invoke_agent clerk")
  expect(asked.filter((line) => line.endsWith(" > execute_tool look"))).toHaveLength(1)
  expect(asked.some((line) => line.startsWith("invoke_agent clerk > "))).toBe(true)
  const streamed = await inRequest(async () => {
    for await (const _ of agent().stream("Look"));
  })
  expect(streamed).toEqual(asked)
})

it("a failure names its kind, and no words of it", async () => {
  const crash = tool("crash", { execute: () => Promise.reject(new Error("the password is hunter2")) })
  await using shop = await wield({ tools: [crash], logger: () => {} })
  await shop.run().answer("anthropic", response("crash"))
  expect(spans[0]).toMatchObject({ status: { code: 2, message: "The call ended as Defect" }, isEnded: true })
  expect(JSON.stringify(spans)).not.toContain("hunter2")
})
