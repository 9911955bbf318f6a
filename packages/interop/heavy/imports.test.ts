/** Tools that each SDK itself has made, as a toolset: its definition, what is checked, the text of a failure. */
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod"
import type { CallableTool } from "@google/genai"
import { tool as langchainTool } from "@langchain/core/tools"
import { createTool } from "@mastra/core/tools"
import { RequestContext } from "@mastra/core/request-context"
import { RunContext, tool as agentsTool } from "@openai/agents"
import { Outcome, ToolCall, ToolRunner } from "@wield/core"
import * as Anthropic from "@wield/interop/anthropic"
import * as Genkit from "@wield/interop/genkit"
import * as Google from "@wield/interop/google-genai"
import type { Imported } from "@wield/interop/imported"
import * as LangChain from "@wield/interop/langchain"
import * as Mastra from "@wield/interop/mastra"
import * as OpenAi from "@wield/interop/openai"
import * as OpenAiAgents from "@wield/interop/openai-agents"
import { Effect } from "effect"
import { genkit } from "genkit"
import { zodFunction } from "openai/helpers/zod"
import { describe, expect, it } from "vitest"
import { z } from "zod"

const name = "find_orders"
const description = "Finds orders of a customer"
const schema = z.object({
  customer: z.string().refine((text) => text.startsWith("c_"), "has to begin with c_"),
  limit: z.number().int().max(50)
})
type Input = z.infer<typeof schema>

const find = async ({ customer, limit }: Input) => {
  if (customer === "c_broken") throw new Error("password: hunter2")
  return { customer, limit }
}

type Import = (failure?: (error: unknown) => string | undefined) => Effect.Effect<Imported, unknown>

/** The SDK has an interface for such tools, and no helper that makes one of a function. */
const callable: CallableTool = {
  tool: async () => ({
    functionDeclarations: [{ name, description, parametersJsonSchema: z.toJSONSchema(schema) }]
  }),
  callTool: async ([call]) => [
    { functionResponse: { name, response: { output: await find(schema.parse(call?.args)) } } }
  ]
}

/** Each makes the tool as its documentation says. */
const imports: Readonly<Record<string, Import>> = {
  "Anthropic SDK": (failure) =>
    Anthropic.toToolset(
      [
        betaZodTool({ name, description, inputSchema: schema, run: async (input) => JSON.stringify(await find(input)) })
      ],
      { failure }
    ),
  "Google GenAI": (failure) => Google.toToolset([callable], { failure }),
  "OpenAI SDK": (failure) =>
    OpenAi.toToolset([zodFunction({ name, description, parameters: schema, function: find })], { failure }),
  "OpenAI Agents": (failure) =>
    OpenAiAgents.toToolset(
      [
        agentsTool({
          name,
          description,
          parameters: schema as never,
          strict: true,
          errorFunction: null,
          execute: find as never
        })
      ],
      { failure, runContext: (context) => new RunContext(context) }
    ),
  LangChain: (failure) => LangChain.toToolset([langchainTool(find, { name, description, schema })], { failure }),
  Mastra: (failure) =>
    Mastra.toToolset(
      { [name]: createTool({ id: name, description, inputSchema: schema, execute: find }) },
      {
        failure,
        requestContext: () => new RequestContext()
      }
    ),
  Genkit: (failure) =>
    Genkit.toToolset([genkit({}).dynamicTool({ name, description, inputSchema: schema as never }, find as never)], {
      failure
    })
}

/** Where the SDK runs a refinement within the call, it ends as what the tool throws. */
const checkedWithin = new Map([
  // It states the reason where OPENAI_AGENTS_DONT_LOG_TOOL_DATA is 0.
  ["OpenAI Agents", { tag: "Failure", text: /^The arguments are invalid\. Correct them/ }],
  ["Google GenAI", { tag: "Defect", text: /failed internally/ }]
])

const settle = (read: Imported, input: object) =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(read.toolset, { approval: read.approval })
    const [outcome] = yield* runner.forRun({}).settle([ToolCall.make("call_1", name, input)])
    return outcome!
  })

describe.each(Object.entries(imports))("a tool of %s", (sdk, read) => {
  const run = (input: object, failure?: Parameters<Import>[0]) =>
    Effect.runPromise(Effect.flatMap(read(failure), (imported) => settle(imported, input)))

  it("keeps its name, description and schema", async () => {
    const { losses, toolset } = await Effect.runPromise(read())
    const [definition] = await Effect.runPromise(
      Effect.flatMap(ToolRunner.make(toolset), ({ definitions }) => definitions)
    )
    expect(losses).toEqual([])
    expect(definition).toMatchObject({
      name,
      description,
      inputSchema: { type: "object", properties: { customer: { type: "string" } } }
    })
  })

  it("runs with what fits", async () => {
    const outcome = await run({ customer: "c_1", limit: 2 })
    expect(JSON.parse(Outcome.text(outcome) ?? "")).toEqual({ customer: "c_1", limit: 2 })
  })

  it("does not run with what its schema or a refinement refuses", async () => {
    for (const input of [
      { customer: 1, limit: 1 },
      { customer: "c_1", limit: 51 }
    ]) {
      expect((await run(input))._tag).toBe("InvalidArguments")
    }
    const refused = await run({ customer: "x", limit: 1 })
    const { tag, text } = checkedWithin.get(sdk) ?? {
      tag: "InvalidArguments",
      text: /customer: .*has to begin with c_/
    }
    expect(refused._tag).toBe(tag)
    expect(Outcome.text(refused)).toMatch(text)
  })

  it("shows no text of a thrown error, unless it is said to be a failure", async () => {
    const hidden = await run({ customer: "c_broken", limit: 1 })
    expect(Outcome.text(hidden)).not.toContain("hunter2")
    const shown = await run({ customer: "c_broken", limit: 1 }, () => "The shop is closed")
    expect(shown._tag).toBe("Failure")
  })
})
