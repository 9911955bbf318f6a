/**
 * Serves the recorded tools of MCP servers again and lists them as clients of several revisions do: what the revision can
 * say has to arrive as it was recorded.
 */
import { readFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { join } from "node:path"
import { Facts, type Json, Toolset } from "@wield/core"
import { McpServer, McpTest } from "@wield/mcp"
import { Cause, Effect } from "effect"
import { filesIn, withUnreadable } from "./folder.js"
import type { Report } from "./Report.js"

export const part = "mcp"

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

export const run = async (folder: string): Promise<Report> => {
  const material = join(folder, part, "tools-list")
  const failures: Array<string> = []
  const table: Array<ReadonlyArray<string | number>> = [["server", "tools", ...revisions]]
  let passed = 0
  for (const file of filesIn(material, ".json")) {
    const tools = readTools(join(material, file))
    if (typeof tools === "string") {
      failures.push(`${file}: ${tools}`)
      continue
    }
    const counts: Array<number> = []
    for (const revision of revisions) {
      const wrong = await differences(tools, revision)
      failures.push(...wrong.map((difference) => `${file}, ${revision}: ${difference}`))
      counts.push(tools.length - wrong.length)
      passed += tools.length - wrong.length
    }
    table.push([file, tools.length, ...counts])
  }
  return withUnreadable({
    table,
    notes: [
      "Each recorded tool is served by Wield and listed in every revision. A column has the tools whose name, description and",
      "input schema arrive unchanged, and whose title, annotations and output schema do where the revision has them."
    ],
    passed,
    failures
  })
}

interface Recorded {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Json.JsonObject
  readonly outputSchema?: Json.JsonObject
  readonly annotations?: Json.JsonObject
}

/** The tools of a file, or why it has none. */
const readTools = (file: string): ReadonlyArray<Recorded> | string => {
  try {
    const { tools } = JSON.parse(readFileSync(file, "utf8")) as { readonly tools?: unknown }
    return Array.isArray(tools) ? (tools as ReadonlyArray<Recorded>) : "there is no list of tools"
  } catch (error) {
    return `it cannot be read: ${String(error)}`
  }
}

const factsOf = ({ annotations = {}, title }: Recorded): Partial<Facts.Facts> => ({
  title,
  isReadOnly: annotations["readOnlyHint"] === true,
  isDestructive: annotations["readOnlyHint"] !== true && annotations["destructiveHint"] !== false,
  isIdempotent: annotations["idempotentHint"] === true,
  isOpenWorld: annotations["openWorldHint"] !== false
})

/** What of the tools does not arrive at a client of the revision. */
const differences = (tools: ReadonlyArray<Recorded>, revision: string): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic(
      tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        inputSchema: tool.inputSchema,
        outputSchema: tool.outputSchema,
        facts: Facts.make(factsOf(tool)),
        execute: () => Effect.succeed({})
      }))
    )
    const server = yield* McpServer.make({ name: "recorded", version: "1.0.0", toolset })
    const client = yield* McpTest.pair(server, { revision })
    const listed = (yield* client.request("tools/list"))["tools"] as never as ReadonlyArray<Recorded>
    return tools.flatMap((tool) => {
      const expected = expectedOf(tool, revision)
      const found = listed.find(({ name }) => name === tool.name)
      const wrong = Object.entries(expected).flatMap(([field, value]) => {
        const arrived = found?.[field as keyof Recorded]
        // Hints that the recorded server left out have their defaults.
        const compared = field === "annotations" ? { ...(arrived as object), ...(value as object) } : value
        return isDeepStrictEqual(arrived, compared)
          ? []
          : [`${field} is ${JSON.stringify(arrived)}, not ${JSON.stringify(value)}`]
      })
      return wrong.length === 0 ? [] : [`${tool.name}: ${wrong.join("; ")}`]
    })
  }).pipe(
    Effect.scoped,
    Effect.catchAllCause((cause) =>
      Effect.succeed(tools.map((_, index) => `tool ${index + 1} cannot be served: ${Cause.pretty(cause)}`))
    ),
    Effect.runPromise
  )

const expectedOf = (tool: Recorded, revision: string): Partial<Recorded> => {
  const { annotations, description, inputSchema, name, outputSchema, title } = tool
  return {
    name,
    inputSchema,
    ...(description === undefined ? {} : { description }),
    ...(annotations === undefined || revision < "2025-03-26" ? {} : { annotations }),
    ...(title === undefined || revision < "2025-06-18" ? {} : { title }),
    ...(outputSchema === undefined || revision < "2025-06-18" ? {} : { outputSchema })
  }
}
