/** Calls that a program or a sub-agent behind an MCP server has made, and that need a person's answer. */
import { expect, it } from "@effect/vitest"
import { CodeMode } from "@wield/code-mode"
import { Approval, Toolset } from "@wield/core"
import { McpServer, McpTest } from "@wield/mcp"
import { Effect } from "effect"

it.scoped.each([{ elicitation: {} }, {}])("say what waits and what to do, to a client that can do %j", (capabilities) =>
  Effect.gen(function* () {
    const done: Array<string> = []
    const toolset = yield* Toolset.dynamic(
      ["look", "pay"].map((name) => ({ name, execute: () => Effect.sync(() => done.push(name)) }))
    )
    const programs = yield* CodeMode.make(toolset, {
      policy: { approval: ({ name }) => (name === "pay" ? Approval.ask("it costs") : Approval.allow) }
    })
    const server = yield* McpServer.make({ name: "shop", version: "1", toolset: programs })
    const client = yield* McpTest.pair(server, { capabilities })
    const code = "await tools.look(); return await Promise.all([tools.pay(), tools.pay()])"
    const ended = yield* client.request("tools/call", { name: "run_program", arguments: { code } })
    expect(ended).toMatchObject({ isError: true })
    const text = JSON.stringify(ended)
    expect(text).toContain("it has made calls that need a person's answer (pay)")
    expect(text).toContain("These calls were not run; what had run before stays done")
    expect(text).toContain("call pay directly where this server offers that")
    expect(done).toEqual(["look"])
  })
)
