/**
 * Three tools for each server instead of all of its own: a model searches,
 * describes and invokes. Servers with hundreds of tools cost a few hundred
 * tokens, and a lazy one starts when it is first searched.
 */
import type { ToolDefinition } from "@wield/core"
import { CallLost } from "@wield/core/CallLost"
import * as CurrentCall from "@wield/core/CurrentCall"
import { once } from "@wield/core/Fibers"
import * as Json from "@wield/core/Json"
import { NeedsInput } from "@wield/core/NeedsInput"
import * as Outcome from "@wield/core/Outcome"
import * as Response from "@wield/core/Response"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import type { Client } from "./McpClient.js"
import type { McpError } from "./McpError.js"
import type { McpTool } from "./internal/content.js"

/**
 * `mcp_search_S`, `mcp_describe_S` and `mcp_invoke_S` for each server S. A policy
 * for invocations is a rule of `mcp_invoke_S`: its arguments name the tool and
 * have its arguments. Fails where two servers have one name.
 *
 * @category constructors
 */
export const tools = (clients: ReadonlyArray<Client>): ReturnType<typeof Toolset.dynamic<never>> =>
  Toolset.dynamic(clients.flatMap((client) => toolsOf(client, once(ToolRunner.make(client.toolset)))))

type MakeRunner = ReturnType<typeof ToolRunner.make<Toolset.DynamicTools, never, McpError>>

/** The runner is made when a tool is first invoked: a lazy server starts no sooner. */
const toolsOf = (client: Client, makeRunner: MakeRunner): ReadonlyArray<Toolset.DynamicTool> => {
  const suffix = client.name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 48)
  const find = (name: unknown) =>
    Effect.flatMap(client.listTools, (all) => {
      const tool = all.find((one) => one.name === name)
      return tool === undefined
        ? Effect.fail(`There is no tool named ${JSON.stringify(name)}. Search for one with mcp_search_${suffix}.`)
        : Effect.succeed(tool)
    })
  return [
    {
      name: `mcp_search_${suffix}`,
      description: `Search the tools of the MCP server ${client.name}. Returns names and descriptions.`,
      facts: { kind: "api", isReadOnly: true, isDestructive: false, isIdempotent: true },
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", description: "Words about what the tool should do" },
          top_k: { type: "integer", minimum: 1, maximum: 100, default: 8, description: "At most so many results" }
        },
        required: ["query"]
      },
      execute: ({ query, top_k: most = 8 }) =>
        Effect.map(client.listTools, (all) =>
          search(all, String(query), Number(most)).map(({ description = "", name }) => ({ name, description }))
        )
    },
    {
      name: `mcp_describe_${suffix}`,
      description: `Describe a tool of the MCP server ${client.name}: its parameters as JSON Schema.`,
      facts: { kind: "api", isReadOnly: true, isDestructive: false, isIdempotent: true },
      inputSchema: { type: "object", properties: { tool: { type: "string" } }, required: ["tool"] },
      execute: ({ tool }) =>
        Effect.map(find(tool), ({ description = "", inputSchema, name }) => ({ name, description, inputSchema }))
    },
    {
      name: `mcp_invoke_${suffix}`,
      description: `Invoke a tool of the MCP server ${client.name}. Describe it first to learn its parameters.`,
      facts: { kind: "api" },
      inputSchema: {
        type: "object",
        properties: {
          tool: { type: "string" },
          // Some models write the inner arguments as text.
          arguments: { type: ["object", "string"], description: "As described" }
        },
        required: ["tool"]
      },
      execute: ({ arguments: given = {}, tool }) =>
        Effect.gen(function* () {
          const { name } = yield* find(tool)
          const { entries } = yield* client.toolset.offer
          const offered = [...entries.values()].find(({ definition }) => nameOf(definition) === name)
          const own = offered?.definition.name ?? name
          // Checks the arguments, and says what a model has to correct.
          const runner = yield* makeRunner
          const call = ToolCall.make("invoke", own, given)
          const { input } = yield* CurrentCall.CurrentCall
          const outcome =
            input === undefined
              ? yield* runner.run(call)
              : yield* runner.forRun({}).resume({ call, name: own, ...waitingOf(input) }, Response.reply(input.reply))
          if (Outcome.isDeferred(outcome) && outcome.input !== undefined) {
            const { accepts, asks } = outcome.input
            return yield* new NeedsInput({
              asks,
              accepts,
              state: Json.from({ digest: outcome.digest, input: outcome.input })
            })
          }
          if (outcome._tag === "Uncertain") return yield* new CallLost({ reason: `the call of ${own} was lost` })
          if (outcome._tag === "Success") return outcome.result
          return yield* Effect.fail({ tool_call_error: `MCP tool invocation failed: ${Outcome.text(outcome) ?? ""}` })
        })
    }
  ]
}

/** What of the inner call its reply names. */
const waitingOf = ({ state }: NonNullable<CurrentCall.Call["input"]>) => {
  const { digest, input } = Json.isObject(state) ? state : {}
  return { digest: String(digest), input }
}

/** The server's own name of a tool. */
const nameOf = ({ native }: ToolDefinition.ToolDefinition): unknown =>
  Json.isObject(native?.json) ? native.json["name"] : undefined

/** Tools that have the words of a query, those with most of them first; a word in the name counts more. */
const search = (all: ReadonlyArray<McpTool>, query: string, most: number): ReadonlyArray<McpTool> => {
  const words = wordsOf(query)
  const rank = ({ description = "", name, title = "" }: McpTool): number => {
    const [inName, inText] = [wordsOf(`${name} ${title}`), wordsOf(description)]
    const score = (word: string): number => count(inName, word) * 3 + Math.min(3, count(inText, word))
    return words.reduce((sum, word) => sum + score(word), 0)
  }
  return all
    .map((tool, place) => ({ tool, place, rank: rank(tool) }))
    .filter(({ rank: found }) => found > 0 || words.length === 0)
    .sort((left, right) => right.rank - left.rank || left.place - right.place)
    .slice(0, most)
    .map(({ tool }) => tool)
}

const count = (words: ReadonlyArray<string>, word: string): number =>
  words.filter((one) => one === word || (word.length > 3 && one.startsWith(word))).length

/** `readTextFile` and `read_text_file` are three words. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []
