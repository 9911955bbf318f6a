/** What tools weigh, and whether calls leave anything behind. */
import { type Json, ToolCall, ToolRunner, Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import { heap, kilobytes } from "../harness/heap.js"
import { keep } from "../harness/measure.js"
import type { Group, Measured } from "../harness/table.js"
import { makeRunner, textOf } from "../peers/wield.js"
import * as schemas from "../task/jsonSchema.js"
import { description, small, toolName } from "../task/orders.js"

const count = 10_000

/** A definition as it comes from outside: parsed JSON, each with a schema of its own. */
const definitionOf = (index: number): { name: string; description: string; inputSchema: Json.JsonSchema } =>
  JSON.parse(
    JSON.stringify({
      name: `${toolName}_${index}`,
      description: `${description} Shop ${index}.`,
      inputSchema: {
        ...schemas.parameters,
        properties: { ...schemas.parameters.properties, shop: { type: "string", enum: [`shop_${index}`] } }
      }
    })
  )

const dynamic = async (): Promise<Measured> => {
  // Whatever the library loads once is not a tool's weight.
  const warm = await Effect.runPromise(Toolset.dynamic([{ ...definitionOf(-1), execute: () => Effect.succeed("ok") }]))
  const empty = await heap()
  const definitions = Array.from({ length: count }, (_, index) => definitionOf(index))
  const withJson = await heap()
  const tools = definitions.map((definition) => ({ ...definition, execute: () => Effect.succeed("ok") }))
  const withTools = await heap()
  const started = process.cpuUsage()
  const toolset = await Effect.runPromise(Toolset.dynamic(tools))
  const runner = await Effect.runPromise(ToolRunner.make(toolset))
  const { system, user } = process.cpuUsage(started)
  const withToolset = await heap()
  const offered = await Effect.runPromise(runner.definitions)
  const withDefinitions = await heap()
  const call = ToolCall.make(
    "call_1",
    `${toolName}_7`,
    JSON.stringify({ ...JSON.parse(small.arguments), shop: "shop_7" })
  )
  const outcome = await Effect.runPromise(runner.run(call))
  if (outcome._tag !== "Success") throw new Error(`the call ended as ${outcome._tag}`)
  for (const { name } of offered) await Effect.runPromise(runner.run({ ...call, name }))
  const withCalls = await heap()
  keep([warm, definitions, tools, toolset, runner, offered])
  const each = (bytes: number): string => kilobytes(bytes / count)
  const own = (withToolset - withTools) / count
  return {
    tables: [
      {
        _tag: "Figures",
        title: `heap of ${count} dynamic tools, KB a tool`,
        columns: ["what", "KB a tool"],
        rows: [
          ["its JSON, parsed", each(withJson - empty)],
          ["the program's object and function around it", each(withTools - withJson)],
          ["Toolset.dynamic + ToolRunner.make", each(withToolset - withTools)],
          ["the definitions of a request", each(withDefinitions - withToolset)],
          ["each tool called once (its validator compiled), more", each(withCalls - withDefinitions)]
        ]
      }
    ],
    goals: [
      {
        name: "memory",
        goal: "≤ 2 KB a dynamic tool over its own JSON",
        measured: `${kilobytes(own)} KB; ${kilobytes((withCalls - withTools) / count)} KB after each was called`,
        isMet: own <= 2 * 1024
      }
    ],
    notes: [`Making the toolset took ${((user + system) / 1e3 / count).toFixed(2)} ms of processor time a tool.`]
  }
}

const calls = 1_000_000

const grown = async (label: string, call: () => void): Promise<readonly [string, string, string]> => {
  for (let time = 0; time < 20_000; time++) call()
  const before = await heap()
  for (let time = 0; time < calls; time++) call()
  const after = await heap()
  return [label, kilobytes(after - before), ((after - before) / calls).toFixed(3)]
}

const million = async (): Promise<Measured> => {
  const runner = makeRunner((parameters) => Effect.succeed(small.handle(parameters)))
  const call = ToolCall.make("call_1", toolName, small.arguments)
  const wrong = ToolCall.make("call_1", toolName, "{}")
  let number = 0
  let run = runner.forRun({})
  const rows = [
    await grown("run", () => keep(textOf(Effect.runSync(runner.run(call))))),
    await grown("run, invalid arguments", () => keep(Effect.runSync(runner.run(wrong)))),
    await grown("forRun, a new run every 20 calls", () => {
      if (number++ % 20 === 0) run = runner.forRun({})
      keep(textOf(Effect.runSync(run.run(ToolCall.make(`call_${number}`, toolName, small.arguments)))))
    })
  ]
  const most = Math.max(...rows.map(([, , each]) => Number(each)))
  return {
    tables: [
      {
        _tag: "Figures",
        title: `heap after ${calls} calls through one runner`,
        columns: ["calls", "KB more", "bytes a call"],
        rows
      }
    ],
    goals: [
      {
        name: "memory after a million calls",
        goal: "no growth (< 1 byte a call)",
        measured: `${most} bytes a call`,
        isMet: most < 1
      }
    ]
  }
}

export const groups: ReadonlyArray<Group> = [
  { name: "dynamic", measure: dynamic },
  { name: "million", measure: million }
]
