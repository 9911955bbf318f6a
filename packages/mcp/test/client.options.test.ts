/** Options that a program without a compiler may give. */
import { assert, it } from "@effect/vitest"
import { McpClient } from "@wield/mcp"
import { Effect } from "effect"

const wrong: ReadonlyArray<readonly [object, string]> = [
  [{ tool: { only: ["read"] } }, 'tool must be named as an option is (did you mean "tools"?), but is named "tool"'],
  [
    { tools: { exept: ["delete"] } },
    'tools.exept must be named as an option is (did you mean "except"?), but is named "exept"'
  ],
  [{ tools: { only: "read" } }, 'tools.only must be an array of texts, but is "read"'],
  [{ tools: ["read"] }, "tools must be an object, but is an array of 1"],
  [
    { limits: { timeout: 5 } },
    'limits.timeout must be named as an option is (there are connect, probe, call, total, messageBytes, items, pages), but is named "timeout"'
  ],
  [{ limits: { call: "5 seconds" } }, 'limits.call must be a number of at least 0, but is "5 seconds"'],
  [{ onDrift: "refuse" }, 'onDrift must be "withhold" or "strict" or "accept" or a function, but is "refuse"'],
  [{ trust: true }, 'trust must be "none" or "hints", but is true'],
  [{ start: "lasy" }, 'start must be "eager" or "lazy", but is "lasy"']
]

const server = McpClient.transport(Effect.dieMessage("no server is started"))

it.scoped.each(wrong)("a server is not connected with %j", ([options, problem]) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.asVoid(McpClient.connect("files", server, options as McpClient.Options)))
    assert.strictEqual(error.message, `No connection to the MCP server files: ${problem}`)
  })
)

it.scoped("what is undefined counts as absent, and a limit may be none", () =>
  McpClient.connect("files", server, {
    start: "lazy",
    trust: undefined,
    tools: { only: undefined },
    limits: { call: Infinity }
  })
)
