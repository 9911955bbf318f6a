/** By which names the tools of a server are offered. */
import { assert, describe, it } from "@effect/vitest"
import { Approval, Response, ToolCall, ToolRunner } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { Effect } from "effect"

type Listed = string | { readonly name: string; readonly [key: string]: unknown }

/** A server that lists these tools, in this order. */
const server = (...listed: ReadonlyArray<Listed>) =>
  McpClient.stdio(process.execPath, [
    "-e",
    `const tools = ${JSON.stringify(listed.map((tool) => (typeof tool === "string" ? { name: tool } : tool)))}
      .map((tool) => ({ inputSchema: { type: "object" }, ...tool }))
    const results = {
      initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
      "tools/list": () => ({ tools }),
      "tools/call": ({ name }) => ({ content: [{ type: "text", text: name }] })
    }
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line)
      const answer = results[method] ? { result: results[method](params) } : { error: { code: -32601, message: "?" } }
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
    })`
  ])

const connect = (listed: ReadonlyArray<Listed>) =>
  McpClient.connect("bank", server(...listed), { limits: { probe: 200 }, trust: "hints" })

const runnerOf = (...listed: ReadonlyArray<Listed>) =>
  Effect.gen(function* () {
    const { toolset } = yield* connect(listed)
    return yield* ToolRunner.make(toolset, { approval: () => Approval.ask() })
  })

describe("The name of a tool", () => {
  it.scopedLive.each<readonly [ReadonlyArray<string>, ReadonlyArray<string>]>([
    [
      ["pay.it", "pay_it", "pay/it"],
      ["bank_pay_it", "bank_pay_it_115a4e60", "bank_pay_it_d341a0c0"]
    ],
    [
      ["pay.it", "pay/it", "look"],
      ["bank_look", "bank_pay_it_115a4e60", "bank_pay_it_d341a0c0"]
    ],
    [["pay.it"], ["bank_pay_it"]]
  ])("is the same wherever the server lists it: %j", ([listed, offered]) =>
    Effect.gen(function* () {
      const namesOf = (names: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const { toolset } = yield* connect(names)
          const runner = yield* ToolRunner.make(toolset)
          const all = yield* runner.definitions
          return Object.fromEntries(all.map(({ name, native }) => [name, native?.json]))
        })
      const names = yield* namesOf(listed)
      assert.deepStrictEqual(Object.keys(names).sort(), offered)
      assert.deepStrictEqual(yield* namesOf(listed.toReversed()), names)
    })
  )

  it.scopedLive("is not all that an approval is of: another tool that has it by now is not run", () =>
    Effect.gen(function* () {
      const run = (yield* runnerOf("pay.it")).forRun({ id: "r" })
      const [waiting] = yield* run.settle([ToolCall.make("call_1", "bank_pay_it", {})])
      if (waiting?._tag !== "Deferred") return assert.fail("it has to wait")
      const later = (yield* runnerOf("pay.it", "pay_it")).forRun({ id: "r" })
      const error = yield* Effect.flip(later.resume(waiting, Response.approve))
      assert.propertyVal(error, "_tag", "StaleResponse")
    })
  )

  const pay = { name: "pay", description: "Pays", annotations: { idempotentHint: true } }
  const amount = { type: "object", properties: { amount: { type: "number" } } }

  it.scopedLive.each<readonly [string, Listed, string]>([
    ["another session", { ...pay, _meta: { session: 2 } }, "Success"],
    ["other icons", { ...pay, icons: [{ src: "https://example.com/2.png" }] }, "Success"],
    ["another description", { ...pay, description: "Pays twice" }, "StaleResponse"],
    ["another schema", { ...pay, inputSchema: amount }, "StaleResponse"],
    ["other annotations", { ...pay, annotations: { idempotentHint: false } }, "StaleResponse"]
  ])("holds an approval where the server later lists it with %s: %j gives %s", ([, listed, given]) =>
    Effect.gen(function* () {
      const run = (yield* runnerOf({ ...pay, _meta: { session: 1 } })).forRun({ id: "r" })
      const [waiting] = yield* run.settle([ToolCall.make("call_1", "bank_pay", {})])
      if (waiting?._tag !== "Deferred") return assert.fail("it has to wait")
      const later = (yield* runnerOf(listed)).forRun({ id: "r" })
      const outcome = yield* Effect.merge(later.resume(waiting, Response.approve))
      assert.propertyVal(outcome, "_tag", given)
    })
  )
})
