import { Journal, Outcome, ToolCall, ToolRunner } from "@wield/core"
import * as AiSdk from "@wield/interop/ai-sdk"
import * as seven from "ai"
import { generateText, jsonSchema, simulateReadableStream, tool } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import * as six from "ai-6"
import { MockLanguageModelV3 } from "ai-6/test"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { causeOf, untyped } from "../../../test/untyped.js"
import { answerOf } from "./scenarios/aiSdk.js"
import { openShop } from "./scenarios/shop.js"

/** The history after a person has said yes to a call. */
const historyOf = (toolCallId: string, input: object, request: object = {}, answers = [true]) => [
  {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId, toolName: "pay", input },
      { type: "tool-approval-request", approvalId: "approval_1", toolCallId, ...request }
    ]
  },
  {
    role: "tool",
    content: answers.map((approved) => ({ type: "tool-approval-response", approvalId: "approval_1", approved }))
  }
]

/** Each request has a run of its own, of the same id. */
const openRequests = async () => {
  const { paid, run } = await openShop()
  const request = () => Effect.runPromise(AiSdk.fromRun(run))
  return {
    paid,
    asks: async (input: object, messages: ReadonlyArray<{ content: unknown }> = []) =>
      (await request()).toolApproval["pay"]?.(input, { toolCallId: "call_1", messages }),
    executes: async (input: object, messages: ReadonlyArray<object>) =>
      (await request()).tools["pay"]?.execute?.(input, { toolCallId: "call_1", messages, context: undefined } as never)
  }
}

describe("an approval of the AI SDK", () => {
  it("runs the call that it was given to, in whatever order a store gives its keys", async () => {
    const { asks, executes, paid } = await openRequests()
    expect(await asks({ amount: 500, note: "x" })).toEqual({ type: "user-approval", reason: "over 100" })
    const input = { note: "x", amount: 500 }
    expect(await executes(input, historyOf("call_1", input))).toEqual({ paid: 500 })
    expect(paid.length).toBe(1)
  })

  it.each([
    ["without an approval", []],
    ["with an approval of another call", historyOf("call_2", { amount: 500 })],
    ["with an approval that no person gave", historyOf("call_1", { amount: 500 }, { isAutomatic: true })],
    ["that is both approved and denied", historyOf("call_1", { amount: 500 }, {}, [true, false])],
    [
      "with an approval of an earlier turn",
      [...historyOf("call_1", { amount: 500 }), { role: "user", content: "again" }]
    ]
  ])("does not run a call %s", async (_, messages) => {
    const { asks, executes, paid } = await openRequests()
    await asks({ amount: 500 })
    await expect(executes({ amount: 500 }, messages)).rejects.toThrow("needs a person's approval")
    expect(paid).toEqual([])
  })

  it("does not run a call that no one was asked about, whatever the history says", async () => {
    const { asks, executes, paid } = await openRequests()
    const history = historyOf("call_1", { amount: 500 })
    // The SDK asks about what is answered once more, before it executes it.
    await asks({ amount: 500 }, history)
    await expect(executes({ amount: 500 }, history)).rejects.toThrow("no record of what the person was asked")
    expect(paid).toEqual([])
  })

  it("does not run other arguments than those that the person was asked about", async () => {
    const { asks, executes, paid } = await openRequests()
    await asks({ amount: 200 })
    const altered = historyOf("call_1", { amount: 900 })
    await asks({ amount: 900 }, altered)
    await expect(executes({ amount: 900 }, altered)).rejects.toThrow("no longer what the call would do")
    expect(paid).toEqual([])
  })

  it("runs what was asked last under an id, where a server uses ids again", async () => {
    const { asks, executes, paid } = await openRequests()
    await asks({ amount: 900 })
    await asks({ amount: 200 })
    const before = executes({ amount: 900 }, historyOf("call_1", { amount: 900 }))
    await expect(before).rejects.toBeInstanceOf(AiSdk.ToolError)
    expect(await executes({ amount: 200 }, historyOf("call_1", { amount: 200 }))).toEqual({ paid: 200 })
    expect(paid.length).toBe(1)
  })

  it("keeps the definitions of a run from what the SDK does to a schema", async () => {
    const { run } = await openShop()
    const { tools } = await Effect.runPromise(AiSdk.fromRun(run))
    const before = await Effect.runPromise(run.definitions)
    const copy = structuredClone(before)
    await generateText({
      model: new MockLanguageModelV4({ doGenerate: async () => answerOf(undefined) as never }),
      prompt: "go",
      tools
    })
    expect(before).toEqual(copy)
  })
})

/** The names that both versions have. */
interface Sdk {
  readonly streamText: (options: object) => {
    readonly toUIMessageStream: (options: object) => AsyncIterable<PageChunk>
  }
  readonly stepCountIs: (count: number) => unknown
  readonly convertToModelMessages: (messages: ReadonlyArray<object>, options: object) => Promise<ReadonlyArray<object>>
}

interface PageChunk {
  readonly type: string
  readonly output?: unknown
  readonly errorText?: string
}

/** Makes this call, then answers. */
const chunksOf = (name: string | undefined) => [
  ...(name === undefined ? [] : [{ type: "tool-call", toolCallId: `call_${name}`, toolName: name, input: "{}" }]),
  { type: "finish", ...answerOf(undefined), finishReason: { unified: name === undefined ? "stop" : "tool-calls" } }
]

describe.each([
  ["7", seven, MockLanguageModelV4],
  ["6", six, MockLanguageModelV3]
])("a page of the AI SDK %s", (_, sdk, Model) => {
  const { convertToModelMessages, stepCountIs, streamText } = sdk as unknown as Sdk

  /** What a page gets of a call, and what the model reads of it: now, and when the page sends it back. */
  const pageOf = async (name: string) => {
    const prompts: Array<ReadonlyArray<{ readonly role: string; readonly content: ReadonlyArray<object> }>> = []
    const doStream = async ({ prompt }: { readonly prompt: (typeof prompts)[number] }) => {
      prompts.push(prompt)
      return { stream: simulateReadableStream({ chunks: chunksOf(prompts.length === 1 ? name : undefined) }) }
    }
    const { run } = await openShop()
    const { tools } = await Effect.runPromise(AiSdk.fromRun(run))
    const model = new Model({ doStream: doStream as never })
    const streamed = streamText({ model, prompt: "go", tools, stopWhen: stepCountIs(3) })
    const chunks: Array<PageChunk> = []
    for await (const chunk of streamed.toUIMessageStream({ onError: String })) chunks.push(chunk)
    const found = chunks.find(({ type }) => type === "tool-output-available" || type === "tool-output-error")!
    const state = found.type.slice("tool-".length)
    const part = { ...found, type: `tool-${name}`, toolCallId: `call_${name}`, state, input: {} }
    const kept = JSON.parse(JSON.stringify([{ role: "assistant", parts: [part] }]))
    const later = (await convertToModelMessages(kept, { tools })) as (typeof prompts)[number]
    return { found, now: outputIn(prompts.at(-1)!), later: outputIn(later) }
  }

  it.each([
    ["fail", "There is no such order"],
    ["crash", "failed internally"],
    ["slow", "stopped after its limit"]
  ])("gets the error of %s as an error, and the model reads the same text", async (name, text) => {
    const { found, later, now } = await pageOf(name)
    expect(found.type).toBe("tool-output-error")
    expect(found.errorText).toContain(text)
    expect(now).toEqual({ type: "error-text", value: found.errorText })
    expect(later).toEqual(now)
  })

  it("gets an image as the tool's own output, and the model sees it", async () => {
    const { found, later, now } = await pageOf("picture")
    const image = { _tag: "Image", mediaType: "image/png", source: { _tag: "Base64", data: "iVBORw0KGgo=" } }
    expect(found.output).toEqual([{ _tag: "Text", text: "A dot:" }, image])
    const { type, value } = now as { readonly type: string; readonly value: ReadonlyArray<object> }
    expect(type).toBe("content")
    expect(JSON.stringify(value)).toContain("iVBORw0KGgo=")
    expect(later).toMatchObject({ type: "content", value: [{ type: "text", text: "A dot:" }, {}] })
  })
})

const outputIn = (prompt: ReadonlyArray<{ readonly role: string; readonly content: ReadonlyArray<object> }>) =>
  (prompt.find(({ role }) => role === "tool")?.content[0] as { readonly output?: unknown } | undefined)?.output

it("gives the model the remark on a call that repeats itself, and the page the value alone", async () => {
  const { run } = await openShop()
  const { tools } = await Effect.runPromise(AiSdk.fromRun(run))
  const { pay } = tools as unknown as {
    readonly [name: string]: {
      readonly execute: (input: object, options: object) => Promise<unknown>
      readonly toModelOutput: (options: object) => unknown
    }
  }
  const texts: Array<string> = []
  for (const toolCallId of ["a", "b", "c", "d"]) {
    const output = await pay!.execute({ amount: 5 }, { toolCallId, messages: [] })
    expect(output).toEqual({ paid: 5 })
    texts.push(JSON.stringify(pay!.toModelOutput({ toolCallId, output, input: {} })))
  }
  expect(texts.at(-1)).toContain("You have made this call 4 times")
})

const run = (
  tools: Parameters<typeof AiSdk.toToolset>[0],
  calls: ReadonlyArray<ToolCall.ToolCall>,
  options?: AiSdk.Options
) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const imported = yield* AiSdk.toToolset(tools, options)
      const runner = yield* ToolRunner.make(imported.toolset, {
        approval: imported.approval,
        journal: yield* Journal.memory
      })
      const progress: Array<unknown> = []
      const watcher: ToolRunner.Watcher = {
        started: () => undefined,
        progress: () => (value) => Effect.sync(() => void progress.push(value)),
        finished: () => undefined
      }
      const outcomes = yield* runner.forRun({ context: { user: "ada" } }).settle(calls, watcher)
      return { outcomes, texts: outcomes.map(Outcome.text), progress, imported }
    })
  )

const call = (name: string, input: object = {}) => ToolCall.make(`call ${name}`, name, input)

describe("tools of the AI SDK as a toolset", () => {
  it("keep their transforms and refinements, from zod, jsonSchema() and a schema that is made when it is first read", async () => {
    const n = { type: "object" as const, properties: { n: { type: "number" as const } }, required: ["n"] }
    const validate = (value: unknown) =>
      (value as { n: number }).n > 0
        ? { success: true as const, value: { n: (value as { n: number }).n } }
        : { success: false as const, error: new Error("n has to be positive") }
    const execute = async ({ n }: { n: number }) => n
    const even = z.object({ n: z.number().refine((n) => n % 2 === 0, "has to be even") })
    const tools = {
      zod: tool({ inputSchema: even.transform(({ n }) => ({ n: n * 10 })), execute }),
      raw: tool({ inputSchema: jsonSchema<{ n: number }>(n, { validate }), execute }),
      lazy: { inputSchema: () => jsonSchema<{ n: number }>(n), execute }
    }
    const names = ["zod", "raw", "lazy"]
    expect(
      (
        await run(
          tools,
          names.map((name) => call(name, { n: 2 }))
        )
      ).texts
    ).toEqual(["20", "2", "2"])
    const { texts } = await run(
      tools,
      names.map((name) => call(name, { n: -3 }))
    )
    expect(texts[0]).toMatch(/- n: .*has to be even/)
    expect(texts[1]).toContain("n has to be positive")
    expect(
      (
        await run(
          tools,
          names.map((name) => call(name, { n: "2" }))
        )
      ).outcomes.map(({ _tag }) => _tag)
    ).toEqual(names.map(() => "InvalidArguments"))
  })

  it("get the call's id, signal and context, and their yields are progress", async () => {
    const inputSchema = z.object({})
    const tools = {
      who: tool({
        inputSchema,
        contextSchema: z.object({ user: z.string() }),
        execute: async (_, { abortSignal, context, toolCallId }) => [toolCallId, context.user, abortSignal?.aborted]
      }),
      count: tool({
        inputSchema,
        execute: async function* () {
          yield 1
          yield 2
          yield 3
        }
      })
    }
    const { progress, texts } = await run(tools, [call("who"), call("count")])
    expect(texts).toEqual(['["call who","ada",false]', "3"])
    expect(progress).toEqual([1, 2])
  })

  it("ask where they need approval, and wait for a client where they have no execute", async () => {
    const inputSchema = z.object({ amount: z.number() })
    const execute = async () => "paid"
    const tools = {
      pay: tool({ inputSchema, needsApproval: async ({ amount }) => amount > 100, execute }),
      show: tool({ inputSchema, outputSchema: z.string() })
    }
    const { outcomes } = await run(tools, [
      call("pay", { amount: 1 }),
      { ...call("pay", { amount: 500 }), id: "2" },
      call("show", { amount: 1 })
    ])
    expect(outcomes.map((one) => (one._tag === "Deferred" ? one.waitsFor : one._tag))).toEqual([
      "Success",
      "approval",
      "client"
    ])
  })

  it("ask where plain JavaScript says in another way than false whether they need approval", async () => {
    const execute = async () => "paid"
    const pay = (needsApproval: unknown) => ({ inputSchema: z.object({}), needsApproval, execute })
    const tools = { a: pay("always"), b: pay(1), c: pay({ when: "large" }), d: pay(null), e: pay(false) }
    const calls = Object.keys(tools).map((name) => ({ ...call(name), id: name }))
    const { outcomes } = await untyped<ReturnType<typeof run>>(run)(tools, calls)
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Deferred", "Deferred", "Deferred", "Success", "Success"])
  })

  it("are not read with options that are misspelt, or in a Map", async () => {
    const read = untyped<ReturnType<typeof AiSdk.toToolset>>(AiSdk.toToolset)
    expect(await Effect.runPromise(causeOf(read({}, { fact: {} })))).toContain('did you mean "facts"?')
    expect(await Effect.runPromise(causeOf(read({}, { facts: new Map() })))).toContain("facts must be an object")
    expect(await Effect.runPromise(causeOf(read({}, { failure: "all" })))).toContain("failure must be a function")
  })

  it("show no text of a thrown error, unless it is said to be a failure", async () => {
    const execute = async (): Promise<string> => {
      throw new Error("hunter2")
    }
    const tools = { crash: tool({ inputSchema: z.object({}), execute }) }
    expect((await run(tools, [call("crash")])).texts[0]).not.toContain("hunter2")
    const failure = (error: unknown) => (error instanceof Error ? error.message : undefined)
    expect((await run(tools, [call("crash")], { failure })).texts[0]).toBe("hunter2")
  })

  it("answer with what toModelOutput makes, and name what is lost", async () => {
    const tools = {
      draw: tool({
        inputSchema: z.object({}),
        execute: async () => "iVBORw0KGgo=",
        toModelOutput: ({ output }) => ({
          type: "content",
          value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: output } }]
        }),
        onInputStart: () => undefined
      })
    }
    const { imported, outcomes } = await run(tools, [call("draw")])
    expect(Outcome.render(outcomes[0]!)?.content).toMatchObject([{ _tag: "Image", mediaType: "image/png" }])
    expect(imported.losses.map(({ keyword }) => keyword)).toEqual(["onInputStart"])
  })

  it("come back as they were, with refinements, after the way there and back", async () => {
    const even = z.object({ n: z.number().refine((n) => n % 2 === 0, "has to be even") })
    const there = await run({ even: tool({ description: "Even", inputSchema: even, execute: async ({ n }) => n }) }, [])
    const runner = await Effect.runPromise(ToolRunner.make(there.imported.toolset))
    const { tools } = await Effect.runPromise(AiSdk.fromRun(runner.forRun({})))
    const back = await run(tools, [call("even", { n: 4 }), { ...call("even", { n: 5 }), id: "2" }])
    const [first] = (await Effect.runPromise(there.imported.toolset.offer)).entries.values()
    const [second] = (await Effect.runPromise(back.imported.toolset.offer)).entries.values()
    expect(second?.definition).toEqual(first?.definition)
    expect(back.texts[0]).toBe("4")
    expect(back.texts[1]).toContain("has to be even")
  })
})

describe("a module", () => {
  const folder = new URL("../src/", import.meta.url)
  const modules = readdirSync(folder).filter((file) => file.endsWith(".ts"))

  it.each(modules)("%s loads nothing of an SDK, but what it cannot do without", (file) => {
    const loaded = packagesOf(new URL(file, folder))
    const others = loaded.filter((name) => !/^(@wield\/|effect\/)/.test(name))
    expect(others.every((name) => file === "langchain.ts" && name.startsWith("@langchain/core/"))).toBe(true)
  })
})

/** What a module imports at run time, through the modules beside it. */
const packagesOf = (module: URL): ReadonlyArray<string> =>
  [...readFileSync(module, "utf8").matchAll(/^import (?!type )[^;]*? from "(.+)"$/gm)].flatMap(([, name = ""]) =>
    name.startsWith(".") ? packagesOf(new URL(name.replace(/\.js$/, ".ts"), module)) : [name]
  )
