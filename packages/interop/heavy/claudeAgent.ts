/** The server in the same process, with a client of the protocol in place of the SDK, whose loop is a native program. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client"
import { fromRun } from "@wield/interop/claude-agent"
import { Effect } from "effect"
import type { Driver } from "../test/scenarios/table.js"
import { asking, laterByAsking } from "./asking.js"

export const claudeAgent: Driver = {
  sdk: "Claude Agent (its server)",
  without: { "broken JSON": "the SDK parses", ...laterByAsking },
  drive: async ({ calls, reply, shop, signal }) => {
    const { instance } = await Effect.runPromise(fromRun(shop.run, { name: "shop", ...asking(reply) }))
    const [near, far] = InMemoryTransport.createLinkedPair()
    await instance.connect(far as never)
    const client = new Client({ name: "test", version: "1" })
    await client.connect(near)
    const { tools } = await client.listTools()
    const sent = await Promise.all(
      calls.map(async ({ arguments: text, id, name }) => {
        const params = { name, arguments: JSON.parse(text) }
        const { content } = await client.callTool(params, signal === undefined ? {} : { signal })
        const [first] = content
        return { id, text: content.length === 1 && first?.type === "text" ? first.text : JSON.stringify(content) }
      })
    )
    await client.close()
    return { definitions: JSON.stringify(tools), sent }
  }
}
