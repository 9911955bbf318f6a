/** Keyboard users keep their place while the page changes around them. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { disconnectAfterwards } from "../../../../test/browser/Browser.js"
import type { Shop } from "../shop.js"
import { inStudio } from "./stories.js"

disconnectAfterwards()

/** The element and the name of what has the focus. */
const focusOf = (page: Page) =>
  page.evaluate(() => {
    const { ariaLabel, localName, textContent } = document.activeElement!
    return `${localName}: ${ariaLabel ?? textContent}`
  })

const askForRefund = ({ post }: Shop, order: string) =>
  Effect.runPromise(post("/api/tools/refund/call", { arguments: { order, amount: 200 } }))

const open = (page: Page, address: string) => page.evaluate((hash) => void (location.hash = hash), address)

inStudio("leaves the focus on a button that was reached before what the page puts off", async (page, shop) => {
  await page.clock.install()
  const { json } = await askForRefund(shop, "A1")
  // Frames and timers stand still: what the page puts off has not happened when the button is there.
  await page.clock.pauseAt(new Date(Date.now() + 2000))
  await open(page, `#/approvals/${json.approval}`)
  const approve = page.getByRole("button", { name: "Approve", exact: true })
  await approve.focus()
  await page.clock.runFor(200)
  await askForRefund(shop, "B2")
  await approve.nth(1).waitFor()
  await page.clock.fastForward(20_000)
  expect(await focusOf(page)).toBe("button: Approve")
  await page.keyboard.press("Enter")
  await approve.nth(1).waitFor({ state: "detached" })
  expect(await focusOf(page)).toBe("main: Approvals")
})

inStudio("leaves the focus on a button whose request is on its way, and after it failed", async (page) => {
  await page.getByRole("option", { name: /find_orders/ }).click()
  await page.route("**/call", (route) => route.abort())
  await page.getByRole("button", { name: "Call", exact: true }).focus()
  await page.keyboard.press("Enter")
  await page.getByRole("alert").waitFor()
  expect(await focusOf(page)).toBe("button: Call")
})

inStudio("keeps typed arguments while the tool cannot be loaded again", async (page, { store }) => {
  const { id } = await Effect.runPromise(store.create({ title: "Tea" }))
  await page.reload()
  await page.getByRole("option", { name: /find_orders/ }).click()
  await page.getByLabel("text").fill("tea")
  await page.route("**/api/tools/find_orders*", (route) => route.fulfill({ status: 502, json: { message: "away" } }))
  const asked = page.waitForResponse("**/api/tools/find_orders*")
  await page.getByLabel("On offer in").selectOption(id)
  await asked
  await page.evaluate(() => new Promise(requestAnimationFrame))
  expect(await page.getByLabel("text").inputValue()).toBe("tea")
})

inStudio("keeps the keyboard's place in a list that grows above it", async (page, shop) => {
  const { json } = await askForRefund(shop, "A1")
  await Effect.runPromise(shop.post("/api/tools/find_orders/call", { arguments: { text: "tea" } }))
  await open(page, "#/runs")
  const list = page.getByRole("listbox", { name: "Runs" })
  await list.focus()
  await page.keyboard.press("End")
  await askForRefund(shop, "B2")
  await list.getByRole("option").nth(2).waitFor()
  await page.keyboard.press("Enter")
  await page.waitForURL(`**/#/runs/${json.run}`)
})

inStudio("moves on from a list that a narrow window hides behind what was chosen in it", async (page) => {
  await page.setViewportSize({ width: 640, height: 400 })
  await page.getByRole("listbox", { name: "Tools" }).focus()
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "All tools" }).waitFor()
  expect(await focusOf(page)).toBe("main: Tools")
  await page.keyboard.press("Tab")
  expect(await focusOf(page)).toBe("a: All tools")
})
