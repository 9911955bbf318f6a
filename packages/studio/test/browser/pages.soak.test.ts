/** The page beside other windows, behind another server, enlarged, with long runs, and looked at by axe. */
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer, request as ask } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "@effect/vitest"
import { Outcome, ToolCall } from "@wield/core"
import { Studio } from "@wield/studio"
import { Effect, Redacted } from "effect"
import type { Page } from "playwright-core"
import { disconnectAfterwards, findAxeProblems } from "../../../../test/browser/Browser.js"
import { makeShop, type Shop, token } from "../shop.js"
import { connect, fromTheStart, inStudio, openPage } from "./stories.js"

disconnectAfterwards()

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const tsx = join(root, "node_modules/tsx/dist/cli.mjs")

it("makes the pictures of the documents from the shops of `pnpm studio` and `pnpm chat-page`", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wield-pictures-"))
  try {
    await promisify(execFile)(process.execPath, [tsx, "scripts/pictures.ts", folder], { cwd: root })
    const pictures = readdirSync(folder)
    expect(pictures.toSorted()).toEqual(
      readdirSync(join(root, "docs/images"))
        .filter((name) => name.endsWith(".png"))
        .toSorted()
    )
    for (const name of pictures) {
      const bytes = readFileSync(join(folder, name))
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 720])
      // A blank page is smaller.
      expect(bytes.length).toBeGreaterThan(20_000)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })

const askForRefund = ({ post }: Shop, order: string) =>
  Effect.runPromise(post("/api/tools/refund/call", { arguments: { order, amount: 200 } }))

/** A second window of the same person. */
const openWindow = async (page: Page, listening: Studio.Listening): Promise<Page> => {
  const other = await page.context().newPage()
  await connect(other, listening)
  return other
}

const open = (page: Page, address: string) => page.evaluate((hash) => void (location.hash = hash), address)

inStudio(
  "shows in each window what another one answered, and refuses a second answer",
  async (page, shop, listening) => {
    const { json } = await askForRefund(shop, "A1")
    const other = await openWindow(page, listening)
    for (const window of [page, other]) {
      await open(window, "#/approvals")
      await button(window, "Deny").click()
      await window.getByLabel("Reason, which the model reads").fill("No.")
    }
    // The other window hears nothing of it.
    await other.route("**/api/events*", (route) => route.abort())
    await other.route("**/api/approvals", (route) => route.abort())
    await button(page, "Deny").last().click()
    await page.getByText("Nothing waits").waitFor()
    await button(other, "Deny").last().click()
    await other.getByRole("alert").getByText(`There is no call that waits under "${json.approval}"`).waitFor()
    await other.unroute("**/api/approvals")
    await other.unroute("**/api/events*")

    await askForRefund(shop, "B2")
    for (const window of [page, other]) await button(window, "Approve").waitFor()
    await button(other, "Approve").click()
    for (const window of [page, other]) await window.getByText("Nothing waits").waitFor()
  }
)

inStudio(
  "keeps a draft while another window saves the set, and does not write over it unasked",
  async (page, shop, listening) => {
    await Effect.runPromise(shop.manager.save("mine", ["find_orders"]))
    const other = await openWindow(page, listening)
    for (const window of [page, other]) {
      await open(window, "#/toolsets/mine")
      await window.getByRole("checkbox", { name: /^find_orders/ }).waitFor()
    }
    await page.getByRole("checkbox", { name: /^refund/ }).check()
    await other.getByRole("checkbox", { name: /^crash/ }).check()
    const isChecked = (tool: RegExp) => page.getByRole("checkbox", { name: tool }).isChecked()
    // A draft is its window's own.
    expect(await isChecked(/^crash/)).toBe(false)
    await button(other, "Save").click()
    await other.getByText("Changed, and not live").waitFor({ state: "detached" })
    await page.getByText("It was saved elsewhere meanwhile").waitFor()
    expect([await isChecked(/^refund/), await isChecked(/^crash/)]).toEqual([true, false])
    const saved = async () => (await Effect.runPromise(shop.get("/api/toolsets/mine/export"))).json.functions
    expect(await saved()).toEqual(["find_orders", "crash"])
    await button(page, "Replace it").click()
    await page.getByText("Changed, and not live").waitFor({ state: "detached" })
    expect(await saved()).toEqual(["find_orders", "refund"])
    // The other window shows the set as it is now, without having been asked.
    await other.waitForFunction(() => document.body.textContent!.includes("2 of 8 tools"))
    await other.getByRole("checkbox", { name: /^refund/, checked: true }).waitFor()
  }
)

inStudio("scrolls through 10,000 events with as many elements as for ten", async (page, { recorder }) => {
  const recording = await Effect.runPromise(recorder.begin({ name: "every night" }))
  const note = (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const call = ToolCall.make(`call_${index}`, `find_orders_${index}`, { text: "tea" })
      recording.watcher.started(call)
      recording.watcher.finished(call, Outcome.success(call, ["A1"]))
    }
  }
  // As many as make the list as high as it gets.
  note(0, 40)
  await open(page, `#/runs/${recording.id}`)
  const tree = page.getByRole("tree", { name: "Events of the run" })
  await tree.getByText("find_orders_0").waitFor()
  const elements = () => page.locator("*").count()
  const few = await elements()
  note(40, 5000)
  await page.getByText("10001 events").waitFor()
  const most = few + 100
  for (const key of ["End", "PageUp", "PageUp", "Home", "PageDown"]) {
    await tree.focus()
    await page.keyboard.press(key)
    expect(await elements()).toBeLessThan(most)
  }
  await page.keyboard.press("End")
  await tree.getByText("find_orders_4999").waitFor()
  await tree.evaluate((element) => (element.scrollTop = element.scrollHeight / 2))
  await tree.getByText("find_orders_2500").waitFor()
  expect(await elements()).toBeLessThan(most)
})

fromTheStart(
  "scrolls through 1,000 runs, and narrows them",
  async (page, { recorder }) => {
    for (let index = 0; index < 1000; index++) {
      const recording = await Effect.runPromise(recorder.begin({ name: `night ${index}` }))
      recording.end({ result: index % 100 === 0 ? "Failed" : "Finished" })
    }
    await open(page, "#/runs")
    const list = page.getByRole("listbox", { name: "Runs" })
    await list.getByText("night 999").waitFor()
    const elements = await list.locator("*").count()
    await list.focus()
    await page.keyboard.press("End")
    await list.getByText("night 0", { exact: true }).waitFor()
    await list.evaluate((element) => (element.scrollTop = element.scrollHeight / 2))
    await list.getByText("night 500").waitFor()
    expect(await list.locator("*").count()).toBeLessThan(elements + 100)
    await page.getByLabel("State", { exact: true }).selectOption("failed")
    await expect.poll(() => list.getByRole("option").count()).toBe(10)
  },
  { recording: { runs: 1000 } }
)

it.scoped("works below a prefix of another server, by its handler and through a proxy", () =>
  Effect.gen(function* () {
    const shop = yield* makeShop()
    const { dispose, handler } = yield* Studio.toWebHandler({ ...shop.options, prefix: "/tools" })
    yield* Effect.addFinalizer(() => Effect.promise(dispose))
    const studio = yield* Studio.serve(shop.options)
    const server = createServer(async (incoming, response) => {
      const { headers, method = "GET", url = "/" } = incoming
      if (url.startsWith("/proxied/")) {
        const path = url.slice("/proxied".length)
        const passed = ask({ port: studio.port, host: "127.0.0.1", method, path, headers }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
        })
        passed.on("error", () => response.destroy())
        response.on("close", () => passed.destroy())
        return void incoming.pipe(passed)
      }
      const body: Array<Buffer> = []
      for await (const piece of incoming) body.push(piece as Buffer)
      const gone = new AbortController()
      response.on("close", () => gone.abort())
      const given = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      const answer = await handler(
        new Request(`http://${headers.host}${url}`, {
          method,
          headers: given,
          signal: gone.signal,
          ...(body.length === 0 ? {} : { body: Buffer.concat(body) })
        })
      )
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body !== null) {
        response.flushHeaders()
        try {
          for await (const piece of answer.body) response.write(piece)
        } catch {
          // The page has gone.
        }
      }
      response.end()
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => (server.closeAllConnections(), server.close()))
    )
    const { port } = server.address() as AddressInfo
    for (const prefix of ["/tools/", "/proxied/"]) {
      const { page, reports } = yield* openPage()
      const url = Redacted.make(`http://127.0.0.1:${port}${prefix}#${token}`)
      yield* Effect.promise(async () => {
        await connect(page, { port, url })
        await page.getByRole("link", { name: "Tools", exact: true }).click()
        await page.getByRole("option", { name: /find_orders/ }).click()
        await page.getByLabel("text").fill("tea")
        await button(page, "Call").click()
        await page.getByText("The tool succeeded.").waitFor()
        await page.getByRole("link", { name: "See the run" }).click()
        await page.getByRole("tree", { name: "Events of the run" }).getByText("find_orders").first().waitFor()
        await page.reload()
        await page.getByRole("tree", { name: "Events of the run" }).getByText("find_orders").first().waitFor()
        await page.close()
      })
      expect(reports).toEqual([])
    }
  })
)

/** What a person can use on the page as it is now, by role and name; what does not fit into the window is told apart. */
const controlsOf = (page: Page) =>
  page.evaluate(() => {
    const names: Array<string> = []
    const lost: Array<string> = []
    for (const element of document.querySelectorAll<HTMLElement>(
      "a, button, input, select, textarea, summary, [tabindex='0']"
    )) {
      if (!element.checkVisibility({ visibilityProperty: true })) continue
      const label = (element as HTMLInputElement).labels?.[0]?.textContent
      const name = `${element.localName}: ${element.ariaLabel ?? label ?? element.textContent}`
      names.push(name)
      if (element.classList.contains("skip") || element.closest(".virtual-row") !== null) continue
      element.scrollIntoView({ block: "nearest", inline: "nearest" })
      const { left, right, width } = element.getBoundingClientRect()
      if (width === 0 || left < -1 || right > innerWidth + 1) lost.push(name)
    }
    return { names, lost, overflow: document.documentElement.scrollWidth - innerWidth }
  })

inStudio(
  "loses no control and has nothing that axe finds wrong, on all pages, light and dark, at 200 % and on a phone",
  async (page, shop) => {
    const conversation = await Effect.runPromise(shop.store.create({ title: "Tea" }))
    await page.reload()
    await open(page, "#/playground/new")
    await page.getByLabel("Conversation").selectOption(conversation.id)
    await button(page, "Chat with the model").click()
    await page.getByRole("textbox", { name: "Message", exact: true }).fill("Pay it back.")
    await button(page, "Send").click()
    await askForRefund(shop, "A1")
    await askForRefund(shop, "B2")
    await open(page, "#/approvals")
    await button(page, "Approve").nth(2).waitFor()
    const byHand = page.getByRole("article").filter({ hasText: "a call by hand" }).first()
    await byHand.getByRole("button", { name: "Approve", exact: true }).click()
    await page.getByRole("article", { name: "refund approved" }).waitFor()
    const { json } = await Effect.runPromise(shop.get("/api/runs"))
    const run = json.runs.find(({ kind }: { readonly kind: string }) => kind === "playground").id
    const pages: ReadonlyArray<readonly [address: string, shown: string]> = [
      ["#/start", "Waits for an answer"],
      ["#/tools/refund", "As providers get it"],
      ["#/toolsets/orders", "Check all"],
      [`#/playground/${conversation.id}`, "Send"],
      [`#/runs/${run}/.0.0`, "Call again"],
      [`#/runs/${run}/with:${json.runs.at(-1).id}`, "What they did"],
      ["#/approvals", "Approve"],
      [`#/conversations/${conversation.id}`, "Go on with a script"]
    ]
    for (const [address, shown] of pages) {
      const list = address.replace(/^(#\/\w+).*/, "$1")
      const show = async (at: string) => {
        await open(page, at)
        if (at === address) {
          await page
            .getByText(shown, { exact: shown === "Send" })
            .first()
            .waitFor()
          // What was said before is read after the page is there.
          if (shown === "Send") await page.locator("summary", { hasText: "refund" }).first().waitFor()
        }
        // Drawn, and after the frames that the page asks for.
        await page.evaluate(() => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume))))
      }
      await page.setViewportSize({ width: 1280, height: 800 })
      await show(address)
      const wide = await controlsOf(page)
      // 640 points are 1280 at 200 %.
      for (const [width, height] of [
        [1280, 800],
        [640, 400],
        [360, 720]
      ] as const) {
        await page.setViewportSize({ width, height })
        const seen = new Set<string>()
        for (const at of [address, list]) {
          await show(at)
          const { lost, names, overflow } = await controlsOf(page)
          expect([at, width, lost, overflow]).toEqual([at, width, [], 0])
          for (const name of names) seen.add(name)
        }
        expect([address, width, wide.names.filter((name) => !seen.has(name))]).toEqual([address, width, []])
        if (width === 640) continue
        await show(address)
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme })
          expect([address, width, colorScheme, ...(await findAxeProblems(page))]).toEqual([address, width, colorScheme])
        }
      }
    }
  }
)
