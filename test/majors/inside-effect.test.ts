import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const packages = join(import.meta.dirname, "../../packages")

/** Of each package but the bridge, which is about both majors, and goes when the whole moves. */
const sources = readdirSync(packages)
  .filter((name) => name !== "effect4")
  .flatMap((name) =>
    readdirSync(join(packages, name, "src"), { encoding: "utf8", recursive: true })
      .filter((path) => /\.tsx?$/.test(path) && !/\.test(-d)?\.ts$/.test(path))
      .map((path) => `${name}/src/${path}`)
  )

const read = (path: string): string =>
  readFileSync(join(packages, path), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/** Where a pattern stands in the code, as `file: what`. */
const find = (pattern: RegExp, except: string): ReadonlyArray<string> =>
  sources
    .filter((path) => path !== except)
    .flatMap((path) => Array.from(read(path).matchAll(pattern), ([found]) => `${path}: ${found}`))

/** What Effect's fibers, effects and contexts are made of, and 4 has in other forms or not at all. */
const insideFibers =
  /\b(?:_op|addObserver|current(?:Context|DefaultServices|RuntimeFlags|Scheduler|Span|Tracer)|effect_instruction_i\d|[gs]etFiberRefs?|unsafeInterruptAsFork|unsafeMap|unsafePoll|withFiberRuntime|Effect\.transplant)\b|"effect\/(?:DefaultServices|RuntimeFlags|RuntimeFlagsPatch|internal\/.*)"/g

const insideSchemas = /"effect\/(?:SchemaAST|ParseResult)"|\b(?:SchemaAST|ParseResult)\b.*"effect"/g

describe("what does not convert to another major of Effect by machine", () => {
  it("reads the inside of fibers in one module of core only", () => {
    assert.deepStrictEqual(find(insideFibers, "core/src/Fibers.ts"), [])
  })

  it("reads the inside of schemas, and of what is wrong with values, through one module of core only", () => {
    assert.deepStrictEqual(find(insideSchemas, "core/src/SchemaTree.ts"), [])
  })
})
