/**
 * Takes `docs/images/studio-*.png` in a real browser: pages of the studio that `pnpm studio` opens.
 * `pnpm studio:pictures FOLDER` writes them there instead.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { chromium, type Page } from "playwright-core"
import { startChromium } from "../test/browser/chromium.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const folder = process.argv[2] ?? join(root, "docs/images")

const shop = spawn(
  process.execPath,
  [join(root, "node_modules/tsx/dist/cli.mjs"), "examples/studio/main.ts", "--stay"],
  {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"]
  }
)

const closed = once(shop, "close")

const address = async (): Promise<string> => {
  for await (const line of createInterface(shop.stdout)) {
    const [found] = /http:\S+/.exec(line) ?? []
    if (found !== undefined) return found
  }
  throw new Error("The shop of examples/studio ended without an address")
}

const pictures: ReadonlyArray<{
  readonly name: string
  readonly colorScheme: "light" | "dark"
  readonly show: (page: Page) => Promise<void>
}> = [
  {
    name: "tools",
    colorScheme: "light",
    show: async (page) => {
      await page.getByRole("option", { name: /get_orders/ }).click()
      await page.getByRole("button", { name: "Call", exact: true }).click()
      await page.getByText("The tool succeeded.").waitFor()
    }
  },
  {
    name: "approvals",
    colorScheme: "dark",
    show: async (page) => {
      await page.getByRole("link", { name: /Approvals/ }).click()
      await page.getByRole("button", { name: "Approve" }).first().waitFor()
    }
  }
]

try {
  const url = await address()
  const server = await startChromium()
  const browser = await chromium.connect(server.wsEndpoint())
  for (const { colorScheme, name, show } of pictures) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 720 }, colorScheme })
    const page = await context.newPage()
    await page.goto(url)
    await page.getByText("Connected").waitFor()
    await show(page)
    await page.screenshot({ path: join(folder, `studio-${name}.png`) })
    await context.close()
  }
  await browser.close()
  await server.close()
} finally {
  shop.kill()
  await closed
}
