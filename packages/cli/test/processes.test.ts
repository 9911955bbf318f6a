import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import Ajv2020 from "ajv/dist/2020.js"
import { pages } from "../src/commands/pages.js"
import { jsonSchema } from "../src/output/reports.js"
import { project, waitingConfig, wieldProcess } from "./wield.js"

const here = fileURLToPath(new URL("..", import.meta.url))
const published: object = JSON.parse(readFileSync(new URL("../output.schema.json", import.meta.url), "utf8"))

const loudConfig = `
import { Toolset } from "@wield/core"
import { Console, Effect, Logger } from "effect"
console.log("LOUD at the top")
const execute = () => Effect.gen(function* () {
  console.log("LOUD console.log")
  console.info("LOUD console.info")
  console.table(["LOUD console.table"])
  yield* Console.log("LOUD Console.log")
  yield* Effect.log("LOUD of the fiber")
  yield* Effect.promise(() => Effect.runPromise(Effect.log("LOUD of the process")))
  yield* Effect.promise(() => Effect.runPromise(Effect.log("LOUD pretty").pipe(Effect.provide(Logger.pretty))))
  return "done"
})
export default { tools: [Toolset.dynamic([{ name: "loud", description: "Is loud", execute }])] }
`

describe("the process of wield", () => {
  it.scopedLive("interrupts a handler with Ctrl-C, and exits with 130 when it has released what it held", () =>
    Effect.gen(function* () {
      const { environment, folder } = yield* project({ "wield.config.ts": waitingConfig }, here)
      const ended = yield* wieldProcess(["call", "wait", "--trust"], {
        folder,
        environment,
        onStart: (child) => child.stderr?.on("data", (text: string) => text.includes("waiting") && child.kill("SIGINT"))
      })
      assert.deepStrictEqual([ended.code, ended.output], [130, ""])
      assert.strictEqual(readFileSync(`${folder}/released.txt`, "utf8"), "done")
    })
  )

  it.scopedLive("prints results only on standard output, whatever a tool prints and logs", () =>
    Effect.gen(function* () {
      const { environment, folder } = yield* project({ "wield.config.ts": loudConfig }, here)
      const listed = yield* wieldProcess(["list", "--json", "--trust"], { folder, environment })
      assert.strictEqual(JSON.parse(listed.output).command, "list")
      assert.include(listed.error, "LOUD at the top")
      const called = yield* wieldProcess(["call", "loud", "--json", "--trust"], { folder, environment })
      assert.strictEqual(JSON.parse(called.output).result, "done")
      for (const what of ["console.log", "console.table", "Console.log", "of the fiber", "of the process", "pretty"]) {
        assert.include(called.error, `LOUD ${what}`)
      }
    })
  )

  it.scopedLive("prints JSON of the published schema, without colours, and ends when its reader does", () =>
    Effect.gen(function* () {
      const tools = Array.from({ length: 400 }, (_, index) => ({
        type: "local",
        function: { name: `tool_${index}`, description: "x".repeat(500), parameters: {} }
      }))
      const { environment, folder } = yield* project({
        "wield.config.yaml": "tools:\n  - manifest: tools.json\n",
        "tools.json": JSON.stringify({ tools })
      })
      const listed = yield* wieldProcess(["list", "--json"], { folder, environment })
      assert.deepStrictEqual([listed.code, listed.error], [0, ""])
      const report = JSON.parse(listed.output)
      assert.strictEqual(report.tools.length, 400)
      assert.isTrue(new Ajv2020.default({ strict: false }).compile(published)(report))
      const closed = yield* wieldProcess(["list"], {
        folder,
        environment,
        onStart: (child) => child.stdout?.once("data", () => child.stdout?.destroy())
      })
      assert.strictEqual(closed.error, "")
      const completed = yield* wieldProcess(["__complete", "tool_39"], { folder, environment })
      assert.strictEqual(completed.output.split("\n").length, 12)
    })
  )
})

describe("the pages of the documentation", () => {
  it("are what the commands say of themselves", () => {
    // `pnpm cli:docs` writes them.
    for (const [name, text] of pages()) {
      assert.strictEqual(readFileSync(new URL(`../../../docs/cli/${name}`, import.meta.url), "utf8"), text)
    }
  })
})

describe("the published schema", () => {
  it("is what the command encodes with", () => {
    // `pnpm cli:schema` writes it.
    assert.deepStrictEqual(published, JSON.parse(JSON.stringify(jsonSchema())))
  })
})
