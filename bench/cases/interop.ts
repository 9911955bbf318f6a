/** What a call costs through the loop of another SDK: the SDK's own tool, and a tool of a Wield run. */
import { createTool } from "@mastra/core/tools"
import * as AiSdk from "@wield/interop/ai-sdk"
import * as LangChain from "@wield/interop/langchain"
import * as Mastra from "@wield/interop/mastra"
import * as OpenAiAgents from "@wield/interop/openai-agents"
import { ToolCall } from "@wield/core"
import * as Effect from "effect/Effect"
import { assertEqual, batched, keep, measure } from "../harness/measure.js"
import { duration, type Goal, type Group, type Measured, rowOf, times, timingTable } from "../harness/table.js"
import { generateLoopOf, toolsOf } from "../peers/aiSdkAgent.js"
import { makeTool as makeLangChainTool } from "../peers/langchain.js"
import { langgraphLoopOf } from "../peers/langgraphLoop.js"
import { makeTool as makeMastraTool } from "../peers/mastra.js"
import { mastraLoopOf } from "../peers/mastraLoop.js"
import { makeTool as makeOpenAiTool } from "../peers/openAiAgents.js"
import { streamLoopOf } from "../peers/openAiAgentsLoop.js"
import { makeRunner, off } from "../peers/wield.js"
import { expectedOf, type MakeLoop } from "../task/conversation.js"
import { small, toolName } from "../task/orders.js"

const runner = makeRunner((parameters) => Effect.succeed(small.handle(parameters)))

/** A run remembers its calls, so each conversation has one, as a request of a server has. */
const newRun = () => runner.forRun({})

interface Host {
  readonly own: MakeLoop
  readonly wield: MakeLoop
}

const own = "the SDK's own tool"
const wield = "Wield's tool"

const aiSdk = (): Host => {
  const tools = toolsOf()
  return {
    own: generateLoopOf(own, () => tools),
    // Its type is that of any tool; generateText's is that of one.
    wield: generateLoopOf(wield, () => Effect.runSync(AiSdk.fromRun(newRun())).tools as never)
  }
}

const openAiAgents = (): Host => {
  const tools = [makeOpenAiTool(small.handle)]
  return {
    own: streamLoopOf(own, () => tools),
    wield: streamLoopOf(wield, () => Effect.runSync(OpenAiAgents.fromRun(newRun())).tools)
  }
}

const langgraph = (): Host => {
  const tools = [makeLangChainTool(small.handle)]
  return {
    own: langgraphLoopOf(own, () => tools),
    wield: langgraphLoopOf(wield, () => Effect.runSync(LangChain.fromRun(newRun())))
  }
}

const mastra = (): Host => {
  const tools = { [toolName]: makeMastraTool(small.handle) }
  return {
    own: mastraLoopOf(own, () => tools),
    wield: mastraLoopOf(wield, () => {
      const options = Effect.runSync(Mastra.fromRun(newRun()))
      return Object.fromEntries(Object.entries(options).map(([name, one]) => [name, createTool(one as never)]))
    })
  }
}

const timed = async (title: string, host: Host, calls: number) => {
  const shape = { turns: 1, calls }
  const contenders = [host.own, host.wield].map((make) => {
    const { converse, name } = make(shape)
    return batched(name, converse, async (times) => {
      for (let time = 0; time < times; time++) keep(await converse())
    })
  })
  await assertEqual(contenders, expectedOf(shape))
  const samples = await measure(contenders, { rounds: 15, sampleMilliseconds: 25, warmMilliseconds: 600 })
  return timingTable(`${title}: a conversation with ${calls} calls`, samples, own)
}

const beside = (title: string, open: () => Host) => async (): Promise<Measured> => {
  const host = open()
  const few = await timed(title, host, 1)
  const many = await timed(title, host, 21)
  // What starting a conversation costs is in both.
  const ofCall = (name: string) => (rowOf(many, name).minimum - rowOf(few, name).minimum) / 20
  const ratio = rowOf(many, wield).pairedRatio ?? Number.NaN
  const goal: Goal = {
    name: `interop, ${title}`,
    goal: "≤ 1.2x of the SDK's own tool",
    measured: `a conversation with 21 calls ${times(ratio)}; a further call ${duration(ofCall(own))} and ${duration(ofCall(wield))}`,
    isMet: ratio <= 1.2
  }
  return { tables: [few, many], goals: [goal] }
}

const settled = "run.settle, runPromise"
const executed = "the AI SDK's execute"

/** Without the loop of an SDK, which costs more than any call: the SDK's `execute` around a call of a run. */
const execute = async (): Promise<Measured> => {
  // So many that what `fromRun` takes once is not part of a call.
  const calls = 1000
  // The calls are all the same, and the guard would add a note.
  const unguarded = makeRunner((parameters) => Effect.succeed(small.handle(parameters)), off)
  const argumentsOf = JSON.parse(small.arguments) as unknown
  const { signal } = new AbortController()
  const viaSettle = async () => {
    const run = unguarded.forRun({})
    let text = ""
    for (let call = 0; call < calls; call++) {
      const [outcome] = await Effect.runPromise(run.settle([ToolCall.make(`call_${call}`, toolName, argumentsOf)]))
      text = outcome?._tag === "Success" ? outcome.text : ""
    }
    return text
  }
  const viaExecute = async () => {
    const tool = (await Effect.runPromise(AiSdk.fromRun(unguarded.forRun({})))).tools[toolName]
    let value: unknown
    for (let call = 0; call < calls; call++) {
      // The toolset's type is that of its own tools; execute takes the input of any.
      value = await tool.execute?.(argumentsOf as never, {
        toolCallId: `call_${call}`,
        messages: [],
        abortSignal: signal,
        context: {}
      })
    }
    return JSON.stringify(value)
  }
  const contenders = [[settled, viaSettle] as const, [executed, viaExecute] as const].map(([name, converse]) =>
    batched(
      name,
      converse,
      async (times) => {
        for (let time = 0; time < times; time++) keep(await converse())
      },
      calls
    )
  )
  await assertEqual(contenders, small.expected)
  const table = timingTable("a call without a loop", await measure(contenders), settled)
  const more = rowOf(table, executed).minimum - rowOf(table, settled).minimum
  return {
    tables: [table],
    goals: [
      { name: "interop, execute", goal: "≤ 2 µs more than run.settle", measured: duration(more), isMet: more <= 2e3 }
    ]
  }
}

export const groups: ReadonlyArray<Group> = [
  { name: "execute", measure: execute },
  { name: "ai-sdk", measure: beside("AI SDK 7, generateText", aiSdk) },
  { name: "openai-agents", measure: beside("OpenAI Agents, Runner.run streamed", openAiAgents) },
  { name: "langgraph", measure: beside("LangGraph, createReactAgent", langgraph) },
  { name: "mastra", measure: beside("Mastra, Agent.generate", mastra) }
]
