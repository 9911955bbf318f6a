/** Pictures of each page, wide, middle and on a phone, light and dark: `WIELD_PICTURES` names the folder to look at them in. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Redacted } from "effect"
import { disconnectAfterwards } from "../../../../test/browser/Browser.js"
import { inStudio } from "./stories.js"

disconnectAfterwards()

inStudio("shows each page at 1440, 1024 and 390 points, light and dark", async (page, _, listening) => {
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
  const call = (tool: string, args: object) => post(`/api/tools/${tool}/call`, { arguments: args })
  await call("find_orders", { text: "tea" })
  await call("crash", {})
  await call("refund", { order: "A1" })
  const waiting = await call("refund", { order: "B2", amount: 200 })
  const denied = await call("refund", { order: "C3", amount: 900 })
  const open = (address: string) => page.evaluate((hash) => void (location.hash = hash), address)
  const session = await post("/api/playground", { model: "agent" })
  await post(`/api/playground/${session.id}/prompt`, { prompt: "Please pay order A1 back, the tea was stale." })
  await page.reload()
  await open("#/approvals")
  await page.getByRole("button", { name: "Deny" }).first().waitFor()
  const approvals = (await send("GET", "/api/approvals")).approvals
  for (const { digest, id } of approvals) {
    if (id !== denied.approval) continue
    await post(`/api/approvals/${encodeURIComponent(id)}`, { digest, reply: { _tag: "Deny", reason: "Too much." } })
  }
  const { runs } = await send("GET", "/api/runs")
  const run = runs.find(({ kind }: { readonly kind: string }) => kind === "playground").id
  const pages: ReadonlyArray<readonly [name: string, address: string]> = [
    ["first", "#/"],
    ["tools", "#/tools/refund"],
    ["toolsets", "#/toolsets/orders"],
    ["new-chat", "#/playground/new"],
    ["playground", `#/playground/${session.id}`],
    ["runs", "#/runs"],
    ["run", `#/runs/${run}`],
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
})
