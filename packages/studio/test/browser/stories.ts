/** Stories of people at the page, each with a shop and a browser context of its own. */
import { expect, it } from "@effect/vitest"
import { Studio } from "@wield/studio"
import { Effect, Redacted } from "effect"
import type { BrowserContextOptions, Page } from "playwright-core"
import { openContext } from "../../../../test/browser/Browser.js"
import { makeShop, type Shop } from "../shop.js"

/** A page, and what its console and its content security policy reported. */
export const openPage = (options: BrowserContextOptions = {}) =>
  Effect.gen(function* () {
    const context = yield* Effect.acquireRelease(
      Effect.promise(() => openContext(options)),
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

type Story = (page: Page, shop: Shop, listening: Studio.Listening) => Promise<void>

const tell = (story: Story, access: Parameters<typeof makeShop>[0], context: BrowserContextOptions = {}) =>
  Effect.gen(function* () {
    const shop = yield* makeShop(access)
    const listening = yield* Studio.serve(shop.options)
    const { page, reports } = yield* openPage(context)
    yield* Effect.promise(() => connect(page, listening))
    yield* Effect.promise(() => story(page, shop, listening))
    expect(reports).toEqual([])
  })

/** A story that begins at the list of tools. */
export const inStudio = (name: string, story: Story) =>
  it.scoped(name, () =>
    tell(async (page, ...others) => {
      await page.getByRole("navigation").getByRole("link", { name: "Tools", exact: true }).click()
      await page.getByRole("listbox", { name: "Tools" }).waitFor()
      await story(page, ...others)
    }, {})
  )

/** A story that begins at the first page, by the clock on the wall. */
export const fromTheStart = (
  name: string,
  story: Story,
  access: Parameters<typeof makeShop>[0] = {},
  context: BrowserContextOptions = {}
) => it.scopedLive(name, () => tell(story, access, context))
