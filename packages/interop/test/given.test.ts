/** What plain JavaScript gives: an option of another name, or of another type, would be lost in silence. */
import { GraphInterrupt } from "@langchain/langgraph"
import { ToolRunner } from "@wield/core"
import * as AiSdk from "@wield/interop/ai-sdk"
import * as Anthropic from "@wield/interop/anthropic"
import * as ClaudeAgent from "@wield/interop/claude-agent"
import * as Genkit from "@wield/interop/genkit"
import * as Google from "@wield/interop/google-genai"
import * as LangChain from "@wield/interop/langchain"
import * as Mastra from "@wield/interop/mastra"
import * as OpenAi from "@wield/interop/openai"
import * as Agents from "@wield/interop/openai-agents"
import { Effect, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { causeOf, untyped } from "../../../test/untyped.js"
import { openShop } from "./scenarios/shop.js"

type Given = Effect.Effect<unknown, unknown, never>

const ofRun = { AiSdk, Agents, Anthropic, ClaudeAgent, Google, LangChain, Mastra, OpenAi }
const ofAsk = { Anthropic, ClaudeAgent, Google, LangChain, OpenAi }
const ofList = { Agents, Anthropic, Genkit, Google, LangChain, OpenAi }
const ofTools = { ...ofList, AiSdk, Mastra }

describe("a run is not given", () => {
  it.each(Object.entries(ofRun))("to %s where it is none", (_, { fromRun }) => {
    const give = untyped<Given>(fromRun)
    expect(() => give(undefined, { name: "shop" })).toThrow("`fromRun` takes must be a run, such as")
    expect(() => give(Promise.resolve({}), { name: "shop" })).toThrow("is a promise that was not awaited")
    expect(() => give({ run: () => undefined }, { name: "shop" })).toThrow("but is an object with run")
  })

  it.each(Object.entries(ofAsk))("to %s with an `ask` that is misspelt, or is no function", async (name, sdk) => {
    const { run } = await openShop()
    const give = untyped<Given>(sdk.fromRun)
    const named = name === "ClaudeAgent" ? { name: "shop" } : {}
    expect(() => give(run, { ...named, asks: () => "approve" })).toThrow('did you mean "ask"?')
    expect(() => give(run, { ...named, ask: "approve" })).toThrow('ask must be a function, but is "approve"')
    expect(() => give(run, null)).toThrow(/^What else `fromRun` takes must be an object.*, but is null$/)
  })

  it("to Genkit and Google GenAI with a controller for its signal, and to Genkit without it", async () => {
    const { run } = await openShop()
    const signal = new AbortController()
    const genkit = { dynamicTool: () => ({ __action: {} }) }
    expect(() => untyped<Given>(Google.fromRun)(run, { signal })).toThrow("(of an AbortController its `signal`)")
    expect(() => untyped<Given>(Genkit.fromRun)(genkit, run, { signal })).toThrow("signal must be an AbortSignal")
    expect(() => untyped<Given>(Genkit.fromRun)(run, genkit)).toThrow("must be what `genkit()` gives")
  })
})

describe("tools are not read", () => {
  const options = { runContext: (context: object) => context }
  const read = async (toToolset: unknown, tools: unknown, ...others: ReadonlyArray<unknown>) =>
    Effect.runPromise(causeOf(untyped<Given>(toToolset)(tools, ...others)))

  it.each(Object.entries(ofTools))("of %s with a `failure` that is misspelt, or is no function", async (name, sdk) => {
    const tools = name in ofList ? [] : {}
    const of = name === "Agents" ? options : {}
    const failure = () => "failed"
    expect(await read(sdk.toToolset, tools, { ...of, failures: failure })).toContain('did you mean "failure"?')
    expect(await read(sdk.toToolset, tools, { ...of, failure: "all" })).toContain("failure must be a function")
    expect(await read(sdk.toToolset, tools, null)).toContain("What else `toToolset` takes must be an object")
  })

  it.each(Object.entries(ofTools))("of %s where they are none", async (name, { toToolset }) => {
    const isList = name in ofList
    const of = name === "Agents" ? options : {}
    expect(await read(toToolset, Promise.resolve([]), of)).toContain("is a promise that was not awaited")
    expect(await read(toToolset, isList ? { pay: {} } : [{}], of)).toMatch(/tools must be an (array|object), but is/)
    expect(await read(toToolset, isList ? ["pay"] : { pay: "pay" }, of)).toMatch(/tools(\[0\]|\.pay) must be a/)
    expect(await read(toToolset, isList ? [null] : { pay: null }, of)).toMatch(/tools(\[0\]|\.pay) must be a/)
  })

  it("of OpenAI Agents without what makes their context", async () => {
    expect(await read(Agents.toToolset, [], {})).toContain("runContext must be a function, but is nothing")
  })

  it("of the AI SDK with facts of a tool that is not there", async () => {
    const tools = { pay: { execute: async () => "paid" } }
    const facts = { pya: { isReadOnly: true } }
    expect(await read(AiSdk.toToolset, tools, { facts })).toContain(
      'facts.pya must be named as a tool is (did you mean "pay"?)'
    )
    expect(await read(AiSdk.toToolset, { ...tools, sell: undefined }, {})).toBe("it did not fail")
  })
})

it("a function tool of OpenAI Agents needs the approval that it states otherwise than by a function", async () => {
  const pay = { type: "function", name: "pay", invoke: async () => "paid" }
  const tagOf = async (tool: object) => {
    const { approval, toolset } = await Effect.runPromise(
      Agents.toToolset([{ ...pay, ...tool }], { runContext: (context) => context })
    )
    const runner = await Effect.runPromise(ToolRunner.make(toolset, { approval }))
    const outcome = await Effect.runPromise(runner.run({ id: "call_1", name: "pay", arguments: {} }))
    return outcome._tag
  }
  expect(await tagOf({})).toBe("Success")
  expect(await tagOf({ needsApproval: true })).toBe("Deferred")
})

describe("what `ask` throws", () => {
  const logged: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void logged.push(String(message)))
  )
  const open = async <A>(give: (run: Awaited<ReturnType<typeof openShop>>["run"]) => Effect.Effect<A>) => {
    const { paid, run } = await openShop()
    return { paid, given: await Effect.runPromise(Effect.provide(give(run), logger)) }
  }
  const ask = () => {
    throw new Error("connect as shop:hunter2")
  }
  const said = (text: unknown) => expect(JSON.stringify(text)).toMatch(/^(?!.*hunter2).*failed internally \(reference/)
  const call = { type: "tool_call" as const, id: "call_1", name: "pay", args: { amount: 500 } }

  it("is not read by the model, and runs nothing", async () => {
    const chain = await open((run) => LangChain.fromRun(run, { ask }))
    said(await chain.given.find(({ name }) => name === "pay")?.invoke(call))
    const anthropic = await open((run) => Anthropic.fromRun(run, { ask }))
    const thrown: unknown = await anthropic.given
      .find(({ name }) => name === "pay")
      ?.run({ amount: 500 })
      .catch((error: unknown) => String(error))
    said(thrown)
    const openai = await open((run) => OpenAi.fromRun(run, { ask }))
    said(await openai.given.find((tool) => tool.function.name === "pay")?.function.function('{"amount":500}', {}))
    const google = await open((run) => Google.fromRun(run, { ask }))
    said(await google.given.callTool([{ name: "pay", args: { amount: 500 } }]))
    expect([chain, anthropic, openai, google].flatMap(({ paid }) => paid)).toEqual([])
    expect(logged).toHaveLength(4)
  })

  it("stops LangGraph where that is what it is for", async () => {
    const stop = new GraphInterrupt([])
    const { given } = await open((run) =>
      LangChain.fromRun(run, {
        ask: () => {
          throw stop
        }
      })
    )
    await expect(given.find(({ name }) => name === "pay")?.invoke(call)).rejects.toBe(stop)
  })
})
