/** The format of the page "Add a provider", built from its blocks alone. */
import { expect, it } from "@effect/vitest"
import type { WireFormat } from "@wield/providers"
import { Outcome, ToolDefinition, Turn } from "@wield/core"
import { Either } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { messagesOf } from "../../../test/compiler/messages.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..")
const page = readFileSync(join(root, "docs/add-a-provider.md"), "utf8")
const files = Array.from(page.matchAll(/```text\n\/\/ (\w+\.ts)\n([^]*?)```/g), ([, name = "", code = ""]) => ({
  name,
  code: code.replaceAll('from "../', 'from "../../packages/providers/src/')
}))

type Built = Pick<WireFormat.WireFormat, "decodeTurn" | "encodeResults" | "encodeTools" | "decodeError">

it("is short, and its blocks are correct programs", async () => {
  expect(page.split("\n").length).toBeLessThanOrEqual(151)
  const programs = files.map(({ code }) =>
    files.reduce(
      (text, { name }, index) => text.replaceAll(`"./${name.replace(".ts", ".js")}"`, `"./program${index}.js"`),
      code
    )
  )
  expect(await messagesOf(programs)).toEqual(programs.map(() => []))
})

it("builds a format that works", async () => {
  const parent = join(root, ".docs-check")
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, "acme-"))
  try {
    for (const { code, name } of files) writeFileSync(join(folder, name), code)
    const modules = await Promise.all(files.map(({ name }) => import(join(folder, name)) as Promise<object>))
    // The page's own exports.
    const acme = Object.assign({}, ...modules) as Built

    const definitions = [ToolDefinition.make({ name: "shop/Orders", description: "Lists orders" })]
    const tools = acme.encodeTools(definitions, { choice: { _tag: "Required" }, isParallel: false })
    expect(tools.body).toMatchObject({ tools: [{ about: "Lists orders" }], use: "always" })
    expect(tools.losses.map(({ keyword }) => keyword)).toEqual(["isParallel"])

    const sent = (tools.body["tools"] as ReadonlyArray<{ name: string }>)[0]?.name
    const reply = { by: "bot", text: "Let me look.", calls: [{ id: "c1", tool: sent, input: { open: true } }] }
    const body = { reply, ended: "done", tokens: { in: 3, out: 4 } }
    const turn = Either.getOrThrow(acme.decodeTurn(body, { definitions }))
    expect(Turn.calls(turn)).toEqual([{ id: "c1", name: "shop/Orders", arguments: { open: true } }])
    expect(turn).toMatchObject({ finish: "calls", usage: { input: 3, output: 4 } })
    expect(Either.isLeft(acme.decodeTurn({ hello: "world" }))).toBe(true)

    const outcomes = Turn.calls(turn).map((call) => Outcome.denial(call, "not today"))
    const answer = { by: "tool", call: "c1", text: expect.stringMatching(/^Error: .*not today/) }
    expect(acme.encodeResults(turn, outcomes)).toMatchObject({ messages: [reply, answer], pending: [], losses: [] })
    const foreign = acme.encodeResults({ ...turn, format: "other" }, outcomes)
    expect(foreign.messages).toMatchObject([reply, answer])

    expect(
      acme.decodeError({ status: 429, headers: { "retry-after": "2" }, body: { code: "slow_down" } })
    ).toMatchObject({
      _tag: "RateLimited",
      retryAfter: 2000
    })
    expect(acme.decodeError({ status: 400, body: { code: "too_long" } })._tag).toBe("ContextOverflow")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
