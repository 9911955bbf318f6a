/** What scripts may import, and how they find themselves. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { shareInFile } from "../shareInFile.js"
import { serve, value } from "./driver.js"

const resultOf = (files: { readonly [name: string]: string }, script = "tool.ts") =>
  Effect.gen(function* () {
    const served = yield* serve({ files, scripts: [script] })
    const { reply } = yield* served.call()
    return { reply, folder: served.folder, loading: served.loading }
  })

const commonJs = {
  "helper.js": `let count = 0; module.exports = { next: () => ++count, path: require("path").sep }`,
  "data.json": `[1, 2]`,
  "tool.js": `
          const { next, path } = require("./helper")
          exports.run = () => [next(), next(), path, require("./data.json"), __filename === module.filename]`
}

/** What one call of one script gives: programs have many scripts, which do not know of each other. */
const usual: ReadonlyArray<
  readonly [
    what: string,
    files: { readonly [name: string]: string },
    result: Parameters<typeof value>[0],
    script?: string
  ]
> = [
  [
    "imports TypeScript by its own name, by the name it compiles to, without extension and by folder",
    {
      "tool.ts": `
          import { a } from "./a.js"
          import { b } from "./b.ts"
          import { c } from "./c"
          import { d } from "./d"
          import type { Missing } from "./types.js"
          export const run = (): ReadonlyArray<Missing> => [a, b, c, d]`,
      "a.ts": `import { e } from "./deep/e.mjs"; export const a = "a" + e`,
      "deep/e.mts": `export const e: string = "e"`,
      "b.ts": `export enum B { one = 1 }; export const b = B.one`,
      "c.ts": `export const c = "c"`,
      "d/index.ts": `export const d = "d"`
    },
    ["ae", 1, "c", "d"]
  ],
  [
    "keeps bindings live, also around a circle",
    {
      "tool.ts": `
          import { count, increase, seen } from "./counter.js"
          export const name = "tool"
          export function run() { increase(); increase(); return [count, seen()] }`,
      "counter.ts": `
          import { name } from "./tool.js"
          export let count = 0
          export const increase = () => { count++ }
          export const seen = () => name`
    },
    [2, "tool"]
  ],
  [
    "re-exports all and by other names",
    {
      "tool.ts": `
          import * as all from "./all.js"
          export const run = () => [Object.keys(all).sort(), all.renamed, all.inner.one]`,
      "all.ts": `
          export * from "./one.js"
          export * as inner from "./one.js"
          export { two as renamed } from "./two.js"`,
      "one.ts": `export const one = 1; export default 5`,
      "two.ts": `export const two = 2`
    },
    [["inner", "one", "renamed"], 2, 1]
  ],
  [
    "waits for what is awaited at the top level of what it imports",
    {
      "tool.ts": `
          import { late } from "./late.js"
          const own = await Promise.resolve("own")
          export const run = () => [late, own]`,
      "late.ts": `
          import { setTimeout } from "node:timers/promises"
          export const late = await setTimeout(5, "late")`
    },
    ["late", "own"]
  ],
  [
    "imports dynamically, by a path it computes, too",
    {
      "tool.ts": `
          export async function run() {
            const { a } = await import("./a.js")
            const name = ["b", "mjs"].join(".")
            const { b } = await import("./" + name)
            const { sep } = await import("node:path")
            return [a, b, sep]
          }`,
      "a.ts": `export const a = "a"`,
      "b.mjs": `export const b = "b"`
    },
    ["a", "b", "/"]
  ],
  [
    "finds packages in node_modules beside the script, for import and for require",
    {
      "tool.ts": `
          import { kind } from "local-package"
          import { createRequire } from "node:module"
          const required = createRequire(import.meta.url)("local-package")
          export const run = async () => [kind, required.kind, (await import("local-package")).kind]`,
      "node_modules/local-package/package.json": JSON.stringify({
        name: "local-package",
        version: "1.0.0",
        exports: { import: "./index.mjs", require: "./index.cjs" }
      }),
      "node_modules/local-package/index.mjs": `export const kind = "module"`,
      "node_modules/local-package/index.cjs": `exports.kind = "commonjs"`
    },
    ["module", "commonjs", "module"]
  ],
  [
    "runs what a JavaScript import brings even where its names are not used",
    {
      "tool.mjs": `
            import unused from "./effect.mjs"
            export const run = () => globalThis.wasRun`,
      "effect.mjs": `globalThis.wasRun = true; export default 1`
    },
    true,
    "tool.mjs"
  ],
  [
    "imports CommonJS from a module and requires a module from CommonJS",
    {
      "tool.ts": `
          import whole, { named } from "./old.cjs"
          export const run = () => [whole.named, named]`,
      "old.cjs": `exports.named = require("./new.mjs").fresh`,
      "new.mjs": `export const fresh = "fresh"`
    },
    ["fresh", "fresh"]
  ],
  ["runs CommonJS, and what it requires, from .js", commonJs, [1, 2, "/", [1, 2], true], "tool.js"],
  [
    "runs CommonJS, and what it requires, from .cjs",
    { ...commonJs, "tool.cjs": commonJs["tool.js"] },
    [1, 2, "/", [1, 2], true],
    "tool.cjs"
  ],
  [
    "calls a function that is declared and exported by default by the name that it has",
    { "tool.ts": "export default function run() { return [1] }" },
    [1]
  ],
  [
    "calls a function that is listed as the default export by the name that it has",
    { "tool.ts": "function run() { return [2] }\nexport { run as default }" },
    [2]
  ]
]

describe("modules of scripts", () => {
  const scriptOf = (index: number) => `${index}/${usual[index]?.[3] ?? "tool.ts"}`
  const program = shareInFile(
    serve({
      files: Object.fromEntries(
        usual.flatMap(([, files], index) => Object.entries(files).map(([name, text]) => [`${index}/${name}`, text]))
      ),
      scripts: usual.map((_, index) => scriptOf(index))
    })
  )
  for (const [index, [what, , result]] of usual.entries()) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const { reply } = yield* (yield* program).call({ file: scriptOf(index) })
        expect(reply).toEqual(value(result))
      })
    )
  }

  it.scoped("knows where it is", () =>
    Effect.gen(function* () {
      const { folder, reply } = yield* resultOf({
        "tool.ts": `
          export const run = () => [import.meta.url, import.meta.dirname, import.meta.filename,
            import.meta.resolve("./x.js"), __filename, __dirname]`
      })
      const file = join(folder, "tool.ts")
      const [url, besideIt] = [file, join(folder, "x.js")].map((path) => pathToFileURL(path).href)
      expect(reply).toEqual(value([url, folder, file, besideIt, file, folder]))
    })
  )

  it.scoped("imports JSON, a new value for each call", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: {
          "tool.ts": `
            import data from "./data.json" with { type: "json" }
            export const run = () => ++data.count`,
          "data.json": `{"count": 1}`
        }
      })
      const first = yield* served.call()
      const second = yield* served.call()
      expect([first.reply, second.reply]).toEqual([value(2), value(2)])
    })
  )

  it.scoped("passes all arguments as one object where the script takes one", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: { "tool.js": `exports.run = (data) => [data.city, Object.keys(data)]` },
        scripts: ["tool.js"],
        functions: [{ parameters: ["city", "unit"], passing: "object" }]
      })
      const { reply } = yield* served.call({ arguments: { unit: "C", city: "Rome" } })
      expect(reply).toEqual(value(["Rome", ["unit", "city"]]))
    })
  )

  it.scoped("gives defaults to absent arguments, and null where null is allowed and there is no default", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: {
          "tool.ts": `
            export function run(a: string, b = "default", c: string | null, d?: string, e: string | null = "given") {
              return [a, b, c, d === undefined ? "undefined" : d, e]
            }`
        },
        functions: [
          {
            parameters: [
              "a",
              { name: "b", schema: { type: "string", default: "default" }, isRequired: false },
              { name: "c", schema: { type: ["string", "null"] }, isRequired: false },
              { name: "d", schema: { type: "string" }, isRequired: false },
              {
                name: "e",
                schema: { anyOf: [{ type: "string" }, { type: "null" }], default: "given" },
                isRequired: false
              }
            ]
          }
        ]
      })
      const { reply } = yield* served.call({ arguments: { a: "x" } })
      expect(reply).toEqual(value(["x", "default", null, "undefined", "given"]))
      const all = yield* served.call({ arguments: { e: null, d: "d", c: "c", b: "b", a: "a" } })
      expect(all.reply).toEqual(value(["a", "b", "c", "d", null]))
    })
  )

  it.scoped("gives undefined, not null, where the source has a default that is no constant or a question mark", () =>
    Effect.gen(function* () {
      const nullable = (name: string) => ({ name, schema: { type: ["string", "null"] }, isRequired: false })
      const served = yield* serve({
        files: {
          "tool.ts": `export function run(a: string | null = String(1), b?: string | null, c: string | null) {
            return [a, String(b), String(c)]
          }`
        },
        functions: [{ parameters: ["a", "b", "c"].map(nullable) }]
      })
      const { reply } = yield* served.call()
      expect(reply).toEqual(value(["1", "undefined", "null"]))
    })
  )

  it.scoped("serves several scripts, and those that can be loaded where one cannot", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: {
          "good.ts": `export const run = () => "good"`,
          "bad.ts": `import "not-installed"\nexport const run = () => "bad"`
        },
        scripts: ["good.ts", "bad.ts"]
      })
      expect(served.loading).toEqual([
        {
          type: "failed",
          file: join(served.folder, "bad.ts"),
          error: "Error",
          detail: "Cannot find package 'not-installed' imported from bad.ts"
        }
      ])
      const bad = yield* served.call({ file: "bad.ts" })
      expect(bad.reply).toEqual(served.loading[0])
      const good = yield* served.call({ file: "good.ts" })
      expect(good.reply).toEqual({ type: "text", text: "good", isMarked: true })
    })
  )
})

describe("scripts that cannot be loaded", () => {
  const failureOf = (text: string, files: { readonly [name: string]: string } = {}) =>
    Effect.map(resultOf({ ...files, "tool.ts": text }), ({ reply }) =>
      reply.type === "failed" ? [reply.error, reply.detail] : reply
    )

  it.scoped("tells where the syntax is wrong", () =>
    Effect.gen(function* () {
      expect(yield* failureOf("export const run = () =>\n  (1 +")).toEqual([
        "SyntaxError",
        "tool.ts:2:7: Expression expected."
      ])
    })
  )

  it.scoped("tells which file is missing, and who imports it", () =>
    Effect.gen(function* () {
      expect(yield* failureOf(`import { a } from "./absent.js"\nexport const run = () => a`)).toEqual([
        "Error",
        "Cannot find module 'absent.js' imported from tool.ts"
      ])
    })
  )

  it.scoped("tells what its top level threw, and where, each time it is called", () =>
    Effect.gen(function* () {
      const text = `import "./thrower.js"\nexport const run = () => 1`
      const files = { "thrower.ts": `interface Removed {\n  a: string\n}\nthrow new TypeError("no luck")` }
      expect(yield* failureOf(text, files)).toEqual(["TypeError", "no luck (thrower.ts:4:7)"])
      const served = yield* serve({ files: { ...files, "tool.ts": text } })
      const first = yield* served.call()
      const second = yield* served.call()
      expect(second.reply).toEqual(first.reply)
    })
  )

  it.scoped("tells that the function is not there", () =>
    Effect.gen(function* () {
      expect(yield* failureOf(`export const other = () => 1`)).toEqual([
        "MissingFunction",
        "run is not an exported function"
      ])
    })
  )

  it.scoped("runs the text it was given, whatever the file holds", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: { "tool.ts": "export const run = () =>" },
        texts: { "tool.ts": `export const run = () => 1` }
      })
      const { reply } = yield* served.call()
      expect(reply).toEqual(value(1))
    })
  )
})
