/** Two published versions of one MCP server, and calls that were recorded with the older one. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { project } from "./wield.js"

const mcp = createRequire(new URL("../../mcp/package.json", import.meta.url))
const own = createRequire(import.meta.url)

const server = (manifest: string) =>
  JSON.stringify({
    mcpServers: {
      files: {
        command: process.execPath,
        args: [join(dirname(manifest), "dist/index.js"), "${workspaceFolder}"],
        prefix: "",
        trust: "hints"
      }
    }
  })

const calls = [
  { name: "read_multiple_files", arguments: { paths: ["a.txt"] } },
  { name: "read_multiple_files", arguments: { paths: [] } },
  { name: "read_file", arguments: { path: "a.txt" } }
]

it.scopedLive("a server's tools of March 2025 and of August 2026 differ as its authors have changed them", () =>
  Effect.gen(function* () {
    const { wield } = yield* project({
      "old.json": server(own.resolve("server-filesystem-2025/package.json")),
      "new.json": server(mcp.resolve("@modelcontextprotocol/server-filesystem/package.json")),
      "calls.json": JSON.stringify(calls)
    })
    const compared = yield* wield(["diff", "old.json", "new.json", "--trust", "--json"])
    assert.strictEqual(compared.code, 1, compared.error)
    const { changes, level } = JSON.parse(compared.output)
    const found = (...levels: ReadonlyArray<string>): ReadonlyArray<string> =>
      changes
        .filter((change: { readonly level: string }) => levels.includes(change.level))
        .map(({ kind, part, path, tool }: Change) => [kind, tool, part, ...path].join(" "))
    assert.strictEqual(level, "major")
    assert.deepStrictEqual(found("major"), ["narrowed read_multiple_files input paths"])
    assert.includeMembers(
      [...found("minor")],
      [
        "tool-added read_text_file tool",
        "tool-added read_media_file tool",
        "tool-added list_directory_with_sizes tool",
        "added read_file input head",
        "added directory_tree input excludePatterns"
      ]
    )
    // Back, what was added is missing.
    const back = JSON.parse((yield* wield(["diff", "new.json", "old.json", "--trust", "--json"])).output)
    const removed = back.changes.filter(({ kind }: Change) => kind === "tool-removed").map(({ tool }: Change) => tool)
    assert.sameMembers(removed, ["read_text_file", "read_media_file", "list_directory_with_sizes"])

    const replay = (state: string) =>
      Effect.map(wield(["replay", "calls.json", state, "--trust", "--json"]), ({ output }) =>
        JSON.parse(output).calls.map(({ verdict }: { readonly verdict: string }) => verdict)
      )
    assert.deepStrictEqual(yield* replay("old.json"), ["valid", "valid", "valid"])
    assert.deepStrictEqual(yield* replay("new.json"), ["valid", "refused", "valid"])
  })
)

interface Change {
  readonly kind: string
  readonly part: string
  readonly path: ReadonlyArray<string>
  readonly tool: string
}
