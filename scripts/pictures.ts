/**
 * Takes the pictures of `docs/images` in a real browser: of the studio that `pnpm studio` opens, of the chat page that
 * `pnpm chat-page` opens, and of the traces that `pnpm traces` sends to a viewer. `pnpm pictures FOLDER` writes them there instead.
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

/** Runs an example that stays, and gives its address and its end. */
const start = async (example: string) => {
  const child = spawn(
    process.execPath,
    // The command tsx kills a program at once that is slow to end by a signal, and what it has started stays.
    ["--import", "tsx", `examples/${example}/main.ts`, "--stay"],
    { cwd: root, stdio: ["ignore", "pipe", "inherit"] }
  )
  const exited = once(child, "exit")
  const end = () => {
    child.kill()
    return exited
  }
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:\S+/.exec(line) ?? []
    if (url !== undefined) return { url, end }
  }
  throw new Error(`examples/${example} ended without an address`)
}

const pictures: ReadonlyArray<{
  readonly name: string
  readonly example: string
  readonly colorScheme: "light" | "dark"
  readonly show: (page: Page) => Promise<void>
}> = [
  {
    name: "studio-tools",
    example: "studio",
    colorScheme: "light",
    show: async (page) => {
      await page.getByRole("link", { name: "Tools", exact: true }).click()
      await page.getByRole("option", { name: /get_orders/ }).click()
      await page.getByRole("button", { name: "Call", exact: true }).click()
      await page.getByText("The tool succeeded.").waitFor()
    }
  },
  {
    name: "studio-runs",
    example: "studio",
    colorScheme: "light",
    show: async (page) => {
      await page.getByRole("link", { name: "Runs" }).click()
      await page.getByRole("option", { name: /I send A2 back/ }).click()
      await page.getByRole("treeitem", { name: /get_orders/ }).click()
      await page.getByRole("cell", { name: "A2" }).waitFor()
    }
  },
  {
    name: "studio-approvals",
    example: "studio",
    colorScheme: "dark",
    show: async (page) => {
      await page.getByRole("link", { name: /Approvals/ }).click()
      await page.getByRole("button", { name: "Approve" }).first().waitFor()
    }
  },
  {
    name: "chat-page",
    example: "chat-page",
    colorScheme: "light",
    show: async (page) => {
      await page.getByRole("button", { name: "Have you a green tea?" }).click()
      await page.getByText("There it is, in the window.").waitFor()
      await page.getByRole("button", { name: "The receipt of A2" }).click()
      await page.getByText("Keep it for your records.").waitFor()
      await page.getByRole("textbox", { name: "Message" }).fill("Please pay A2 back")
      await page.keyboard.press("Enter")
      await page.getByLabel("Amount").fill("21")
      await page.getByText("Answer above what waits.").waitFor()
    }
  },
  {
    name: "traces",
    example: "traces",
    colorScheme: "light",
    show: async (page) => {
      await page.getByText("POST /chat").first().click()
      await page.getByText("invoke_agent clerk").waitFor()
    }
  }
]

const server = await startChromium()
const browser = await chromium.connect(server.wsEndpoint())
for (const { colorScheme, example, name, show } of pictures) {
  const { end, url } = await start(example)
  try {
    const context = await browser.newContext({ viewport: { width: 1200, height: 720 }, colorScheme })
    // A guard against what never comes, not a measure, as in the tests.
    context.setDefaultTimeout(240_000)
    const page = await context.newPage()
    await page.goto(url)
    await show(page)
    await page.screenshot({ path: join(folder, `${name}.png`) })
    await context.close()
  } finally {
    await end()
  }
}
await browser.close()
await server.close()
