import { expect, it } from "@effect/vitest"
import { Studio } from "@wield/studio"
import { Effect, Redacted } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { gzipSync } from "node:zlib"
import { disconnectAfterwards, findAxeProblems, openContext } from "../../../../test/browser/Browser.js"
import { buildPage } from "../../ui/build.js"
import { makeShop } from "../shop.js"

disconnectAfterwards()

/** A page of a real studio, and what its console and its content security policy reported. */
const openStudio = Effect.gen(function* () {
  const shop = yield* makeShop()
  const { url } = yield* Studio.serve(shop.options)
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => openContext()),
    (opened) => Effect.promise(() => opened.close())
  )
  const page = yield* Effect.promise(() => context.newPage())
  const reports: Array<string> = []
  page.on("pageerror", ({ message }) => reports.push(message))
  page.on("console", (message) => {
    if (/security policy|trusted/i.test(message.text())) reports.push(message.text())
  })
  yield* Effect.promise(() => page.goto(Redacted.value(url)))
  yield* Effect.promise(() => page.getByText("Connected").waitFor())
  return { page, reports }
})

const inStudio = (name: string, story: (page: Page) => Promise<void>) =>
  it.scoped(name, () =>
    Effect.gen(function* () {
      const { page, reports } = yield* openStudio
      yield* Effect.promise(() => story(page))
      expect(reports).toEqual([])
    })
  )

it("keeps the page below 60 kB, gzipped", async () => {
  const folder = await buildPage()
  const sizes = readdirSync(folder).map((file) => gzipSync(readFileSync(join(folder, file))).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000)
})

inStudio("takes the token out of the address, and calls a tool by mouse", async (page) => {
  expect(page.url()).not.toContain("#")
  await page.getByRole("option", { name: /find_orders/ }).click()
  await page.getByLabel("text").fill("tea")
  await page.getByRole("button", { name: "Call", exact: true }).click()
  await page.getByText("The tool succeeded.").waitFor()
  expect(await page.getByRole("region", { name: "What the model reads" }).textContent()).toContain("A1 tea")
})

inStudio("calls a tool by keyboard alone, points at wrong arguments, and asks for approval", async (page) => {
  await page.getByRole("searchbox", { name: "Search tools" }).focus()
  await page.keyboard.type("refund")
  await page.getByRole("option", { name: /refund/ }).waitFor()
  await page.getByRole("listbox", { name: "Tools" }).focus()
  await page.keyboard.press("Enter")
  await page.getByLabel("order").focus()
  await page.keyboard.type("A1")
  await page.keyboard.press("Enter")
  await page.getByRole("alert").waitFor()
  expect(await page.getByLabel("amount").getAttribute("aria-invalid")).toBe("true")
  await page.getByLabel("amount").focus()
  await page.keyboard.type("200")
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "Answer it" }).focus()
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Approve" }).focus()
  await page.keyboard.press("Enter")
  await page.getByText("Nothing waits").waitFor()
})

inStudio("has nothing that axe finds wrong, light and dark, wide and at 360 px", async (page) => {
  await page.getByRole("option", { name: /find_orders/ }).click()
  await page.getByRole("heading", { name: "find_orders" }).waitFor()
  expect(await findAxeProblems(page)).toEqual([])
  await page.emulateMedia({ colorScheme: "dark" })
  await page.setViewportSize({ width: 360, height: 720 })
  expect(await findAxeProblems(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
})
