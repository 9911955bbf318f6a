// A small MCP server. A real one is a package of its own.
import { createInterface } from "node:readline"

const [, , kind = "weather"] = process.argv
const object = (properties) => ({ type: "object", properties })
const text = { type: "string" }
const tools = {
  weather: [
    {
      name: "forecast",
      description: "The weather of tomorrow",
      inputSchema: object({ city: text }),
      annotations: { readOnlyHint: true }
    }
  ],
  notes: [
    { name: "add", description: process.env["DESCRIPTION"] ?? "Adds a note", inputSchema: object({ note: text }) }
  ]
}[kind]

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: kind, version: "1.0.0" }
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ arguments: given, name }) => ({
    content: [{ type: "text", text: name === "forecast" ? `Sun in ${given.city}` : `Noted: ${given.note}` }]
  })
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = Object.hasOwn(results, method)
    ? { result: results[method](params) }
    : { error: { code: -32601, message: "Method not found" } }
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
})
