/** A typed module of MCP servers: generated from servers that run, checked by the compiler, and called through. */
import { createRequire } from "node:module"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Tool, Toolkit } from "@effect/ai"
import { assert, it } from "@effect/vitest"
import { McpClient, McpConfig } from "@wield/mcp"
import { Effect, Schema } from "effect"
import { messagesOf } from "../../../test/compiler/messages.js"
import { project } from "./wield.js"

const mcp = new URL("../../mcp/", import.meta.url)
const memoryServer = createRequire(new URL("package.json", mcp)).resolve(
  "@modelcontextprotocol/server-memory/package.json"
)

const file = JSON.stringify({
  mcpServers: {
    math: { command: process.execPath, args: [fileURLToPath(new URL("test/fixtures/math.mjs", mcp))] },
    memory: {
      command: process.execPath,
      args: [join(dirname(memoryServer), "dist/index.js")],
      env: { MEMORY_FILE_PATH: "${workspaceFolder}/memory.jsonl" }
    }
  }
})

/** Uses what is generated as a user's program does. */
const user = `
import { McpClient } from "@wield/mcp"
import { Effect } from "effect"
import { Tools } from "./program0.js"

export const use = (client: McpClient.Client) =>
  Effect.gen(function* () {
    const math = yield* McpClient.typed(client, Tools)
    const { sum }: { readonly sum: number } = yield* math.math_add({ a: 1, b: 2, rounding: "up" })
    // @ts-expect-error It is a number.
    yield* math.math_add({ a: "1", b: 2 })
    // @ts-expect-error There is no such tool.
    yield* math.math_subtract({})
    return sum
  })
`

/** What the module of the math server has, as far as the test uses it; that of the other server has such tools. */
const Declared = Toolkit.make(
  Tool.make("math_add", { parameters: { a: Schema.Number, b: Schema.Number }, success: Schema.Unknown }),
  Tool.make("memory_create_entities", {
    parameters: { entities: Schema.Array(Schema.Unknown) },
    success: Schema.Unknown
  }),
  Tool.make("memory_read_graph", { success: Schema.Unknown })
)

// In the folder of the tests, packages are found.
it.scopedLive("a module that is generated of MCP servers fits them, and calls through it are typed", () =>
  Effect.gen(function* () {
    const { folder, wield } = yield* project({ "mcp.json": file }, dirname(fileURLToPath(import.meta.url)))
    const generate = (server: string) =>
      Effect.gen(function* () {
        const words = ["generate", "types", "mcp.json", "--trust", "--select", `${server}_*`, "--out", `${server}.ts`]
        const { code, error } = yield* wield(words)
        assert.strictEqual(code, 0, error)
        const module = join(folder, `${server}.ts`)
        // The compiler knows nothing of a module that did not exist before.
        const { Tools } = (yield* Effect.promise(() => import(/* @vite-ignore */ module))) as {
          readonly Tools: typeof Declared
        }
        return { code: readFileSync(module, "utf8").replace("// @ts-nocheck\n", ""), Tools }
      })
    const generated = { math: yield* generate("math"), memory: yield* generate("memory") }

    const entries = yield* McpConfig.load(join(folder, "mcp.json"), { variables: {} })
    const { clients } = yield* McpConfig.connect(entries)
    const [math, memory] = clients
    assert.ok(math !== undefined && memory !== undefined)
    const { math_add } = yield* McpClient.typed(math, generated.math.Tools)
    assert.deepStrictEqual(yield* math_add({ a: 1, b: 2 }), { sum: 3 })
    const notes = yield* McpClient.typed(memory, generated.memory.Tools)
    const entity = { name: "Ada", entityType: "person", observations: ["writes programs"] }
    yield* notes.memory_create_entities({ entities: [entity] })
    assert.deepStrictEqual(yield* notes.memory_read_graph({}), { entities: [entity], relations: [] })

    const messages = yield* Effect.promise(() => messagesOf([generated.math.code, user, generated.memory.code]))
    assert.deepStrictEqual(messages, [[], [], []])
  })
)
