import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")

const sources = readdirSync(join(root, "packages"))
  .flatMap((name) => {
    const folder = join(root, "packages", name, "src")
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    return files.filter((file) => /(?<!\.test|\.test-d)\.ts$/.test(file)).map((file) => join(folder, file))
  })
  .map((file) => readFileSync(file, "utf8"))

it("quotes messages that the sources still have", () => {
  const [ours = ""] = readFileSync(join(root, "docs", "troubleshooting.md"), "utf8").split(
    "## Messages of other programs"
  )
  const quotes = Array.from(ours.matchAll(/^\| `([^`]+)`/gm), ([, quote = ""]) => quote)
  expect(quotes.length).toBeGreaterThan(30)

  // What stands between two `…` is text of one source.
  const parts = quotes.flatMap((quote) => quote.split("…").map((part) => part.trim()))
  expect(parts.filter((part) => !sources.some((source) => source.includes(part)))).toEqual([])
})
