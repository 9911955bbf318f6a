import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { removeTemporaryFolder } from "../run-program.js"
import { extract, type Page } from "./extract.js"
import { textOfComments } from "./pages.js"
import { runModules } from "./run.js"
import { typeCheck } from "./type-check.js"
import { writePages } from "./write.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const folder = join(root, ".docs-check-test")

const page = (...lines: ReadonlyArray<string>): Page => ({ path: "docs/page.md", text: lines.join("\n") })
const check = (...lines: ReadonlyArray<string>) =>
  typeCheck(writePages([page(...lines)], folder).modules, { root, folder })
const run = (pages: ReadonlyArray<Page>, options: { readonly timeLimitSeconds?: number } = {}) =>
  runModules(writePages(pages, folder).modules, { root, folder, processes: 1, ...options })

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  removeTemporaryFolder()
})

describe("the types of a page", () => {
  it("are right where its programs compile", async () => {
    expect(
      await check("```ts", 'import * as Effect from "effect/Effect"', "Effect.runSync(Effect.void)", "```")
    ).toEqual([])
  })

  it("are wrong at the line of the page, in a block that is not run too", async () => {
    const problems = await check(
      "# Title", //
      "```ts",
      "export const count: number = 1",
      "```",
      "Text.",
      "```ts no-run",
      "export const fine = 1",
      'export const wrong: number = "one"',
      "```"
    )
    expect(problems).toEqual([
      { page: "docs/page.md", line: 8, message: "error TS2322: Type 'string' is not assignable to type 'number'." }
    ])
  })

  it("are checked under the strict settings of the packages", async () => {
    const problems = await check(
      "```ts",
      "const settings: { readonly name?: string } = { name: undefined }",
      "console.log(settings.name)",
      "```"
    )
    expect(problems).toMatchObject([{ line: 2, message: expect.stringContaining("exactOptionalPropertyTypes") }])
  })

  it("join a block tagged continue to the one before it", async () => {
    const problems = await check(
      "```ts",
      "const name: string = 'a'",
      "```",
      "",
      "```ts continue",
      "const length: number = name",
      "```"
    )
    expect(problems).toMatchObject([{ line: 6, message: expect.stringContaining("TS2322") }])
  })

  it("keep its blocks apart otherwise", async () => {
    const problems = await check("```ts", "const greeting = 'hello'", "```", "```ts", "console.log(greeting)", "```")
    expect(problems).toMatchObject([{ line: 5, message: "error TS2304: Cannot find name 'greeting'." }])
  })
})

describe("the programs of a page", () => {
  it("pass where they end well", async () => {
    expect(
      await run([page("```ts", 'import * as Effect from "effect/Effect"', "Effect.runSync(Effect.void)", "```")])
    ).toEqual([])
  })

  it("fail with what they printed, the fence and the line of the page", async () => {
    const problems = await run([
      page(
        "Text.",
        "",
        "```ts",
        "const answer: number = 41",
        "",
        "if (answer !== 42) {",
        '  throw new Error("not the answer")',
        "}",
        "```"
      )
    ])
    expect(problems).toMatchObject([{ page: "docs/page.md", line: 3 }])
    expect(problems[0]?.message).toContain("exit code 1")
    expect(problems[0]?.message).toContain("not the answer")
    expect(problems[0]?.message).toMatch(/docs\/page\.md\/line-3\.ts:7/)
  })

  it("find what lies beside the page's own file", async () => {
    const program = ["```ts", 'if (!import.meta.url.endsWith("docs/page.md/line-1.ts")) throw new Error()', "```"]
    expect(await run([page(...program)])).toEqual([])
  })
})

describe("pages that share a process", () => {
  const pageNamed = (path: string, code: string): Page => ({ path, text: `\`\`\`ts\n${code}\n\`\`\`` })
  const first = pageNamed("docs/first.md", "export {}")

  it.each([
    ["throws", 'throw new Error("wrong")'],
    ["throws while a later page runs", 'setTimeout(() => { throw new Error("wrong") })'],
    ["ends the process", "process.exit(0)"],
    ["waits for ever", "await new Promise(() => {})"],
    ["fails without a word", "process.exitCode = 3"]
  ])("fail for the one that %s", async (_, code) => {
    const later = pageNamed("docs/later.md", "await new Promise((resolve) => setTimeout(resolve, 50))")
    const problems = await run([first, pageNamed("docs/wrong.md", code), later])
    expect(problems.map(({ page: name }) => name)).toEqual(["docs/wrong.md"])
  })

  it("fail for the one that keeps the process alive", async () => {
    const open = pageNamed("docs/open.md", "setInterval(() => {}, 1000)")
    // A machine that is busy may stop the first page too.
    expect(await run([first, open], { timeLimitSeconds: 2 })).toContainEqual({
      page: "docs/open.md",
      line: 1,
      message: expect.stringContaining("stopped after 2 s")
    })
  })

  it("fail together where one spoils what another needs", async () => {
    const spoil = pageNamed("docs/a.md", "Reflect.set(globalThis, 'isSpoilt', true)")
    const spoilt = pageNamed("docs/b.md", 'if ("isSpoilt" in globalThis) throw new Error("spoilt")')
    expect(await run([spoil, spoilt])).toMatchObject([{ page: "docs/a.md, docs/b.md" }])
  })
})

describe("the examples of documentation comments", () => {
  const source = (example: string): Page => ({
    path: "packages/made-up/src/Sums.ts",
    text: textOfComments(
      [
        "/** Nothing to run. */",
        'export const text = "```ts"',
        "/**",
        " * Adds.",
        " *",
        " * @example",
        " * ```ts",
        ' * import * as assert from "node:assert"',
        ` * ${example}`,
        " * ```",
        " */"
      ].join("\n")
    )
  })

  it("pass where they hold", async () => {
    expect(await run([source("assert.equal(1 + 1, 2)")])).toEqual([])
  })

  it("fail with the place of the example, also when it fails later", async () => {
    const problems = await run([source("assert.equal(1 + 1, 3)")])
    expect(problems[0]?.message).toContain("packages/made-up/src/Sums.ts:7")
    const later = await run([source("void Promise.resolve().then(() => assert.equal(1 + 1, 3))")])
    expect(later[0]?.message).toMatch(/Sums\.ts\/line-7\.ts:9/)
  })

  it("fail where they never end", async () => {
    const problems = await run([source("await new Promise(() => {})")])
    expect(problems[0]?.message).toContain("exit code 1")
  })
})

describe("extract", () => {
  it("finds a block inside a list and a block with a longer fence", () => {
    const { modules } = extract(
      page(
        "1. Step",
        "",
        "   ```ts",
        "   export const first = 1",
        "   ```",
        "",
        "````ts",
        "export const second = '```'",
        "````"
      )
    )
    expect(modules.map(({ line, code }) => ({ line, code: code.trim() }))).toEqual([
      { line: 3, code: "export const first = 1" },
      { line: 7, code: "export const second = '```'" }
    ])
  })

  it("ignores blocks of other languages and blocks shown inside another block", () => {
    const { modules, problems } = extract(page("```sh", "pnpm test", "```", "````md", "```ts", "wrong(", "```", "````"))
    expect({ modules, problems }).toEqual({ modules: [], problems: [] })
  })

  it("refuses every way around the type check", () => {
    const { problems } = extract(
      page("```typescript", "```", "```tsx", "```", "```TS", "```", "```ts skip", "```", "```ts no-check", "```")
    )
    expect(problems.map(({ line }) => line)).toEqual([1, 3, 5, 7, 9])
  })

  it("refuses a continue with nothing before it", () => {
    const { problems } = extract(page("```ts continue", "export const one = 1", "```"))
    expect(problems).toMatchObject([{ line: 1, message: expect.stringContaining("needs a ts block before it") }])
  })

  it("does not run a module of which one block is tagged no-run", () => {
    const { modules } = extract(page("```ts", "```", "```ts continue no-run", "```"))
    expect(modules.map(({ isRun }) => isRun)).toEqual([false])
  })
})
