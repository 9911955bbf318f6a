import { expect, it } from "@effect/vitest"
import { NeedsInput, ToolCall } from "@wield/core"
import { Recorder, Studio } from "@wield/studio"
import { Effect, Exit, Scope } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { disconnectAfterwards, findAxeProblems } from "../../../../test/browser/Browser.js"
import { buildPage } from "../../ui/build.js"
import { hostileName, makeShop } from "../shop.js"
import { connect, fromTheStart, inStudio, openPage } from "./stories.js"

disconnectAfterwards()

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

fromTheStart(
  "tells who has only fingers nothing of keys",
  async (page) => {
    await page.getByRole("link", { name: "Tools", exact: true }).click()
    await page.getByRole("option", { name: /find_orders/ }).click()
    await page.getByRole("button", { name: "JSON" }).waitFor()
    expect(await page.locator("kbd").filter({ visible: true }).count()).toBe(0)
  },
  {},
  { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }
)

it("keeps the page below 60 kB, gzipped", async () => {
  const folder = await buildPage()
  const sizes = readdirSync(folder).map((file) => gzipSync(readFileSync(join(folder, file))).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000)
})

it("says of each package within the page whose it is, and under which licence", async () => {
  const notice = readFileSync(join(await buildPage(), "THIRD-PARTY-LICENSES"), "utf8")
  for (const name of ["preact", "@preact/signals", "@preact/signals-core"]) {
    expect(notice).toMatch(new RegExp(`^${name} \\d\\S* \\(MIT\\)$`, "m"))
  }
  expect(notice).toContain("Permission is hereby granted")
})

inStudio("takes the token out of the address, and calls a tool by mouse", async (page) => {
  expect(page.url()).toMatch(/#\/tools$/)
  await page.getByRole("option", { name: /find_orders/ }).click()
  await page.getByLabel("text").fill("tea")
  await page.getByRole("button", { name: "Call", exact: true }).click()
  await page.getByText("The tool succeeded.").waitFor()
  expect(await page.getByRole("group", { name: "What the model reads" }).textContent()).toContain("A1 tea")
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

inStudio("shows hostile names as text, and a result of 5 MB without freezing", async (page) => {
  await page.getByRole("option", { name: /onerror=alert/ }).click()
  // The mark that turns text around is shown, not obeyed.
  await page.getByRole("heading", { name: `${hostileName.replace("\u202e", "[U+202E]")}` }).waitFor()
  await page.getByRole("option", { name: "big" }).click()
  await page.getByRole("button", { name: "Call", exact: true }).click()
  await page.getByText("The tool succeeded.").waitFor()
  expect(await page.getByRole("group", { name: "What the model reads" }).textContent()).toContain("<b><b>")
  expect(await page.locator("img, b").count()).toBe(0)
})

fromTheStart(
  "reads a result as fields, tables, Markdown, links and pictures, and as nothing that could run",
  async (page) => {
    await page.getByRole("link", { name: "Tools", exact: true }).click()
    await page.getByRole("option", { name: "report" }).click()
    await page.getByRole("button", { name: "Call", exact: true }).click()
    const read = page.getByRole("group", { name: "What the model reads" })
    await read.getByRole("cell", { name: "Sencha" }).waitFor()
    const links = await read
      .getByRole("link")
      .evaluateAll((all) => all.map((link) => [link.getAttribute("href"), link.getAttribute("rel")]))
    expect(links).toEqual([
      ["https://shop.example/", "noopener noreferrer"],
      ["https://shop.example/back", "noopener noreferrer"],
      // Markdown's pictures are links: none is loaded from elsewhere.
      ["https://evil.example/x.png", "noopener noreferrer"]
    ])
    expect(await read.locator("strong").textContent()).toBe("bold")
    expect(await read.locator("img").evaluateAll((all) => all.map((one) => (one as HTMLImageElement).src))).toEqual([
      `data:image/png;base64,${pixel}`
    ])
    expect(await read.locator("script, iframe, object, b, svg").count()).toBe(0)
    await read.getByRole("button", { name: "Exact text" }).click()
    await read.getByText('"javascript:alert(1)"').waitFor()
  },
  {
    tools: [
      {
        name: "report",
        execute: () =>
          Effect.succeed({
            teas: [{ name: "Sencha", price: 9.5 }],
            page: "https://shop.example/",
            attack: "javascript:alert(1)",
            letter:
              "- **bold** [back](https://shop.example/back) [bad](javascript:alert(1)) <b>html</b> ![x](https://evil.example/x.png)",
            picture: `data:image/png;base64,${pixel}`,
            drawing: "data:image/svg+xml;base64,PHN2Zy8+"
          })
      }
    ]
  }
)

const disguise = "[the shop](https://evil.example/) **bold**"

fromTheStart(
  "shows what a person decides by letter by letter, and each field of each row",
  async (page, shop) => {
    await Effect.runPromise(shop.post("/api/tools/refund/call", { arguments: { order: disguise, amount: 200 } }))
    await Effect.runPromise(shop.post("/api/tools/ask/call", { arguments: {} }))
    await page.getByRole("link", { name: /^Approvals/ }).click()
    const args = page.getByRole("group", { name: "Arguments" }).first()
    await args.getByText(disguise).waitFor()
    const question = page.getByRole("group", { name: "Question" })
    await question.getByText(disguise).first().waitFor()
    await question.getByRole("columnheader", { name: "also" }).waitFor()
    await question.getByRole("button", { name: "Show more of 60" }).click()
    await question.getByRole("cell", { name: "sells the shop" }).waitFor()
    expect(await page.locator("article").locator("img, strong, a[href*=evil]").count()).toBe(0)
  },
  {
    tools: [
      {
        name: "ask",
        execute: () =>
          Effect.fail(
            new NeedsInput({
              asks: {
                text: disguise,
                picture: `data:image/png;base64,${pixel}`,
                rows: Array.from({ length: 60 }, (_, index) =>
                  index === 59 ? { item: index, also: "sells the shop" } : { item: index }
                )
              },
              accepts: { type: "string" }
            })
          )
      }
    ]
  }
)

it.scopedLive("is not shown in a frame of another site", () =>
  Effect.gen(function* () {
    const { port } = yield* Studio.serve((yield* makeShop()).options)
    const frame = `<iframe src="http://127.0.0.1:${port}/"></iframe><iframe src="data:text/html,seen"></iframe>`
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const other = createServer((_, response) => response.setHeader("content-type", "text/html").end(frame))
        await once(other.listen(0, "127.0.0.1"), "listening")
        return other
      }),
      (other) =>
        Effect.async<void>((resume) => {
          other.close(() => resume(Effect.void)).closeAllConnections()
        })
    )
    const { page } = yield* openPage()
    yield* Effect.promise(() => page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`))
    const [, studio, text] = page.frames()
    expect(yield* Effect.promise(() => text!.locator("body").innerText())).toBe("seen")
    expect(studio?.url()).toBe("chrome-error://chromewebdata/")
  })
)

it.scopedLive("goes on after its server was away and began again, with each event once", () =>
  Effect.gen(function* () {
    const shop = yield* makeShop()
    const { page, reports } = yield* openPage()
    const recording = yield* shop.recorder.begin({ name: "every night" })
    const note = (count: number) => {
      for (let index = 0; index < count; index++) {
        recording.watcher.started(ToolCall.make(`call_${index}`, "find_orders", { text: "tea" }))
      }
    }
    const shows = (text: string) => Effect.promise(() => page.getByText(text).first().waitFor())
    const serve = (port: number) => Studio.serve({ ...shop.options, port })
    note(2)
    const scope = yield* Scope.make()
    const listening = yield* Scope.extend(serve(0), scope)
    yield* Effect.promise(() => connect(page, listening))
    yield* Effect.promise(() => page.goto(`http://127.0.0.1:${listening.port}/#/runs/${recording.id}`))
    yield* shows("3 events")
    note(1)
    yield* shows("4 events")

    yield* Scope.close(scope, Exit.void)
    yield* shows("Connecting")
    note(300)
    const again = yield* Scope.make()
    yield* Scope.extend(serve(listening.port), again)
    yield* shows("Connected")
    yield* shows("304 events")

    // A restarted program counts its events from 1.
    yield* Scope.close(again, Exit.void)
    yield* shows("Connecting")
    const file = yield* shop.recorder.export(recording.id)
    const recorder = yield* Recorder.make()
    yield* recorder.import(file!)
    yield* Studio.serve({ ...shop.options, recorder, port: listening.port })
    yield* shows("Connected")
    yield* Effect.promise(() => page.locator(".tag").getByText("interrupted").first().waitFor())
    yield* shows("304 events")
    yield* Effect.promise(() => page.reload())
    yield* shows("304 events")
    expect(reports).toEqual([])
  })
)

inStudio("has nothing that axe finds wrong, light and dark, wide and at 360 px", async (page) => {
  await page.getByRole("option", { name: /find_orders/ }).click()
  await page.getByRole("heading", { name: "find_orders" }).waitFor()
  expect(await findAxeProblems(page)).toEqual([])
  await page.emulateMedia({ colorScheme: "dark" })
  await page.setViewportSize({ width: 360, height: 720 })
  expect(await findAxeProblems(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
})
