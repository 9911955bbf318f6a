/** A real browser for tests: one for all of a run, a context of its own for each test. */
import axe from "axe-core"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, inject } from "vitest"

let connected: Promise<Browser> | undefined

const connect = async (): Promise<Browser> => {
  const answer = await fetch(new URL("/browser", inject("shared")), { method: "POST" })
  if (!answer.ok) throw new Error(`No browser started: ${await answer.text()}`)
  return chromium.connect(await answer.text())
}

/** Call it once in a test file. A file leaves its connection when its tests are done. */
export const disconnectAfterwards = (): void => {
  afterAll(async () => {
    await (await connected)?.close()
    connected = undefined
  })
}

/** A context without history, cookies or storage; close it in the test. */
export const openContext = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
  connected ??= connect()
  return (await connected).newContext({ viewport: { width: 1280, height: 800 }, ...options })
}

/** What axe finds wrong with the page as it is now, as sentences. */
export const findAxeProblems = async (page: Page): Promise<ReadonlyArray<string>> => {
  // A strict content security policy blocks a script element, and lets the debugger's own scripts through.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() =>
    (window as unknown as { readonly axe: typeof axe }).axe.run(document, {
      resultTypes: ["violations"],
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    })
  )
  return violations.flatMap(({ help, id, nodes }) =>
    nodes.map(({ failureSummary, html, target }) => `${id}: ${help}; ${target.join(" ")} ${html} ${failureSummary}`)
  )
}
