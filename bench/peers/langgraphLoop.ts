/** The loop of LangGraph's prebuilt agent over a model that gives scripted messages. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models"
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages"
import type { StructuredToolInterface } from "@langchain/core/tools"
import { createReactAgent } from "@langchain/langgraph/prebuilt"
import { type MakeLoop, outcomeOf, prompt, type ScriptedTurn, scriptOf, type Shape } from "../task/conversation.js"

class Scripted extends BaseChatModel {
  readonly #script: ReadonlyArray<ScriptedTurn>

  constructor(shape: Shape) {
    super({})
    this.#script = scriptOf(shape)
  }

  override _llmType(): string {
    return "scripted"
  }

  override bindTools(): this {
    return this
  }

  override async _generate(messages: Array<BaseMessage>) {
    const turn = this.#script[messages.filter((message) => AIMessage.isInstance(message)).length]
    if (turn === undefined) throw new Error("the script is over")
    const message = new AIMessage({
      content: turn.text,
      tool_calls: turn.calls.map(({ arguments: text, id, name }) => ({
        type: "tool_call",
        id,
        name,
        args: JSON.parse(text)
      }))
    })
    return { generations: [{ text: turn.text, message }] }
  }
}

/** With the tools that are made for each conversation. */
export const langgraphLoopOf =
  (name: string, makeTools: () => Array<StructuredToolInterface>): MakeLoop =>
  (shape) => {
    const llm = new Scripted(shape)
    return {
      name,
      converse: async () => {
        const agent = createReactAgent({ llm, tools: makeTools() })
        const { messages } = await agent.invoke(
          { messages: [{ role: "user", content: prompt }] },
          { recursionLimit: 1_000 }
        )
        return outcomeOf(
          String(messages.at(-1)?.content),
          messages.flatMap((message) => (ToolMessage.isInstance(message) ? [String(message.content)] : []))
        )
      }
    }
  }
