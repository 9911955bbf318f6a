import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { removeTemporaryFolder } from "../run-program.js"
import { checkPages } from "./check-pages.js"
import { extract } from "./extract.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const folder = join(root, ".docs-check-test")

const page = (...lines: ReadonlyArray<string>) => ({ path: "docs/page.md", text: lines.join("\n") })
const check = (...lines: ReadonlyArray<string>) => checkPages([page(...lines)], { root, folder })

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  removeTemporaryFolder()
})

describe("checkPages", { timeout: 60_000 }, () => {
  it("finds nothing wrong with a page whose programs compile and end well", async () => {
    const report = await check("```ts", 'import * as Effect from "effect/Effect"', "Effect.runSync(Effect.void)", "```")
    expect(report).toEqual({ checked: 1, ran: 1, problems: [] })
  })

  it("names the line of a type error, in a block that is not run too", async () => {
    const report = await check(
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
    expect(report.problems).toEqual([
      {
        page: "docs/page.md",
        line: 8,
        message: "error TS2322: Type 'string' is not assignable to type 'number'."
      }
    ])
  })

  it("checks under the strict settings of the packages", async () => {
    const report = await check(
      "```ts",
      "const settings: { readonly name?: string } = { name: undefined }",
      "console.log(settings.name)",
      "```"
    )
    expect(report.problems).toHaveLength(1)
    expect(report.problems[0]).toMatchObject({
      line: 2,
      message: expect.stringContaining("exactOptionalPropertyTypes")
    })
  })

  it("names the fence of a program that fails, with what it printed and the line of the page", async () => {
    const report = await check(
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
    expect(report).toMatchObject({ checked: 1, ran: 1, problems: [{ page: "docs/page.md", line: 3 }] })
    expect(report.problems[0]?.message).toContain("exit code 1")
    expect(report.problems[0]?.message).toContain("not the answer")
    expect(report.problems[0]?.message).toMatch(/docs\/page\.md\/line-3\.ts:7/)
  })

  it("joins a block tagged continue to the one before it", async () => {
    const report = await check(
      "```ts",
      "const name: string = 'a'",
      "```",
      "",
      "```ts continue",
      "const length: number = name",
      "```"
    )
    expect(report.checked).toBe(1)
    expect(report.problems).toMatchObject([{ line: 6, message: expect.stringContaining("TS2322") }])
  })

  it("keeps the blocks of a page apart otherwise", async () => {
    const report = await check("```ts", "const greeting = 'hello'", "```", "```ts", "console.log(greeting)", "```")
    expect(report.checked).toBe(2)
    expect(report.problems).toMatchObject([{ line: 5, message: "error TS2304: Cannot find name 'greeting'." }])
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
