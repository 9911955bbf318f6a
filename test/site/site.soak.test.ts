/** The documentation site as `pnpm site` writes it, in a browser. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../../scripts/run-command.js"
import { disconnectAfterwards, findAxeProblems, openContext } from "../browser/Browser.js"

disconnectAfterwards()

const root = fileURLToPath(new URL("../../", import.meta.url))
const site = join(root, "dist", "site")

beforeAll(async () => {
  const { ending, output } = await runCommand(process.execPath, ["node_modules/tsx/dist/cli.mjs", "scripts/site.ts"], {
    cwd: root
  })
  expect([ending, output]).toEqual(["exit code 0", expect.stringContaining(" 0 dead links")])
}, 900_000)

describe("the documentation site", () => {
  it("has one main part, one first heading, a title and a description in each page, and a twin in Markdown", () => {
    const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"))
    const count = (html: string, pattern: RegExp): number => html.match(pattern)?.length ?? 0
    const wrong = pages.filter((name) => {
      const html = readFileSync(join(site, name), "utf8")
      const isWhole = count(html, /<main[ >]/g) === 1 && count(html, /<h1[ >]/g) === 1
      return !isWhole || /undefined/.test(/<title>([^<]*)/.exec(html)?.[1] ?? "undefined")
    })
    expect(wrong).toEqual([])
    const described = pages.filter((name) =>
      /<meta name="description" content="(?!Documentation for)[^"]{20,}"/.test(readFileSync(join(site, name), "utf8"))
    )
    expect(pages.filter((name) => !described.includes(name) && name !== "404.html")).toEqual([])
    const files = new Set(readdirSync(site, { recursive: true, encoding: "utf8" }))
    const twins = pages.filter((name) => name !== "404.html").map((name) => name.replace(/html$/, "md"))
    expect(twins.filter((name) => !files.has(name))).toEqual([])
    expect(["404.html", "sitemap.xml", "llms.txt", "assets/favicon.svg"].filter((name) => !files.has(name))).toEqual([])
  })

  it("answers what people ask with a guide, and a name of the API with the API", async () => {
    const context = await openContext()
    const page = await context.newPage()
    await page.goto(pathToFileURL(join(site, "index.html")).href)
    const search = async (text: string): Promise<ReadonlyArray<string>> => {
      await page.getByRole("button", { name: "Search" }).click()
      await page.locator("#tsd-search-input").fill(text)
      await page.locator("#tsd-search-results li").first().waitFor()
      const found = await page
        .locator("#tsd-search-results a")
        .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""))
      // The next answer is not this one.
      await page.locator("#tsd-search-input").fill("")
      await page.locator("#tsd-search-results li").first().waitFor({ state: "detached" })
      await page.keyboard.press("Escape")
      return found
    }
    const answers = {
      "approve a tool call": /Policies|Deferred_calls/,
      timeout: /Policies|promises/,
      "how to write a tool": /Tools_and_toolsets|Tools_with_promises/,
      "durable conversations": /Durable_conversations/,
      postgres: /Conversations/
    }
    for (const [question, guide] of Object.entries(answers)) {
      const found = await search(question)
      expect([question, found[0]]).toEqual([question, expect.stringContaining("documents/")])
      expect([question, found.slice(0, 8).filter((url) => guide.test(url)).length > 0, found]).toEqual([
        question,
        true,
        found
      ])
    }
    expect((await search("resumeAll"))[0]).not.toContain("documents/")
    await context.close()
  })

  it("lists modules by package, and says what each is for", async () => {
    const context = await openContext()
    const page = await context.newPage()
    await page.goto(pathToFileURL(join(site, "modules", "_wield_core_Toolset.html")).href)
    const folders = page.locator(".tsd-navigation details", { has: page.locator("a[aria-current]") })
    await folders.first().waitFor()
    const open = await folders.locator("> summary").evaluateAll((all) => all.map((one) => one.textContent?.trim()))
    expect(open).toEqual(["Modules", "@wield/core"])
    expect(await page.locator("meta[name=description]").getAttribute("content")).toMatch(/^A toolset is what a runner/)
    await context.close()
  })

  it("says in Markdown what a page of the API says", () => {
    const twin = readFileSync(join(site, "functions", "_wield_core_Toolset.fromToolkit.md"), "utf8")
    expect(twin).toMatch(/^# Function fromToolkit\n/)
    expect(twin).toMatch(/```ts\nfromToolkit<Kit extends Any>\(/)
    expect(twin).toContain("](../interfaces/_wield_core_Toolset.Toolset.md)")
    expect(twin).not.toMatch(/<\/?(?:div|span|a|svg)\b/)
    expect(readFileSync(join(site, "llms.txt"), "utf8")).toMatch(/^- \[@wield\/core\/Toolset\]\(.*\.md\)$/m)
  })

  it("leads from the first page through all guides, each of which can be edited", () => {
    let page = "index.html"
    const seen: Array<string> = []
    while (page !== "") {
      seen.push(page)
      const html = readFileSync(join(site, page), "utf8")
      expect([page, html]).toEqual([page, expect.stringMatching(/<a href="[^"]*\/edit\/main\/[^"]+">Edit this page/)])
      const [, next] = /<a rel="next" href="([^"]+)"/.exec(html) ?? []
      page = next === undefined ? "" : join(dirname(page), next)
    }
    const guides = readdirSync(join(site, "documents")).filter((name) => name.endsWith(".html"))
    expect(seen.slice(1).sort()).toEqual(guides.map((name) => `documents/${name}`).sort())
  })

  const kinds = {
    "the first page": "index.html",
    "a guide": "documents/Policies.html",
    "the list of modules": "modules.html",
    "a module": "modules/_wield_core_Toolset.html",
    "a function": "functions/_wield_core_Toolset.fromToolkit.html",
    "a class": "classes/_wield_core_Outcome.Success.html",
    "the page for what is not there": "404.html"
  }
  const looks = [390, 1280].flatMap((width) =>
    (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme }))
  )
  it.each(looks)("can be used by all, on $width pixels, in $colorScheme", async ({ colorScheme, width }) => {
    const context = await openContext({ viewport: { width, height: 900 }, colorScheme })
    const page = await context.newPage()
    for (const [kind, path] of Object.entries(kinds)) {
      await page.goto(pathToFileURL(join(site, path)).href)
      const { images, nested, scrolled } = await page.evaluate(() => ({
        scrolled: document.documentElement.scrollWidth,
        nested: document.querySelectorAll(":is(a, button, summary, label) :is(a, button, summary)").length,
        images: [...document.images].filter((image) => image.complete && image.naturalWidth === 0).length
      }))
      expect([kind, { scrolled, nested, images }]).toEqual([kind, { scrolled: width, nested: 0, images: 0 }])
      // The list of all modules, which has 24,000 elements on each page, is looked at on the first.
      if (kind !== "the first page" || width < 1280) {
        await page.evaluate(() => document.querySelectorAll(".tsd-navigation").forEach((list) => list.remove()))
      }
      expect([kind, await findAxeProblems(page)]).toEqual([kind, []])
    }
    await context.close()
  })
})
