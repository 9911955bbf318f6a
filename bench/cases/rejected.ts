/** Calls that a model got wrong: invalid arguments, an unknown tool, broken JSON; each with the text it will read. */
import { Outcome, ToolCall, ToolResult } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Effect4 from "effect4/Effect"
import * as Stream4 from "effect4/Stream"
import { asSchema } from "ai"
import { z } from "zod"
import { asynchronous, type Contender, measure, synchronous } from "../harness/measure.js"
import { duration, type Group, type Measured, rowOf, timingTable, type TimingTable } from "../harness/table.js"
import { makeTool as makeAiSdkTool } from "../peers/aiSdk.js"
import { explain, validateParameters } from "../peers/ajv.js"
import { toolkitOf as effect4Toolkit } from "../peers/effect4.js"
import { handled } from "../peers/effectAi.js"
import { makeTool as makeLangchainTool } from "../peers/langchain.js"
import { makeTool as makeMastraTool } from "../peers/mastra.js"
import { connect } from "../peers/mcp.js"
import { makeTool as makeAgentsTool, newContext } from "../peers/openAiAgents.js"
import { makeRunner, makeRunnerOf } from "../peers/wield.js"
import { small, toolName } from "../task/orders.js"
import { parameters as zodParameters } from "../task/zodSchema.js"

/** Three mistakes: a status that there is not, a limit that is too high, a quantity in words. */
const invalid = JSON.stringify({
  ...JSON.parse(small.arguments),
  status: "unpaid",
  limit: 1_000,
  items: [{ sku: "SKU-1", quantity: "two" }]
})

const broken = small.arguments.slice(0, -40)

const rejected = (name: string): never => {
  throw new Error(`${name} took what is not valid`)
}

interface Runs {
  readonly run: (call: ToolCall.ToolCall) => Effect.Effect<Outcome.Outcome>
}

const wield = (name: string, runner: Runs, call: ToolCall.ToolCall, tag: Outcome.Outcome["_tag"]): Contender =>
  synchronous(`Wield, ${name}`, () => {
    const outcome = Effect.runSync(runner.run(call))
    if (outcome._tag !== tag) throw new Error(`the call ended as ${outcome._tag}`)
    const result = Outcome.render(outcome)
    return result === undefined ? rejected("Wield") : ToolResult.toText(result)
  })

const messageOf = async (attempt: () => Promise<unknown>): Promise<string> => {
  try {
    await attempt()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return rejected("a peer")
}

const invalidPeers = async (): Promise<ReadonlyArray<Contender>> => {
  const effectAi = handled((parameters) => Effect.succeed(small.handle(parameters)))
  const effect4 = await effect4Toolkit(small)
  const aiSdk = asSchema(makeAiSdkTool(small.handle).inputSchema)
  const langchain = makeLangchainTool(small.handle)
  const mastra = makeMastraTool(small.handle)
  const agents = makeAgentsTool(small.handle)
  const client = await connect(small.handle)
  return [
    synchronous("ajv + errorsText", () => (validateParameters(JSON.parse(invalid)) ? rejected("ajv") : explain())),
    synchronous("zod + prettifyError", () => {
      const parsed = zodParameters.safeParse(JSON.parse(invalid))
      return parsed.success ? rejected("zod") : z.prettifyError(parsed.error)
    }),
    synchronous("@effect/ai: handle, runSync", () =>
      Effect.runSync(
        Effect.match(effectAi.handle(toolName, JSON.parse(invalid)), {
          onFailure: (error: unknown) => (error instanceof Error ? error.message : String(error)),
          onSuccess: () => rejected("@effect/ai")
        })
      )
    ),
    asynchronous("Effect 4: handle, runPromise", () =>
      Effect4.runPromise(
        Effect4.flatMap(effect4.handle(toolName, JSON.parse(invalid)), Stream4.runLast).pipe(
          Effect4.match({
            onFailure: (error: unknown) => (error instanceof Error ? error.message : String(error)),
            onSuccess: () => rejected("Effect 4")
          })
        )
      )
    ),
    asynchronous("AI SDK 7: validate", async () => {
      const validated = await aiSdk.validate?.(JSON.parse(invalid))
      return validated?.success === false ? validated.error.message : rejected("the AI SDK")
    }),
    asynchronous("LangChain: tool.invoke(call)", () =>
      messageOf(() => langchain.invoke({ type: "tool_call", id: "call_1", name: toolName, args: JSON.parse(invalid) }))
    ),
    asynchronous("Mastra: tool.execute", async () => {
      const answer = await mastra.execute?.(JSON.parse(invalid), {} as never)
      return typeof answer === "object" && "error" in answer ? String(answer.message) : rejected("Mastra")
    }),
    asynchronous("OpenAI Agents: tool.invoke", async () => String(await agents.invoke(newContext(), invalid))),
    asynchronous("MCP SDK: client.callTool in memory", async () => {
      const answer = await client.callTool({ name: toolName, arguments: JSON.parse(invalid) })
      return answer.isError === true ? JSON.stringify(answer.content) : rejected("the MCP SDK")
    })
  ]
}

const measured = async (title: string, contenders: ReadonlyArray<Contender>, own: string): Promise<Measured> => {
  for (const contender of contenders) {
    if ((await contender.once()).length < 20) throw new Error(`${contender.name} says nothing`)
  }
  const table: TimingTable = timingTable(title, await measure(contenders), contenders[0]?.name)
  const { minimum } = rowOf(table, own)
  return {
    tables: [table],
    goals: [
      {
        name: `rejected, ${title}`,
        goal: "≤ 3 µs with its text read",
        measured: duration(minimum),
        isMet: minimum <= 3e3
      }
    ]
  }
}

const runner = () => makeRunner((parameters) => Effect.succeed(small.handle(parameters)))

export const groups: ReadonlyArray<Group> = [
  {
    name: "invalid",
    measure: async () => {
      const own = wield("three mistakes", runner(), ToolCall.make("call_1", toolName, invalid), "InvalidArguments")
      return measured("invalid arguments", [...(await invalidPeers()), own], own.name)
    }
  },
  {
    name: "unknown",
    measure: () => {
      const call = ToolCall.make("call_1", "search_orders", small.arguments)
      const of = (count: number) => wield(`among ${count} tools`, makeRunnerOf(count), call, "UnknownTool")
      return measured("unknown tool", [of(1), of(10), of(100)], "Wield, among 10 tools")
    }
  },
  {
    name: "broken",
    measure: () => {
      const limit = synchronous("JSON.parse + its message", () => {
        try {
          JSON.parse(broken)
        } catch (error) {
          return error instanceof Error ? error.message : String(error)
        }
        return rejected("JSON.parse")
      })
      const own = wield("text that ends early", runner(), ToolCall.make("call_1", toolName, broken), "InvalidArguments")
      return measured("broken JSON", [limit, own], own.name)
    }
  }
]
