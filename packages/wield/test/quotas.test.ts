import { ScriptedModel } from "@wield/testing"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { tool, wield } from "wield"
import { fileStore } from "wield/file"

const look = tool("look", { execute: () => "found" })
const by = ({ tenant }: { readonly tenant?: unknown }) => (typeof tenant === "string" ? tenant : undefined)

const response = (id: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "tool_use", id, name: "look", input: {} }]
})

it("calls and tokens are counted for each tenant, over all processes that have the store", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wield-quotas-"))
  const quotas = [{ name: "tenant", by, window: "1 day", calls: 1, tokens: 100 }] as const
  const process = () => wield({ tools: [look], quotas, store: fileStore({ path: join(folder, "shop.db") }) })
  const ask = async (tenant: string, input: number) => {
    await using shop = await process()
    const model = ScriptedModel.make([
      ScriptedModel.turn(ScriptedModel.usage({ input, output: 0 }), ScriptedModel.text("Hello."))
    ])
    return await shop.agent({ model }).ask("Hello?", { context: { tenant } })
  }
  const call = async (tenant: string, id: string) => {
    await using shop = await process()
    const { outcomes } = await shop.run({ context: { tenant } }).answer("anthropic", response(id))
    return outcomes.map(({ _tag }) => _tag)
  }
  expect(await call("acme", "a")).toEqual(["Success"])
  expect(await call("acme", "b")).toEqual(["Limited"])
  expect(await call("zenith", "c")).toEqual(["Success"])
  expect(await ask("acme", 100)).toMatchObject({ _tag: "Finished" })
  expect(await ask("acme", 1)).toMatchObject({ _tag: "Stopped", by: "100 tokens per 1d (tenant)" })
  expect(await ask("zenith", 1)).toMatchObject({ _tag: "Finished" })
  await rm(folder, { recursive: true })
})

it("without a store each program counts for itself", async () => {
  for (const tenant of ["acme", "acme"]) {
    await using shop = await wield({ tools: [look], quotas: [{ name: "tenant", by, window: "1 day", calls: 1 }] })
    const { outcomes } = await shop.run({ context: { tenant } }).answer("anthropic", response("a"))
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Success"])
  }
})
