/**
 * Programs with the packages as they would be published, bundled by what applications are bundled by, for each kind of
 * host: a call and an agent run in each, for a bundle may be built without a word and fail at the first call.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { rolldown } from "rolldown"
import { serveRegistry } from "./installs.js"
import type { Tarball } from "./pack.js"
import { lastLines, runCommand } from "./run-command.js"

const calls = `
const call = { id: "call_1", type: "function", function: { name: "refund", arguments: '{"amount":4}' } }
const wrong = { ...call, id: "call_2", function: { name: "refund", arguments: '{"amount":"4"}' } }
const answer = (message) => ({ choices: [{ message: { role: "assistant", ...message }, finish_reason: "stop" }] })
globalThis.fetch = async (_, { body }) => {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body)
  const isAnswered = JSON.parse(text).messages.at(-1).role === "tool"
  return Response.json(answer(isAnswered ? { content: "Done." } : { content: null, tool_calls: [call] }))
}
const check = (what, given, expected) => {
  if (!JSON.stringify(given).includes(expected)) throw new Error(what + ": " + JSON.stringify(given) + " lacks " + expected)
}
`

interface Program {
  readonly packages: ReadonlyArray<string>
  readonly code: string
}

/** Both name an optional peer that is not installed. */
const programs: Readonly<Record<string, Program>> = {
  wield: {
    packages: ["wield", "zod"],
    code: `import { failure, tool, wield } from "wield"
import { fileStore } from "wield/file"
import * as z from "zod"
${calls}
export const run = async () => {
const refund = tool("refund", { parameters: z.object({ amount: z.number() }), execute: async ({ amount }) => amount + " refunded" })
const scoped = { type: "object", properties: { amount: { type: "number" } }, unevaluatedProperties: false }
const shop = await wield({ tools: [refund, tool("scoped", { parameters: scoped, execute: () => 1 })] })
const { messages } = await shop.run().answer("openai-chat", answer({ content: null, tool_calls: [call, wrong] }))
check("a call", messages, "4 refunded")
check("a wrong call", messages, "- amount: expected a number")
check("a schema that ajv does not read", await shop.run().call("scoped", { amount: 1, other: 2 }).catch(({ message }) => message), "other")
const model = { format: "openai-chat", model: "gpt-5-mini", url: "https://api.example/v1" }
check("an agent", await shop.agent({ model }).ask("Refund it"), "Done.")
await shop.close()
check("no libsql", await wield({ tools: [], store: fileStore({ path: "shop.db" }) }).catch(({ message }) => message), "npm install libsql")
}
`
  },
  "@wield/core and agent": {
    packages: ["@wield/agent", "@wield/core", "@wield/providers", "effect@3", "@effect/ai", "@effect/platform"],
    code: `import { FetchHttpClient } from "@effect/platform"
import { Agent, Model, Tokens } from "@wield/agent"
import { Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import * as OpenAiChat from "@wield/providers/OpenAiChat"
import { Effect } from "effect"
${calls}
const inputSchema = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] }
const tools = { name: "refund", inputSchema, execute: ({ amount }) => Effect.succeed(amount + " refunded") }
const scoped = { ...tools, name: "scoped", inputSchema: { ...inputSchema, unevaluatedProperties: false } }
const program = Effect.gen(function* () {
  const toolset = yield* Toolset.dynamic([tools, scoped])
  const runner = yield* ToolRunner.make(toolset)
  check("a call", Outcome.text(yield* runner.run(ToolCall.make("1", "refund", { amount: 4 }))), "4 refunded")
  check("a wrong call", Outcome.text(yield* runner.run(ToolCall.make("2", "scoped", { amount: "4" }))), "expected a number")
  const model = yield* Model.fromWire(OpenAiChat.format, { model: "gpt-5-mini", url: "https://api.example/v1" })
  const agent = yield* Agent.make({ model, toolset })
  check("an agent", (yield* Agent.run(agent, "Refund it")).text, "Done.")
  const counter = Tokens.forModel("openai-chat", "gpt-5-mini")
  yield* counter.counts
  check("no tokenizer", counter.name, "estimate")
})
export const run = () => Effect.runPromise(Effect.provide(program, FetchHttpClient.layer))
`
  }
}

type Platform = "node" | "neutral" | "browser"

/** Bundles `entry` into a folder, in which the program is `start.mjs` then. */
type Bundler = (entry: string, outdir: string, platform: Platform) => Promise<void>

const viaEsbuild =
  (splitting: boolean): Bundler =>
  async (entry, outdir, platform) => {
    const mainFields = platform === "neutral" ? { mainFields: ["module", "main"] } : {}
    const names = { entryNames: "start", outExtension: { ".js": ".mjs" } }
    const options = { bundle: true, format: "esm", logLevel: "silent", minify: true } as const
    await build({ ...options, ...mainFields, ...names, entryPoints: [entry], outdir, platform, splitting })
  }

const viaRolldown: Bundler = async (entry, dir, platform) => {
  const resolve = platform === "neutral" ? { mainFields: ["module", "main"] } : {}
  const bundle = await rolldown({ input: entry, platform, resolve, logLevel: "silent" })
  await bundle.write({
    dir,
    format: "esm",
    minify: true,
    entryFileNames: "start.mjs",
    chunkFileNames: "[name]-[hash].mjs"
  })
  await bundle.close()
}

/** Both are installed when they are needed, and asked by a process in their folder. */
const others = ["vite@7.3.8", "webpack@5.113.0", "workerd@1.20261117.1"]

const buildProgram = `import { dirname } from "node:path"
const [kind, entry, outdir, platform] = process.argv.slice(2)
if (kind === "vite") {
  const { build } = await import("vite")
  const output = { entryFileNames: "start.mjs", chunkFileNames: "[name]-[hash].mjs" }
  const rollupOptions = { input: entry, output, preserveEntrySignatures: "strict" }
  await build({
    root: dirname(entry),
    configFile: false,
    logLevel: "error",
    build: { outDir: outdir, target: "es2022", modulePreload: false, ssr: platform === "node", rollupOptions },
    ssr: { noExternal: true }
  })
} else {
  const { default: webpack } = await import("webpack")
  const output = { path: outdir, filename: "start.mjs", chunkFilename: "[id].mjs", module: true, chunkFormat: "module" }
  const compiler = webpack({
    mode: "production",
    context: dirname(entry),
    entry,
    target: platform === "node" ? ["node20", "es2022"] : ["web", "es2022"],
    experiments: { outputModule: true },
    output: { ...output, chunkLoading: "import", library: { type: "module" } }
  })
  const stats = await new Promise((resolve, reject) => compiler.run((error, done) => (error ? reject(error) : resolve(done))))
  if (stats.hasErrors()) throw new Error(stats.toString("errors-only"))
}
`

const viaProcess =
  (kind: "vite" | "webpack", tools: string): Bundler =>
  async (entry, outdir, platform) => {
    const given = [join(tools, "build.mjs"), kind, entry, outdir, platform]
    const { ending, output, succeeded } = await runCommand(process.execPath, given, {
      cwd: tools
    })
    if (!succeeded) throw new Error(`${ending}\n${lastLines(output)}`)
  }

/** Without what no browser has. Node's own `fetch` needs `Buffer`, and is loaded before. */
const withoutNode = "new Response(''); delete globalThis.process"

const workerConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
const worker :Workerd.Worker = (
  modules = [(name = "main", esModule = "import { run } from 'program'; export default { test: () => run() }"),
    (name = "program", esModule = embed "start.mjs")],
  compatibilityDate = "2026-11-01"
);
`

const execute = async (command: ReadonlyArray<string>, cwd: string): Promise<void> => {
  const [program = "", ...given] = command
  const { ending, output, succeeded } = await runCommand(program, given, { cwd })
  if (!succeeded) throw new Error(`${ending}\n${lastLines(output)}`)
}

/** How many programs failed, after a table of all. */
export const tryBundles = async (tarballs: ReadonlyArray<Tarball>, parent: string): Promise<number> => {
  const folder = join(parent, "bundles")
  const tools = join(folder, "tools")
  const registry = await serveRegistry(tarballs)
  const install = async (home: string, packages: ReadonlyArray<string>): Promise<void> => {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
    const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--registry", registry.url]
    await execute(["npm", "install", ...flags, ...packages], home)
  }
  try {
    await install(tools, others)
    for (const [index, { code, packages }] of Object.values(programs).entries()) {
      const home = join(folder, String(index))
      await install(home, packages)
      writeFileSync(join(home, "program.mjs"), code)
    }
  } finally {
    registry.close()
  }
  writeFileSync(join(tools, "build.mjs"), buildProgram)

  const bundlers: Readonly<Record<string, readonly [Bundler, ReadonlyArray<Platform>]>> = {
    "esbuild, one file": [viaEsbuild(false), ["node", "neutral", "browser"]],
    "esbuild --splitting": [viaEsbuild(true), ["node", "neutral", "browser"]],
    rolldown: [viaRolldown, ["node", "neutral", "browser"]],
    vite: [viaProcess("vite", tools), ["node", "browser"]],
    webpack: [viaProcess("webpack", tools), ["node", "browser"]]
  }
  let failures = 0
  const rows: Array<string> = []
  for (const [index, name] of Object.keys(programs).entries()) {
    const entry = join(folder, String(index), "program.mjs")
    for (const [title, [bundle, platforms]] of Object.entries(bundlers)) {
      const tried = async (what: string, attempt: () => Promise<void>): Promise<string> => {
        try {
          await attempt()
          return "runs"
        } catch (error) {
          failures += 1
          console.error(`${name}, ${title}, ${what}: ${error instanceof Error ? error.message : String(error)}`)
          return "fails"
        }
      }
      const outdirOf = (platform: Platform): string =>
        join(folder, String(index), `${title.replaceAll(/\W+/g, "-")}-${platform}`)
      const cells: Array<string> = []
      for (const platform of ["node", "neutral", "browser"] as const) {
        const outdir = outdirOf(platform)
        const program = `${platform === "node" ? "" : withoutNode}\nawait (await import("./start.mjs")).run()`
        const start = [process.execPath, "--input-type=module", "--eval", program]
        const attempt = async (): Promise<void> => {
          await bundle(entry, outdir, platform)
          await execute(start, outdir)
        }
        cells.push(platforms.includes(platform) ? await tried(platform, attempt) : "–")
      }
      const worker = async (): Promise<void> => {
        writeFileSync(join(outdirOf("browser"), "worker.capnp"), workerConfig)
        await execute([join(tools, "node_modules", ".bin", "workerd"), "test", "worker.capnp"], outdirOf("browser"))
      }
      // It takes the modules that its configuration names: one file.
      cells.push(title === "esbuild, one file" ? await tried("workerd", worker) : "–")
      rows.push(`| ${name}, ${title} | ${cells.join(" | ")} |`)
    }
  }
  console.log(
    `\n| a call and an agent of | node | neutral | browser | workerd |\n|---|---|---|---|---|\n${rows.join("\n")}\n`
  )
  return failures
}
