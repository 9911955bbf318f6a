import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { installLines } from "../installs.js"
import { extract } from "./extract.js"
import { pathOf } from "./links.js"
import { programsOf } from "./pages.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
/** Without blocks of code. */
const read = (path: string): string => readFileSync(join(root, path), "utf8").replace(/^```[^]*?^```$/gm, "")
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "skills/wield/SKILL.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`)
].sort()

const withoutCode = (text: string): string => text.replace(/`[^`\n]*`/g, "")

/** Paths of the repository, each with its anchor. */
const localLinksOf = (page: string): ReadonlyArray<{ readonly path: string; readonly anchor: string }> =>
  Array.from(withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g), ([, url = ""]) => url).flatMap((url) => {
    const [link = "", anchor = ""] = url.split("#")
    const path = link === "" ? page : pathOf(link, page)
    return path === undefined ? [] : [{ path, anchor }]
  })

/** As GitHub makes them of headings. */
const anchorsOf = (page: string): ReadonlyArray<string> =>
  Array.from(withoutCode(read(page)).matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  )

describe("the documentation", () => {
  it("has no link to a file or a heading that does not exist", () => {
    const dead = pages.flatMap((page) =>
      localLinksOf(page)
        .filter(
          ({ anchor, path }) =>
            !existsSync(join(root, path)) ||
            (anchor !== "" && path.endsWith(".md") && !anchorsOf(path).includes(anchor))
        )
        .map(({ anchor, path }) => `${page}: ${path}#${anchor}`)
    )
    expect(dead).toEqual([])
  })

  it("has in packages no link to a file that is not in the package", () => {
    const packed = readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`)
    const links = packed.flatMap((page) =>
      Array.from(withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g), ([, url = ""]) => `${page}: ${url}`)
    )
    expect(links.filter((link) => !/: (?:[a-z]+:|#)/.test(link))).toEqual([])
  })

  it("installs in each README of a package what the README's examples import", () => {
    const missing = readdirSync(join(root, "packages")).flatMap((name) => {
      const path = `packages/${name}/README.md`
      const installed = installLines(path)
        .flat()
        .map((given) => given.replace(/(?!^)@[^/]*$/, ""))
      return extract({ path, text: readFileSync(join(root, path), "utf8") }).modules.flatMap(({ code, line }) =>
        Array.from(code.matchAll(/^import [^"'()]*"((?:@[^"/]+\/)?[^"/]+)/gm), ([, imported = ""]) => imported)
          .filter((imported) => !imported.startsWith("node:") && !installed.includes(imported))
          .map((imported) => `${path}:${line}: ${imported}`)
      )
    })
    expect(missing).toEqual([])
  })

  it("lists each page and each example in its index, in groups of at most seven pages", () => {
    const index = localLinksOf("docs/README.md").map(({ path }) => path)
    // These are listed by a page of the index.
    const isListed = (path: string) => !/^docs\/(README\.md|wire-formats\/|(?:cli|decisions)\/(?!README))/.test(path)
    const expected = [...pages.filter((page) => page.startsWith("docs/") && isListed(page)), ...programsOf(root)]
    expect(expected.filter((path) => !index.includes(path))).toEqual([])
    expect(index.filter((path, position) => index.indexOf(path) !== position)).toEqual([])

    const [, ...groups] = read("docs/README.md").split(/^## /m)
    const tooLong = groups.filter((group) => !group.startsWith("Examples") && group.split("\n- [").length > 8)
    expect(tooLong).toEqual([])
  })

  it("says both with promises and with Effect how to do what it compares", () => {
    const empty = pages.flatMap((page) =>
      [...read(page).matchAll(/^\|[^\n]*promises[^\n]*\|[^\n]*Effect[^\n]*\|\n\|[-|]+\|\n((?:\|.*\n)+)/gm)].flatMap(
        ([, rows = ""]) =>
          rows
            .split("\n")
            .filter((row) => /\|\s*(?:[–-]|none)?\s*\|/.test(row))
            .map((row) => `${page}: ${row}`)
      )
    )
    expect(empty).toEqual([])
  })
})
