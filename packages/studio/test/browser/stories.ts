/** Stories of people at the page, each with a shop and a browser context of its own. */
import { expect, it } from "@effect/vitest"
import { Studio } from "@wield/studio"
import { Effect, Redacted } from "effect"
import type { Page } from "playwright-core"
import { openContext } from "../../../../test/browser/Browser.js"
import { makeShop, type Shop } from "../shop.js"

/** A page, and what its console and its content security policy reported. */
export const openPage = Effect.gen(function* () {
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
  return { page, reports }
})

export const connect = async (page: Page, { url }: Studio.Listening): Promise<void> => {
  await page.goto(Redacted.value(url))
  await page.getByText("Connected").waitFor()
}

export const inStudio = (name: string, story: (page: Page, shop: Shop, listening: Studio.Listening) => Promise<void>) =>
  it.scoped(name, () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const listening = yield* Studio.serve(shop.options)
      const { page, reports } = yield* openPage
      yield* Effect.promise(() => connect(page, listening))
      yield* Effect.promise(() => story(page, shop, listening))
      expect(reports).toEqual([])
    })
  )
