/** Pictures of each page, wide, middle and on a phone, light and dark: `WIELD_PICTURES` names the folder to look at them in. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import type { Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Redacted } from "effect"
import { disconnectAfterwards } from "../../../../test/browser/Browser.js"
import { fromTheStart } from "./stories.js"

disconnectAfterwards()

/** Results of several kinds, some of which take a while. */
const tools: ReadonlyArray<Toolset.DynamicTool> = [
  {
    name: "list_teas",
    description: "The teas that are there, with their prices",
    execute: () =>
      Effect.delay(
        Effect.succeed([
          { name: "Sencha", price: 9.5, left: 12, page: "https://shop.example/sencha" },
          { name: "Lapsang Souchong", price: 14, left: 3, page: "https://shop.example/lapsang" },
          { name: "Rooibos", price: 7, left: 0, page: "https://shop.example/rooibos" }
        ]),
        "400 millis"
      )
  },
  {
    name: "write_letter",
    description: "A letter to a customer",
    inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    execute: ({ to }) =>
      Effect.succeed({
        subject: "Your order",
        text: `## Dear ${String(to)}\n\nWe are **sorry**. You can\n\n- have it sent again\n- have it [paid back](https://shop.example/back)`,
        copies: ["shop@shop.example", "archive@shop.example"]
      })
  }
]

const { call, text, turn } = ScriptedModel

const script = [
  turn(text("I look at the order, and at what we have. "), call("list_teas", {}), call("find_orders", { text: "A1" })),
  turn(call("crash", {})),
  turn(call("refund", { order: "A1", amount: 200 }))
]

fromTheStart(
  "shows each page at 1440, 1024 and 390 points, light and dark",
  async (page, _, listening) => {
    const asked = process.env["WIELD_PICTURES"]
    const folder = asked ?? mkdtempSync(join(tmpdir(), "wield-pictures-"))
    mkdirSync(folder, { recursive: true })
    const { hash, origin } = new URL(Redacted.value(listening.url))
    const send = async (method: string, path: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${hash.slice(1)}`, "content-type": "application/json" }
      const answer = await fetch(origin + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      // oxlint-disable-next-line typescript/no-explicit-any
      return (await answer.json()) as any
    }
    const post = (path: string, body: unknown) => send("POST", path, body)
    const callByHand = (tool: string, args: object) => post(`/api/tools/${tool}/call`, { arguments: args })
    await callByHand("find_orders", { text: "tea" })
    await callByHand("crash", {})
    await callByHand("refund", { order: "A1" })
    await callByHand("write_letter", { to: "Ms Green" })
    const waiting = await callByHand("refund", { order: "B2", amount: 200 })
    const denied = await callByHand("refund", { order: "C3", amount: 900 })
    const changed = await callByHand("refund", { order: "D4", amount: 500 })
    const session = await post("/api/playground", { model: "agent" })
    await post(`/api/playground/${session.id}/prompt`, { prompt: "Please pay order A1 back, the tea was stale." })
    const list = async () => (await send("GET", "/api/approvals")).approvals
    while ((await list()).length < 4) await page.waitForTimeout(50)
    for (const { digest, id } of await list()) {
      const path = `/api/approvals/${encodeURIComponent(id)}`
      if (id === denied.approval)
        await post(path, { digest, reply: { _tag: "Deny", reason: "Too much for stale tea." } })
      if (id !== changed.approval) continue
      await post(path, { digest, reply: { _tag: "ApproveWith", arguments: { order: "D4", amount: 50 } } })
    }
    const open = (address: string) => page.evaluate((hash) => void (location.hash = hash), address)
    const { runs } = await send("GET", "/api/runs")
    const run = runs.find(({ kind }: { readonly kind: string }) => kind === "playground").id
    const letter = runs.find(({ name }: { readonly name: string }) => name === "write_letter").id
    const pages: ReadonlyArray<readonly [name: string, address: string]> = [
      ["first", "#/"],
      ["tools", "#/tools/refund"],
      ["toolsets", "#/toolsets/orders"],
      ["new-chat", "#/playground/new"],
      ["playground", `#/playground/${session.id}`],
      ["runs", "#/runs"],
      ["run", `#/runs/${run}/.1.0`],
      ["result", `#/runs/${letter}/.0`],
      ["compare", `#/runs/${run}/with:${letter}`],
      ["approvals", `#/approvals/${waiting.approval}`],
      ["conversation", `#/conversations/${session.conversation}`]
    ]
    try {
      for (const [width, height] of [
        [1440, 900],
        [1024, 768],
        [390, 844]
      ] as const) {
        await page.setViewportSize({ width, height })
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme })
          for (const [name, address] of pages) {
            await open(address)
            await page.waitForTimeout(300)
            const picture = await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) })
            // A blank page is smaller.
            expect(picture.length).toBeGreaterThan(8_000)
          }
        }
      }
    } finally {
      if (asked === undefined) rmSync(folder, { recursive: true })
    }
  },
  { tools, script }
)
