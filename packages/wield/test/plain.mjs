// A program in plain JavaScript, which `plain.test.ts` starts: `node plain.mjs <folder> [ask]`. It asks, and
// unless that is all, approves what was asked and prints what the test checks.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileStore } from "wield/file"
import { manifest } from "wield/manifest"
import { tool, wield } from "wield"

const folder = process.argv[2]
const inputSchema = (properties) => ({ type: "object", properties, required: Object.keys(properties) })

const tools = [
  tool("pay", {
    parameters: inputSchema({ amount: { type: "number" } }),
    execute: async ({ amount }) => {
      appendFileSync(join(folder, "paid"), `${amount}\n`)
      return `paid ${amount}`
    }
  }),
  tool("look", {
    parameters: inputSchema({ code: { type: "string", pattern: "^(a+)+$" } }),
    execute: ({ code }) => code.length
  }),
  tool("crash", {
    execute: () => {
      throw new Error("the password is hunter2")
    }
  })
]

const options = { tools, approval: { pay: () => "ask" }, store: fileStore({ path: join(folder, "shop.db") }) }
const response = (...calls) => ({
  choices: [
    {
      message: {
        role: "assistant",
        content: null,
        tool_calls: calls.map(([name, given], index) => ({
          id: `call_${index}`,
          type: "function",
          function: { name, arguments: JSON.stringify(given) }
        }))
      }
    }
  ]
})
const reasonOf = (promise) => promise.then(() => "none", String)

const misspelt = await reasonOf(wield({ ...options, approval: { pya: () => "ask" } }))
const shop = await wield(options)
const mixed = await shop
  .run({ id: "mixed" })
  .answer(
    "openai-chat",
    response(["look", { code: `${"a".repeat(5_000)}!` }], ["look", {}], ["crash", {}], ["none", {}])
  )

const asked = response(["pay", { amount: 450 }])
const answer = (answers) => shop.run({ id: "order" }).answer("openai-chat", asked, { answers })
const { waiting } = await answer([])
if (waiting.length > 0) writeFileSync(join(folder, "request"), JSON.stringify(waiting[0]))
if (process.argv[3] === "ask") process.exit()
const to = JSON.parse(readFileSync(join(folder, "request"), "utf8"))
// Two tabs approve at the same time, and one of them twice.
const tabs = await Promise.all([answer([{ to, reply: "approve" }]), answer([{ to, reply: "approve" }])])
const again = await answer([{ to, reply: "approve" }])
const denied = await reasonOf(answer([{ to, reply: { deny: "no" } }]))

// An agent, whose model is as a package of the AI SDK makes one: each turn is a call or a text.
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const modelOf = (...turns) => ({
  specificationVersion: "v4",
  provider: "test",
  modelId: "m",
  doStream: async () => {
    const turn = turns.shift()
    const parts =
      typeof turn === "string"
        ? [
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: turn },
            { type: "text-end", id: "1" }
          ]
        : [{ type: "tool-call", toolCallId: "c1", toolName: turn.name, input: JSON.stringify(turn.input) }]
    const unified = typeof turn === "string" ? "stop" : "tool-calls"
    const all = [...parts, { type: "finish", finishReason: { unified, raw: unified }, usage }]
    return { stream: ReadableStream.from(all) }
  }
})
const look = { name: "look", input: { code: "abc" } }
const steps = []
const agent = shop.agent({
  model: modelOf(look, { name: "pay", input: { amount: 7 } }, "Done."),
  prepare: async ({ number }) => void steps.push(number),
  stop: { when: async () => false },
  signing: { secrets: "0123456789abcdef", timeToLive: "1 hour" }
})
const paused = await agent.ask("Pay 7")
const forged = paused.requests.map((to) => ({ to: { ...to, arguments: { amount: 700 } }, reply: "approve" }))
const clerk = shop.agent({ model: modelOf(look, "It has 3.") }).toTool("ask_clerk", { description: "Looks" })
const desk = await wield({ tools: [clerk] })
const chief = desk.agent({ model: modelOf({ name: "ask_clerk", input: { task: "Look" } }, "3") })
const agents = {
  steps,
  requests: paused.requests.map(({ name }) => name),
  forged: await reasonOf(agent.ask(undefined, { conversation: paused.conversation, answers: forged })),
  stopped: (await shop.agent({ model: modelOf(look), stop: { when: async () => true } }).ask("Look"))._tag,
  clerk: JSON.stringify((await chief.ask("Ask the clerk")).entries).includes("It has 3."),
  steered: await agent.steer(paused.conversation, "No"),
  misspelt: await reasonOf((async () => shop.agent({ model: modelOf(), prepareStep: () => ({}) }))())
}
await desk.close()

const greet = (name) =>
  manifest({ text: `- { type: local, function: { name: ${name} } }`, handlers: { [name]: () => "Hi" } })
const imported = await wield({ toolsets: [greet("greet")], approval: { "*": { greet: () => "deny" } } })
const sources = [
  await reasonOf(imported.run().call("greet")),
  await reasonOf(wield({ toolsets: [greet("greet")], approval: { "*": { gret: () => "deny" } } })),
  await reasonOf(wield({ toolsets: [greet("a"), greet("a")] }))
]
await imported.close()
await shop.close()

console.log(
  JSON.stringify({
    misspelt,
    tags: mixed.outcomes.map(({ _tag }) => _tag),
    texts: JSON.stringify(mixed.messages),
    paid: [...tabs, again].map(({ messages }) => JSON.stringify(messages).includes("paid 450")),
    denied,
    agents,
    sources
  })
)
