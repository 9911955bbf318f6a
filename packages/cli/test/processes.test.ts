import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import Ajv2020 from "ajv/dist/2020.js"
import { pages } from "../src/commands/pages.js"
import { jsonSchema } from "../src/output/jsonSchema.js"
import { leaves } from "../src/commands/tree.js"
import { bundleOf } from "../../../test/programs.js"
import { answerAsModel, greeter, listen, modelThatCalls, project, waitingConfig, wieldProcess } from "./wield.js"

const here = fileURLToPath(new URL("..", import.meta.url))
const published: object = JSON.parse(readFileSync(new URL("../output.schema.json", import.meta.url), "utf8"))

/** Bundled: reading the sources of all that it imports takes a process many seconds. */
const loudConfig = Effect.map(
  bundleOf(new URL("loudConfig.ts", import.meta.url)),
  (bundle) => `export { default } from ${JSON.stringify(pathToFileURL(bundle).href)}`
)

const said = [
  "write",
  "import",
  "descriptor",
  "child",
  "layer",
  "console.log",
  "console.table",
  "Console.log",
  "of the fiber",
  "of the process",
  "pretty"
]

const record = JSON.stringify({
  choices: [
    {
      message: {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "loud", arguments: "{}" } }]
      }
    }
  ]
})

const clientInfo = { name: "test", version: "1" }

const mcpMessages = [
  { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/call", params: { name: "loud", arguments: {} } }
].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

describe("the process of wield", () => {
  it.scopedLive.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129]
  ] as const)("interrupts a handler by %s, and exits with %d when it has released what it held", ([signal, code]) =>
    Effect.gen(function* () {
      const { environment, folder } = yield* project({ "wield.config.ts": waitingConfig }, here)
      const ended = yield* wieldProcess(["call", "wait", "--trust"], {
        folder,
        environment,
        onStart: (child) => child.stderr?.on("data", (text: string) => text.includes("waiting") && child.kill(signal))
      })
      assert.deepStrictEqual([ended.code, ended.output], [code, ""])
      assert.strictEqual(readFileSync(`${folder}/released.txt`, "utf8"), "done")
    })
  )

  it.scopedLive("is ended by a signal also where the configuration has left something running", () =>
    Effect.gen(function* () {
      const config = "setInterval(() => undefined, 1000)\nexport default { tools: [] }"
      const { environment, folder } = yield* project({ "wield.config.mjs": config }, here)
      const ended = yield* wieldProcess(["list", "--json", "--trust"], {
        folder,
        environment,
        // It has ended, and waits for the timer.
        onStart: (child) => child.stdout?.on("data", () => setTimeout(() => child.kill("SIGTERM"), 500))
      })
      // On a busy machine, the signal comes before the end.
      assert.include([null, 143], ended.code)
      assert.include(ended.output, '"tools":')
    })
  )

  it.scopedLive("prints results only on standard output, whatever a tool prints and logs", () =>
    Effect.gen(function* () {
      const { environment, folder } = yield* project({ "wield.config.ts": yield* loudConfig })
      const listed = yield* wieldProcess(["list", "--json", "--trust"], { folder, environment })
      assert.strictEqual(JSON.parse(listed.output).command, "list")
      assert.include(listed.error, "LOUD at the top")
      const called = yield* wieldProcess(["call", "loud", "--json", "--trust"], { folder, environment })
      assert.strictEqual(JSON.parse(called.output).result, "done")
      for (const what of said) assert.include(called.error, `LOUD ${what}`)
      assert.strictEqual(called.error.match(/LOUD of the fiber/g)?.length, 1)
    })
  )

  it.scopedLive("loads a configuration in TypeScript, and has Node load its packages, in a folder of any name", () =>
    Effect.gen(function* () {
      const name = "a b #1 100%20?"
      const { environment, folder } = yield* project({
        [`${name}/wield.config.ts`]: `
import { isLoadedByNode } from "given"
console.log("by Node:", isLoadedByNode satisfies boolean)
export default { tools: [] }`,
        [`${name}/node_modules/given/package.json`]: JSON.stringify({ name: "given", exports: "./given.mjs" }),
        [`${name}/node_modules/given/given.mjs`]: 'export const isLoadedByNode = typeof require === "undefined"'
      })
      const { code, error } = yield* wieldProcess(["list", "--trust"], { folder: join(folder, name), environment })
      assert.include(error, "by Node: true")
      assert.strictEqual(code, 0)
    })
  )

  it.scopedLive("keeps what tools print from the events of a run, a report and the messages of MCP", () =>
    Effect.gen(function* () {
      const model = yield* listen(modelThatCalls("loud", {}))
      const { environment, folder } = yield* project({ "wield.config.ts": yield* loudConfig, "calls.json": record })
      const options = { folder, environment: { ...environment, MODEL_URL: model.url } }
      const run = yield* wieldProcess(["run", "Be loud", "--json", "--trust"], options)
      const events = run.output.trim().split("\n")
      assert.strictEqual(JSON.parse(events.at(-1)!).event._tag, "Done", run.error)
      for (const line of events) assert.strictEqual(JSON.parse(line).command, "run")
      for (const what of said) assert.include(run.error, `LOUD ${what}`)
      const replayed = yield* wieldProcess(["replay", "calls.json", "--json", "--trust"], options)
      assert.strictEqual(JSON.parse(replayed.output).counts.valid, 1)
      const served = yield* wieldProcess(["serve", "mcp", "--trust"], {
        ...options,
        input: mcpMessages.join("")
      })
      const answers = served.output.trim().split("\n")
      assert.strictEqual(JSON.parse(answers[1]!).result.content[0].text, "done", served.error)
      for (const what of said) assert.include(served.error, `LOUD ${what}`)
    })
  )

  it.scopedLive("ends in an orderly way where nothing that it writes is read or can be written", () =>
    Effect.gen(function* () {
      const { url } = yield* listen(answerAsModel)
      const { environment, folder } = yield* project({
        ...greeter(url, "allow"),
        "tools/greet.ts": `
/** Greets a person. */
export async function run(name: string) {
  for (let line = 0; line < 5; line++) {
    console.log(line)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return name
}
`
      })
      const options = { folder, environment }
      // What runs is interrupted, and has not succeeded.
      const unread = yield* wieldProcess(["run", "Greet Ada", "--json", "--trust"], {
        ...options,
        onStart: ({ stdout }) => stdout?.destroy()
      })
      assert.deepStrictEqual([unread.code, unread.error], [130, ""])
      const call = ["call", "greet", "name=Ada", "--json", "--trust"]
      const unheard = yield* wieldProcess(call, { ...options, onStart: ({ stderr }) => stderr?.destroy() })
      assert.deepStrictEqual([unheard.code, JSON.parse(unheard.output).result], [0, "Ada"])
      // Opened to be read only.
      const output = openSync(join(folder, "wield.config.json"), "r")
      const lost = yield* wieldProcess(call, { ...options, output })
      closeSync(output)
      assert.strictEqual(lost.code, 1)
      assert.include(lost.error, "Standard output cannot be written")
      assert.notInclude(lost.error, "    at ")
    })
  )

  it.scopedLive("carries out once what two processes approve at the same time", () =>
    Effect.gen(function* () {
      const { url } = yield* listen(modelThatCalls("pay", { amount: 450 }))
      const { environment, folder, wield } = yield* project({
        "wield.config.json": JSON.stringify({
          tools: [{ scripts: "tools" }],
          approval: "ask",
          store: "wield.db",
          model: { format: "openai-chat", id: "test", url }
        }),
        "tools/pay.ts": `import { appendFileSync } from "node:fs"
/**
 * Pays.
 * @param amount How much
 */
export function run(amount: number) { appendFileSync(${JSON.stringify("PAID")}, amount + "\\n"); return "paid" }
`
      })
      const paid = join(folder, "paid.txt")
      writeFileSync(
        join(folder, "tools/pay.ts"),
        readFileSync(join(folder, "tools/pay.ts"), "utf8").replace("PAID", paid)
      )
      yield* wield(["trust"])
      assert.strictEqual((yield* wield(["run", "Pay", "--conversation", "c1"])).code, 5)
      const [request] = JSON.parse((yield* wield(["approvals", "list", "--json"])).output).approvals
      const answer = wieldProcess(["approvals", "answer", request.id, "--approve"], { folder, environment })
      const both = yield* Effect.all([answer, answer], { concurrency: 2 })
      assert.include(
        both.map(({ code }) => code),
        0,
        JSON.stringify(both)
      )
      assert.strictEqual(readFileSync(paid, "utf8"), "450\n", JSON.stringify(both))
      assert.deepStrictEqual(JSON.parse((yield* wield(["approvals", "list", "--json"])).output).approvals, [])
    })
  )

  it.scopedLive("prints help in lines of 80 columns, of all commands", () =>
    Effect.gen(function* () {
      const { wield } = yield* project({})
      const groups = [...leaves.keys()].flatMap((path) => (path.includes(" ") ? [path.split(" ")[0]!] : []))
      for (const path of ["", ...groups, ...leaves.keys()]) {
        const { code, output } = yield* wield([...path.split(" ").filter((word) => word !== ""), "--help"])
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(
          output.split("\n").filter((line) => line.length > 80),
          [],
          path
        )
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
