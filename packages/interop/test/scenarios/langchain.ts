/** The loop of LangGraph's prebuilt agent, with a model that makes the scripted calls. */
import { BaseChatModel } from "@langchain/core/language_models/chat_models"
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages"
import { convertToOpenAITool } from "@langchain/core/utils/function_calling"
import { Command, interrupt, MemorySaver } from "@langchain/langgraph"
import { createReactAgent } from "@langchain/langgraph/prebuilt"
import * as LangChain from "@wield/interop/langchain"
import { Effect } from "effect"
import type { Call, Drive, Driver } from "./table.js"

export class ScriptedChat extends BaseChatModel {
  definitions = ""
  results: ReadonlyArray<ToolMessage> = []
  readonly #calls: ReadonlyArray<Call>
  constructor(calls: ReadonlyArray<Call>) {
    super({})
    this.#calls = calls
  }
  override _llmType(): string {
    return "scripted"
  }
  override bindTools(tools: Array<unknown>): this {
    this.definitions = JSON.stringify(tools.map((tool) => convertToOpenAITool(tool as never)))
    return this
  }
  override async _generate(messages: Array<BaseMessage>) {
    this.results = messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message))
    const message = this.results.length > 0 || this.#calls.length === 0 ? new AIMessage("done") : messageOf(this.#calls)
    return { generations: [{ text: "", message }] }
  }
}

/** Alters what the graph has saved, without the question: bytes of JSON. */
export const alterSaved = ({ storage }: MemorySaver, alter: (text: string) => string): void => {
  const walk = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return new TextEncoder().encode(alter(new TextDecoder().decode(value)))
    if (typeof value !== "object" || value === null) return value
    for (const [key, part] of Object.entries(value)) (value as Record<string, unknown>)[key] = walk(part)
    return value
  }
  walk(storage)
}

/** As LangChain's packages for providers parse it. */
const messageOf = (calls: ReadonlyArray<Call>): AIMessage =>
  new AIMessage({
    content: "",
    tool_calls: calls.map(({ arguments: text, id, name }) => ({ type: "tool_call", id, name, args: JSON.parse(text) }))
  })

export const langGraph: Driver = {
  sdk: "LangGraph",
  without: { "broken JSON": "the model's class parses" },
  drive: async ({ alter, calls, later, reply, shop, signal }: Drive) => {
    const checkpointer = new MemorySaver()
    const model = new ScriptedChat(calls)
    const thread = { configurable: { thread_id: "thread_1" }, ...(signal === undefined ? {} : { signal }) }
    const agentOf = async (run: typeof shop.run) =>
      createReactAgent({
        llm: model,
        checkpointer,
        tools: await Effect.runPromise(LangChain.fromRun(run, reply === undefined ? {} : { ask: interrupt }))
      })
    const agent = await agentOf(shop.run)
    await agent.invoke({ messages: [{ role: "user", content: "go" }] }, thread)
    const asks = async () => (await agent.getState(thread)).tasks.flatMap(({ interrupts }) => interrupts)
    const waiting = await asks()
    if (alter !== undefined) alterSaved(checkpointer, alter)
    for (const { value } of waiting) {
      const { id } = JSON.parse(JSON.stringify(value)) as { readonly id: string }
      const resume = { id, reply: reply === "approve" ? "approve" : { deny: "not today" } }
      await (later === undefined ? agent : await agentOf((await later()).run)).invoke(new Command({ resume }), thread)
    }
    return {
      definitions: model.definitions,
      isAskedAgain: reply !== undefined && (await asks()).length > 0,
      sent: model.results.map(({ content, tool_call_id: id }) => ({
        id,
        text: typeof content === "string" ? content : JSON.stringify(content)
      }))
    }
  }
}
