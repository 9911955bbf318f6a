/** The AI SDK's loops over a model that gives scripted parts. */
import { generateText, isStepCount, type LanguageModel, streamText, type ToolSet } from "ai"
import {
  type Gate,
  type MakeLoop,
  outcomeOf,
  prompt,
  type ScriptedTurn,
  scriptOf,
  type Shape
} from "../task/conversation.js"
import { small, toolName } from "../task/orders.js"
import { makeTool } from "./aiSdk.js"

type Model = Extract<LanguageModel, { readonly specificationVersion: "v4" }>
type Streamed = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never

const usage = {
  inputTokens: { total: 100, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 10, text: undefined, reasoning: undefined }
}

const finishOf = ({ calls }: ScriptedTurn) => {
  const unified = calls.length === 0 ? ("stop" as const) : ("tool-calls" as const)
  return { unified, raw: unified }
}

const partsOf = (turn: ScriptedTurn): ReadonlyArray<Streamed> => [
  { type: "stream-start", warnings: [] },
  ...(turn.text === ""
    ? []
    : [
        { type: "text-start", id: "0" } as const,
        ...turn.pieces.map((delta) => ({ type: "text-delta", id: "0", delta }) as const),
        { type: "text-end", id: "0" } as const
      ]),
  ...turn.calls.flatMap((call): ReadonlyArray<Streamed> => [
    { type: "tool-input-start", id: call.id, toolName: call.name },
    ...call.pieces.map((delta) => ({ type: "tool-input-delta", id: call.id, delta }) as const),
    { type: "tool-input-end", id: call.id },
    { type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.arguments }
  ]),
  { type: "finish", usage, finishReason: finishOf(turn) }
]

export const modelOf = (shape: Shape, gate: Gate | undefined): Model => {
  const script = scriptOf(shape)
  const parts = script.map(partsOf)
  const numberOf = async (messages: ReadonlyArray<{ readonly role: string }>): Promise<number> => {
    const number = messages.filter(({ role }) => role === "assistant").length
    if (number === script.length - 1) await gate?.()
    return number
  }
  return {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    doStream: async (options) => {
      const turn = parts[await numberOf(options.prompt)] ?? []
      return {
        stream: new ReadableStream({
          start: (controller) => {
            for (const part of turn) controller.enqueue(part)
            controller.close()
          }
        })
      }
    },
    doGenerate: async (options) => {
      const turn = script[await numberOf(options.prompt)]
      if (turn === undefined) throw new Error("the script is over")
      return {
        content: [
          ...(turn.text === "" ? [] : [{ type: "text", text: turn.text } as const]),
          ...turn.calls.map(
            (call) => ({ type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.arguments }) as const
          )
        ],
        finishReason: finishOf(turn),
        usage,
        warnings: []
      }
    }
  }
}

interface Step {
  readonly toolResults: ReadonlyArray<{ readonly output: unknown }>
}

const resultsOf = (steps: ReadonlyArray<Step>): ReadonlyArray<string> =>
  steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => JSON.stringify(output)))

export const toolsOf = () => ({ [toolName]: makeTool(small.handle) })

export const aiSdkStream = "AI SDK 7: streamText"

export const aiSdkStreamLoop: MakeLoop = (shape, gate) => {
  const given = { model: modelOf(shape, gate), tools: toolsOf(), stopWhen: isStepCount(100), prompt }
  return {
    name: aiSdkStream,
    converse: async () => {
      const result = streamText(given)
      await result.consumeStream()
      return outcomeOf(await result.text, resultsOf(await result.steps))
    }
  }
}

export const aiSdkGenerate = "AI SDK 7: generateText, not streamed"

/** With the tools that are made for each conversation. */
export const generateLoopOf =
  (name: string, makeTools: () => ToolSet): MakeLoop =>
  (shape, gate) => {
    const model = modelOf(shape, gate)
    return {
      name,
      converse: async () => {
        const { steps, text } = await generateText({ model, tools: makeTools(), stopWhen: isStepCount(100), prompt })
        return outcomeOf(text, resultsOf(steps))
      }
    }
  }

export const aiSdkGenerateLoop: MakeLoop = (shape, gate) => {
  const tools = toolsOf()
  return generateLoopOf(aiSdkGenerate, () => tools)(shape, gate)
}
