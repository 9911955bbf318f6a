import Anthropic from "@anthropic-ai/sdk"
import { fromRun } from "@wield/interop/anthropic"
import { Effect } from "effect"
import type { Driver } from "../test/scenarios/table.js"
import { scriptedFetch, textOf } from "./http.js"
import { asking, laterByAsking } from "./asking.js"

const response = (content: ReadonlyArray<object>, stop_reason: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content,
  stop_reason,
  usage: { input_tokens: 1, output_tokens: 1 }
})

export const anthropic: Driver = {
  sdk: "Anthropic",
  without: { "broken JSON": "the API parses", ...laterByAsking },
  drive: async ({ calls, reply, shop, signal }) => {
    const uses = calls.map(({ arguments: text, id, name }) => ({ type: "tool_use", id, name, input: JSON.parse(text) }))
    const { fetch, requests } = scriptedFetch([
      response(uses, "tool_use"),
      response([{ type: "text", text: "done" }], "end_turn")
    ])
    const client = new Anthropic({ apiKey: "none", fetch: fetch as never })
    const tools = await Effect.runPromise(fromRun(shop.run, asking(reply)))
    const messages = [{ role: "user" as const, content: "go" }]
    const runner = client.beta.messages.toolRunner({ model: "claude", max_tokens: 9, messages, tools }, { signal })
    await runner.runUntilDone()
    const results = requests.at(-1).messages.at(-1).content as ReadonlyArray<any>
    return {
      definitions: JSON.stringify(requests[0].tools),
      sent: results.map(({ content, tool_use_id: id }) => ({ id, text: textOf(content) }))
    }
  }
}
