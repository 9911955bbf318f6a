import { fromRun } from "@wield/interop/openai"
import { Effect } from "effect"
import OpenAI from "openai"
import type { Driver } from "../test/scenarios/table.js"
import { asking, laterByAsking } from "./asking.js"
import { scriptedFetch } from "./http.js"

const response = (message: object, finish_reason: string) => ({
  id: "chat_1",
  object: "chat.completion",
  created: 1,
  model: "gpt",
  choices: [{ index: 0, finish_reason, message: { role: "assistant", content: null, refusal: null, ...message } }]
})

export const openai: Driver = {
  sdk: "OpenAI",
  without: laterByAsking,
  drive: async ({ calls, reply, shop, signal }) => {
    const tool_calls = calls.map(({ arguments: text, id, name }) => ({
      id,
      type: "function",
      function: { name, arguments: text }
    }))
    const { fetch, requests } = scriptedFetch([
      response({ tool_calls }, "tool_calls"),
      response({ content: "done" }, "stop")
    ])
    const client = new OpenAI({ apiKey: "none", fetch: fetch as never })
    const tools = await Effect.runPromise(fromRun(shop.run, asking(reply)))
    const messages = [{ role: "user" as const, content: "go" }]
    const runner = client.chat.completions.runTools({ model: "gpt", messages, tools }, { signal })
    await runner.finalContent()
    return {
      definitions: JSON.stringify(requests[0].tools),
      sent: (requests.at(-1).messages as ReadonlyArray<any>)
        .filter(({ role }) => role === "tool")
        .map(({ content, tool_call_id: id }) => ({ id, text: content }))
    }
  }
}
