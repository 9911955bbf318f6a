/** A program that a bundler has put together validates as it does without one: what is loaded when it is needed comes in other shapes there. */
import { execFileSync } from "node:child_process"
import { mkdtemp } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { build as rolldown } from "rolldown"
import { expect, inject, it } from "vitest"

/** A call for each engine, each draft and each package that is loaded late. */
const program = `
import { JsonSchema, Outcome, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"

const text = (rest) => ({ type: "object", properties: { text: { type: "string", ...rest } }, required: ["text"] })
const schemas = {
  draft7: { $schema: "http://json-schema.org/draft-07/schema#", ...text({ format: "email" }) },
  draft2019: { $schema: "https://json-schema.org/draft/2019-09/schema", ...text({ format: "email" }) },
  draft2020: text({ format: "email" }),
  unchecked: text({ format: "email", $anchor: "b" }),
  evaluated: { ...text({ format: "email" }), unevaluatedProperties: false },
  linear: text({ pattern: "^(a+)+@b.example$" })
}
const program = Effect.gen(function* () {
  const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema, execute: () => Effect.succeed("done") }))
  const runner = yield* ToolRunner.make(yield* Toolset.dynamic(tools))
  const said = {}
  for (const name of Object.keys(schemas)) {
    const outcomes = []
    for (const [index, text] of ["aa@b.example", 1].entries()) {
      outcomes.push((yield* runner.run({ id: name + index, name, arguments: { text } }))._tag)
    }
    const validator = yield* JsonSchema.compile(schemas[name], { formats: "assertion" })
    said[name] = [...outcomes, validator.isValid({ text: "aa@b.example" }), validator.isValid({ text: "b" })]
  }
  return said
})
console.log(JSON.stringify(await Effect.runPromise(program)))
`

const entry = fileURLToPath(new URL("bundled.js", import.meta.url))
const folder = () => mkdtemp(join(inject("temporary"), "bundled-"))

const viaEsbuild = async (splitting: boolean): Promise<string> => {
  const outdir = await folder()
  await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL(".", import.meta.url)), sourcefile: "start.js" },
    bundle: true,
    splitting,
    format: "esm",
    platform: "node",
    outdir,
    entryNames: "start",
    outExtension: { ".js": ".mjs" },
    logLevel: "silent"
  })
  return join(outdir, "start.mjs")
}

const viaRolldown = async (): Promise<string> => {
  const dir = await folder()
  await rolldown({
    input: "start",
    platform: "node",
    logLevel: "silent",
    plugins: [
      {
        name: "start",
        resolveId: (id) => (id === "start" ? entry : undefined),
        load: (id) => (id === entry ? program : undefined)
      }
    ],
    output: { dir, format: "esm", entryFileNames: "start.mjs", chunkFileNames: "[name]-[hash].mjs" }
  })
  return join(dir, "start.mjs")
}

it.each([
  ["esbuild with --splitting", () => viaEsbuild(true)],
  ["esbuild in one file", () => viaEsbuild(false)],
  ["rolldown with chunks", viaRolldown]
])("every kind of schema checks calls in a bundle by %s", async (_, bundle) => {
  const said: unknown = JSON.parse(execFileSync(process.execPath, [await bundle()], { encoding: "utf8" }))
  const right = ["Success", "InvalidArguments", true, false]
  expect(said).toEqual({
    draft7: right,
    draft2019: right,
    draft2020: right,
    unchecked: right,
    evaluated: right,
    linear: right
  })
})
