/** What an installation costs: packs every package, installs lines of the documents, and bundles and starts programs. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { installLines, serveRegistry } from "./installs.js"
import { packAll, readManifest, root } from "./pack.js"
import { runCommand } from "./run-command.js"

const oneFormat = `import * as ToolRunner from "@wield/core/ToolRunner"
import * as Toolset from "@wield/core/Toolset"
import * as OpenAiChat from "@wield/providers/OpenAiChat"
globalThis.used = [Toolset.fromLayer, ToolRunner.make, OpenAiChat.format]`

/** Each keeps what it uses. */
const programs: Readonly<Record<string, string>> = {
  effect: `import { Effect, Layer, Schema } from "effect"
globalThis.used = [Effect.gen, Layer.succeed, Schema.Struct]`,
  "core and one format": oneFormat,
  "agent and one format": `${oneFormat}
import * as Agent from "@wield/agent/Agent"
import * as Model from "@wield/agent/Model"
globalThis.more = [Agent.make, Model.fromWire]`,
  wield: `import { tool, wield } from "wield"
import * as z from "zod"
globalThis.used = [tool, wield, z.object]`
}

/** The same call by `wield` and by the AI SDK, in a fresh process each: what is said of them is a ratio, of one run. */
const calls: Readonly<Record<string, string>> = {
  wield: `import { tool, wield } from "wield"
import * as z from "zod"
globalThis.first = async () => {
  const refund = tool("refund", { parameters: z.object({ amount: z.number() }), execute: async ({ amount }) => amount + " refunded" })
  const shop = await wield({ tools: [refund] })
  const call = { id: "call_1", type: "function", function: { name: "refund", arguments: '{"amount":4}' } }
  const { messages } = await shop.run().answer("openai-chat", { choices: [{ message: { role: "assistant", content: null, tool_calls: [call] } }] })
  return JSON.stringify(messages).includes("4 refunded")
}`,
  "AI SDK": `import { generateText, tool } from "ai"
import * as z from "zod"
globalThis.first = async () => {
  const refund = tool({ inputSchema: z.object({ amount: z.number() }), execute: async ({ amount }) => amount + " refunded" })
  const content = [{ type: "tool-call", toolCallId: "call_1", toolName: "refund", input: '{"amount":4}' }]
  const count = { total: 1 }
  const doGenerate = async () => ({ content, finishReason: { unified: "tool-calls" }, usage: { inputTokens: count, outputTokens: count }, warnings: [] })
  const model = { specificationVersion: "v3", provider: "none", modelId: "none", supportedUrls: {}, doGenerate }
  const { toolResults } = await generateText({ model, prompt: "Refund 4", tools: { refund } })
  return JSON.stringify(toolResults).includes("4 refunded")
}`
}

interface Goal {
  readonly what: string
  readonly measured: number
  readonly most: number
  readonly unit: string
}

/** The version that tests run beside. */
const sdk = `ai@${readManifest(join(root, "package.json")).devDependencies?.["ai"]}`

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(0)

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((total, entry) => total + statSync(join(entry.parentPath, entry.name)).size, 0)

/** Bytes, minified and gzipped, that a program loads at its start, and that it may load later. */
const bundle = async (folder: string, name: string): Promise<{ readonly start: number; readonly later: number }> => {
  const build = await rolldown({ input: join(folder, `${name}.mjs`), platform: "node", logLevel: "silent" })
  const dir = join(folder, "bundles", name)
  const { output } = await build.write({ dir, format: "esm", minify: true, entryFileNames: "start.mjs" })
  await build.close()
  const chunks = new Map(output.flatMap((part) => (part.type === "chunk" ? [[part.fileName, part]] : [])))
  const first = new Set(["start.mjs"])
  for (const name of first) chunks.get(name)?.imports.forEach((imported) => first.add(imported))
  const sizes = { start: 0, later: 0 }
  for (const { code, fileName } of chunks.values())
    sizes[first.has(fileName) ? "start" : "later"] += gzipSync(code).length
  return sizes
}

/** Processor milliseconds up to there, the least of several fresh processes. */
const startOf = (programs: ReadonlyArray<string>, until: "import" | "first call" = "import"): ReadonlyArray<number> => {
  const taken = programs.map(() => Number.POSITIVE_INFINITY)
  const call = until === "import" ? "" : "if (!(await globalThis.first())) throw new Error('the call failed')\n"
  for (let round = 0; round < 10; round++) {
    programs.forEach((program, index) => {
      const report = `await import(${JSON.stringify(program)})\n${call}const { system, user } = process.cpuUsage()\nconsole.log((system + user) / 1000)`
      const { status, stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", report], {
        encoding: "utf8"
      })
      if (status !== 0) throw new Error(`${program} does not start: ${stderr}`)
      taken[index] = Math.min(taken[index] ?? 0, Number(stdout.trim().split("\n").at(-1)))
    })
  }
  return taken
}

export const measurePacked = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "wield-measure-"))
  try {
    const tarballs = await packAll(folder)
    console.log("\n| tarball | kB |\n|---|---|")
    for (const { name, tarball } of tarballs) console.log(`| ${name} | ${kilobytes(statSync(tarball).size)} |`)

    const registry = await serveRegistry(tarballs)
    console.log("\n| `node_modules` of | MB |\n|---|---|")
    const lines = [...["docs/getting-started.md", "packages/agent/README.md"].flatMap(installLines), [sdk, "zod"]]
    const megabytes: Array<number> = []
    for (const [index, packages] of lines.entries()) {
      const consumer = join(folder, `consumer${index}`)
      mkdirSync(consumer)
      writeFileSync(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
      const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--registry", registry.url]
      const result = await runCommand("npm", ["install", ...flags, ...packages], {
        cwd: consumer
      })
      if (!result.succeeded) throw new Error(`npm install ${packages.join(" ")}: ${result.ending}\n${result.output}`)
      megabytes.push(bytesIn(join(consumer, "node_modules")) / 1e6)
      console.log(`| \`npm install ${packages.join(" ")}\` | ${megabytes.at(-1)?.toFixed(1)} |`)
    }
    registry.close()

    // The agent's packages are those of all programs but the one with promises.
    const ofAgent = lines.findIndex((packages) => packages[0] === "@wield/agent" && packages.includes("@effect/ai"))
    const names = Object.keys(programs)
    const homes = names.map((name) => join(folder, `consumer${name === "wield" ? 0 : ofAgent}`))
    const starts = new Map<string, number>()
    const paths: Array<string> = []
    const rows: Array<string> = []
    for (const [index, name] of names.entries()) {
      const home = homes[index] ?? ""
      writeFileSync(join(home, `${name}.mjs`), programs[name] ?? "")
      const { later, start } = await bundle(home, name)
      starts.set(name, start)
      rows.push(`${name} | ${kilobytes(start)} | ${kilobytes(later)}`)
      paths.push(join(home, `${name}.mjs`), join(home, "bundles", name, "start.mjs"))
    }
    const taken = startOf(paths).map((milliseconds) => milliseconds.toFixed(0))
    console.log(
      "\n| program | bundle, kB | loaded when used, kB | start, ms | start bundled, ms |\n|---|---|---|---|---|"
    )
    rows.forEach((row, index) => console.log(`| ${row} | ${taken[2 * index]} | ${taken[2 * index + 1]} |`))
    console.log("\nBundles minified and gzipped. Starts in processor time, the least of ten fresh processes.")

    const compared = Object.entries(calls).map(([name, code]) => {
      const path = join(folder, `consumer${name === "wield" ? 0 : lines.length - 1}`, "first.mjs")
      writeFileSync(path, code)
      return path
    })
    const [imported = 0, importedSdk = 1] = startOf(compared)
    const [called = 0, calledSdk = 1] = startOf(compared, "first call")
    const goals: ReadonlyArray<Goal> = [
      { what: "`wield` with zod, installed", measured: megabytes[0] ?? 0, most: 10, unit: " MB" },
      { what: "agent with Effect's packages, installed", measured: megabytes[ofAgent] ?? 0, most: 64, unit: " MB" },
      { what: "first load of `wield` with zod", measured: (starts.get("wield") ?? 0) / 1000, most: 190, unit: " kB" },
      { what: "import of `wield`, by that of the AI SDK", measured: imported / importedSdk, most: 1.25, unit: "x" },
      { what: "first call of `wield`, by that of the AI SDK", measured: called / calledSdk, most: 1.5, unit: "x" }
    ]
    console.log("\n| goal | measured | at most | |\n|---|---|---|---|")
    for (const { measured, most, unit, what } of goals) {
      const state = measured <= most ? "met" : "missed"
      console.log(`| ${what} | ${measured.toFixed(2)}${unit} | ${most}${unit} | ${state} |`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
