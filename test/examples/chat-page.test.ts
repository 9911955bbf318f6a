import { describe, expect, it } from "@effect/vitest"
import { ConversationStore } from "@wield/agent"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { serveShop } from "../../examples/chat-page/server.js"
import { disconnectAfterwards, findAxeProblems, openContext } from "../browser/Browser.js"

disconnectAfterwards()

/** Holds the shop after some pieces of what it does, until the test lets it go on. */
const makeGate = () => {
  const latch = Effect.runSync(Effect.makeLatch())
  let left = Number.POSITIVE_INFINITY
  return {
    pace: Effect.suspend(() => (left-- > 0 ? Effect.void : latch.await)),
    holdAfter: (pieces: number) => {
      left = pieces
    },
    open: () => Effect.runSync(latch.open)
  }
}

interface Visit {
  readonly page: Page
  readonly refunds: ReadonlyArray<{ readonly order: string; readonly amount: number }>
  readonly gate: ReturnType<typeof makeGate>
  /** Another tab of the same customer. */
  readonly openTab: () => Promise<Page>
  readonly reports: ReadonlyArray<string>
}

const visit = (name: string, story: (visit: Visit) => Promise<void>) =>
  it.scopedLive(name, () =>
    Effect.gen(function* () {
      const gate = makeGate()
      const { refunds, url } = yield* serveShop({ pace: gate.pace })
      const context = yield* Effect.acquireRelease(
        Effect.promise(() => openContext()),
        (opened) => Effect.promise(() => opened.close())
      )
      const reports: Array<string> = []
      const openTab = async (address: string) => {
        const page = await context.newPage()
        page.on("pageerror", ({ message }) => reports.push(message))
        page.on("console", (message) => {
          if (/security policy|react/i.test(message.text())) reports.push(message.text())
        })
        await page.goto(address)
        await page.getByRole("textbox", { name: "Message" }).waitFor()
        return page
      }
      const page = yield* Effect.promise(() => openTab(url))
      yield* Effect.promise(() => story({ page, refunds, gate, openTab: () => openTab(page.url()), reports }))
      expect(reports).toEqual([])
    }).pipe(Effect.provide(ConversationStore.layerMemory))
  )

const say = async (page: Page, text: string) => {
  await page.getByRole("textbox", { name: "Message" }).fill(text)
  await page.keyboard.press("Enter")
}

const textOf = (page: Page) => page.getByRole("log").innerText()

describe("the chat page", () => {
  visit("shows text, a call with its input and result, and lights up a tea in the page itself", async ({ page }) => {
    await say(page, "Have you a green tea?")
    await page.getByText("There it is, in the window.").waitFor()
    expect(await page.locator("[aria-current=true]").innerText()).toContain("Sencha")
    const before = await textOf(page)
    const call = page.getByRole("group").filter({ hasText: "find_tea" })
    await call.getByText("find_tea").click()
    expect(await call.innerText()).toContain('Input: {"word":"green"}')
    expect(await call.innerText()).toContain('"name":"Sencha"')
    expect(await findAxeProblems(page)).toEqual([])
    await page.reload()
    await page.getByText("There it is, in the window.").waitFor()
    expect(await textOf(page)).toBe(before)
  })

  visit("pays back with a changed amount, and not what was denied", async ({ page, refunds }) => {
    await say(page, "Pay back both orders")
    const first = page.getByRole("form", { name: "Pay back A1?" })
    const second = page.getByRole("form", { name: "Pay back A2?" })
    await second.getByLabel("Reason").fill("it was drunk")
    expect(await findAxeProblems(page)).toEqual([])
    await second.getByRole("button", { name: "Deny" }).click()
    await first.getByLabel("Amount").fill("5.50")
    await first.getByRole("button", { name: "Approve with changes" }).click()
    await page.getByText("5.50 € are on their way").waitFor()
    await page.getByText("refund was not done").waitFor()
    expect(refunds).toMatchObject([{ order: "A1", amount: 5.5 }])
    expect(refunds.length).toBe(1)
    expect(await page.getByText("Pay back A2?").count()).toBe(0)
  })

  visit("takes one answer after the other, also from another tab", async ({ openTab, page, refunds }) => {
    await say(page, "Pay back both orders")
    const second = page.getByRole("form", { name: "Pay back A2?" })
    await second.getByLabel("Amount").fill("40")
    await second.getByRole("button", { name: "Approve with changes" }).click()
    await second.waitFor({ state: "detached" })
    expect(refunds).toMatchObject([{ order: "A2", amount: 40 }])
    const tab = await openTab()
    await tab.getByRole("button", { name: "Deny" }).click()
    await tab.getByText("40.00 € are on their way").waitFor()
    // The first tab does not know it yet, and says something else.
    await page.getByRole("button", { name: "Approve" }).click()
    await page.getByRole("alert").waitFor()
    expect(await page.getByRole("alert").innerText()).toContain("the first answer counts")
    expect(refunds.length).toBe(1)
  })

  visit("reads on after a reload in mid-stream, and in a second tab, without loss or repetition", async (shop) => {
    const { gate, openTab, page } = shop
    gate.holdAfter(12)
    await say(page, "Tell me a story")
    await page.getByText("Long ago").waitFor()
    await page.reload()
    await page.getByText("Long ago").waitFor()
    const tab = await openTab()
    await tab.getByText("Long ago").waitFor()
    expect(await page.getByText("they say.").count()).toBe(0)
    gate.open()
    for (const one of [page, tab]) {
      await one.getByText("they say.").waitFor()
      const text = await textOf(one)
      expect(text.match(/Long ago/g)?.length).toBe(1)
      expect(text.match(/The wind turned them/g)?.length).toBe(8)
      expect(text.match(/Tell me a story/g)?.length).toBe(1)
    }
  })

  visit("stops an answer, and takes the next message", async ({ gate, page }) => {
    gate.holdAfter(12)
    await say(page, "Tell me a story")
    await page.getByText("Long ago").waitFor()
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByRole("button", { name: "Send" }).waitFor()
    gate.open()
    await say(page, "The receipt of A2, please")
    await page.getByText("Keep it for your records.").waitFor()
    expect(await page.getByText("they say.").count()).toBe(0)
  })

  visit("stops a slow tool, and takes the next message", async ({ gate, page }) => {
    gate.holdAfter(30)
    await say(page, "Pack order A1")
    await page.getByRole("progressbar").waitFor()
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByRole("button", { name: "Send" }).waitFor()
    expect(await page.getByRole("progressbar").count()).toBe(0)
    expect(await page.getByRole("alert").allInnerTexts()).toEqual([])
    gate.open()
    await say(page, "The receipt of A2, please")
    await page.getByText("Keep it for your records.").waitFor()
  })

  visit("shows how far a slow tool has come, also after a reload", async ({ gate, page }) => {
    gate.holdAfter(30)
    await say(page, "Pack order A1")
    await page.getByRole("progressbar").waitFor()
    await page.reload()
    const bar = page.getByRole("progressbar", { name: /Packing: \w+/ })
    await bar.waitFor()
    expect(await findAxeProblems(page)).toEqual([])
    gate.open()
    await page.getByText("It is packed").waitFor()
    expect(await bar.count()).toBe(0)
  })

  visit("shows the picture that a tool has drawn, also after a reload", async ({ page }) => {
    await say(page, "The receipt of A2, please")
    for (let round = 0; round < 2; round++) {
      await page.getByText("Keep it for your records.").waitFor()
      const image = page.getByRole("img", { name: "Drawn by the shop" })
      await page.waitForFunction(() => (document.querySelector("img")?.naturalWidth ?? 0) === 260)
      expect(await image.getAttribute("src")).toMatch(/^data:image\/svg\+xml;base64,/)
      await page.reload()
    }
  })

  visit("asks a question by its schema, and goes on with the answer after a reload", async ({ page }) => {
    await say(page, "Wrap A2 as a gift")
    const form = page.getByRole("form", { name: "Which paper" })
    await form.waitFor()
    expect(await findAxeProblems(page)).toEqual([])
    await page.reload()
    await form.getByLabel("Paper").selectOption("leaves")
    await form.getByLabel("Card").fill("For you")
    await form.getByRole("button", { name: "Answer" }).click()
    await page.getByText("A2 is wrapped in paper with leaves. The card says “For you”.", { exact: true }).waitFor()
    expect(await form.count()).toBe(0)
  })

  visit("has nothing that axe finds wrong, dark and at 360 px", async ({ page }) => {
    await say(page, "Pay back both orders")
    await page.getByRole("form", { name: "Pay back A2?" }).waitFor()
    await page.emulateMedia({ colorScheme: "dark" })
    await page.setViewportSize({ width: 360, height: 720 })
    expect(await findAxeProblems(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })
})
