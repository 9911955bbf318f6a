import { Command, interrupt, MemorySaver } from "@langchain/langgraph"
import { fromRun } from "@wield/interop/langchain"
import { Effect } from "effect"
import { createAgent } from "langchain"
import { alterSaved, ScriptedChat } from "../test/scenarios/langchain.js"
import type { Driver, Shop } from "../test/scenarios/table.js"
import { textOf } from "./http.js"

export const langchainAgent: Driver = {
  sdk: "LangChain createAgent",
  without: { "broken JSON": "the model's class parses" },
  drive: async ({ alter, calls, later, reply, shop, signal }) => {
    const model = new ScriptedChat(calls)
    const checkpointer = new MemorySaver()
    const thread = { configurable: { thread_id: "1" }, ...(signal === undefined ? {} : { signal }) }
    const open = async ({ run }: Shop) => {
      const tools = await Effect.runPromise(fromRun(run, reply === undefined ? {} : { ask: interrupt }))
      return createAgent({ model: model as never, tools: tools as never, checkpointer })
    }
    const agent = await open(shop)
    const state: any = await agent.invoke({ messages: [{ role: "user", content: "go" }] } as never, thread)
    if (alter !== undefined) alterSaved(checkpointer, alter)
    let isAskedAgain = false
    for (const { value } of state.__interrupt__ ?? []) {
      const resume = { id: value.id, reply: reply === "approve" ? "approve" : { deny: "not today" } }
      const next = later === undefined ? agent : await open(await later())
      const ended: any = await next.invoke(new Command({ resume }) as never, thread)
      isAskedAgain ||= ended.__interrupt__ !== undefined
    }
    return {
      definitions: model.definitions,
      isAskedAgain,
      sent: model.results.map(({ content, tool_call_id: id }) => ({ id, text: textOf(content) }))
    }
  }
}
