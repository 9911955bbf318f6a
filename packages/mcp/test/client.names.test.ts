/** By which names the tools of a server are offered. */
import { assert, describe, it } from "@effect/vitest"
import { Approval, Response, ToolCall, ToolRunner } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { Effect } from "effect"

/** A server that lists these tools, in this order. */
const server = (...names: ReadonlyArray<string>) =>
  McpClient.stdio(process.execPath, [
    "-e",
    `const tools = ${JSON.stringify(names)}.map((name) => ({ name, inputSchema: { type: "object" } }))
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

const connect = (names: ReadonlyArray<string>) =>
  McpClient.connect("bank", server(...names), { limits: { probe: 200 } })

const runnerOf = (...names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { toolset } = yield* connect(names)
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
})
