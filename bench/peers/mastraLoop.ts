/** Mastra's loop over the AI SDK's scripted model. */
import { Agent, type ToolsInput } from "@mastra/core/agent"
import { type MakeLoop, outcomeOf, prompt } from "../task/conversation.js"
import { modelOf } from "./aiSdkAgent.js"

/** With the tools that are made for each conversation. */
export const mastraLoopOf =
  (name: string, makeTools: () => ToolsInput): MakeLoop =>
  (shape, gate) => {
    const model = modelOf(shape, gate)
    return {
      name,
      converse: async () => {
        const agent = new Agent({
          id: "orders",
          name: "orders",
          instructions: "",
          model: model as never,
          tools: makeTools()
        })
        const { steps, text } = await agent.generate(prompt, { maxSteps: 100 })
        const results = steps.flatMap(({ toolResults }) =>
          toolResults.map(({ payload }) => JSON.stringify(payload.result))
        )
        return outcomeOf(text, results)
      }
    }
  }
