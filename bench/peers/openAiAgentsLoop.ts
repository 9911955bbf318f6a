/** The loop of OpenAI Agents over a model that gives scripted events. */
import { Agent, type Model, type ModelRequest, Runner, type StreamEvent, type Tool, Usage } from "@openai/agents"
import {
  type Gate,
  type MakeLoop,
  outcomeOf,
  prompt,
  type ScriptedTurn,
  scriptOf,
  type Shape
} from "../task/conversation.js"
import { small } from "../task/orders.js"
import { makeTool } from "./openAiAgents.js"

/** Arguments do not stream in its own words, only in the provider's. */
const eventsOf = (turn: ScriptedTurn, number: number): ReadonlyArray<StreamEvent> => [
  { type: "response_started" },
  ...turn.pieces.map((delta): StreamEvent => ({ type: "output_text_delta", delta })),
  ...turn.calls.flatMap((call) =>
    call.pieces.map((delta): StreamEvent => ({
      type: "model",
      event: { type: "response.function_call_arguments.delta", item_id: call.id, delta }
    }))
  ),
  {
    type: "response_done",
    response: {
      id: `turn_${number}`,
      usage: { inputTokens: 100, outputTokens: 10, totalTokens: 110 },
      output: outputOf(turn)
    }
  }
]

const outputOf = (turn: ScriptedTurn) => [
  ...(turn.text === ""
    ? []
    : [
        {
          type: "message" as const,
          role: "assistant" as const,
          status: "completed" as const,
          content: [{ type: "output_text" as const, text: turn.text }]
        }
      ]),
  ...turn.calls.map((call) => ({
    type: "function_call" as const,
    callId: call.id,
    name: call.name,
    arguments: call.arguments,
    status: "completed" as const
  }))
]

const modelOf = (shape: Shape, gate: Gate | undefined): Model => {
  const script = scriptOf(shape)
  const events = script.map(eventsOf)
  const numberOf = async ({ input }: ModelRequest): Promise<number> => {
    const called = typeof input === "string" ? 0 : input.filter(({ type }) => type === "function_call").length
    const number = called / shape.calls
    if (number === script.length - 1) await gate?.()
    return number
  }
  return {
    getResponse: async (request) => {
      const turn = script[await numberOf(request)]
      if (turn === undefined) throw new Error("the script is over")
      return { usage: new Usage({ inputTokens: 100, outputTokens: 10, totalTokens: 110 }), output: outputOf(turn) }
    },
    getStreamedResponse: async function* (request) {
      yield* events[await numberOf(request)] ?? []
    }
  }
}

export const openAiAgentsStream = "OpenAI Agents: Runner.run, streamed"

export const openAiAgentsStreamLoop: MakeLoop = (shape, gate) => {
  const tools = [makeTool(small.handle)]
  return streamLoopOf(openAiAgentsStream, () => tools)(shape, gate)
}

/** With the tools that are made for each conversation. */
export const streamLoopOf =
  (name: string, makeTools: () => Array<Tool>): MakeLoop =>
  (shape, gate) => {
    const model = modelOf(shape, gate)
    const runner = new Runner({ tracingDisabled: true })
    return {
      name,
      converse: async () => {
        const agent = new Agent({ name: "orders", model, tools: makeTools() })
        const result = await runner.run(agent, prompt, { stream: true, maxTurns: 100 })
        for await (const _ of result);
        await result.completed
        const results = result.newItems.flatMap((item) =>
          item.type === "tool_call_output_item" ? [textOf(item.output)] : []
        )
        return outcomeOf(String(result.finalOutput), results)
      }
    }
  }

const textOf = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output))
