/**
 * Runs examples with the packages as they would be published, under each runtime that npm has a package of, and in what
 * bundlers make of them, and prints tables. `pnpm test:runtimes bun deno` runs them under these, `bundles` in bundles.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { keepAddresses } from "./bundle-programs.js"
import { tryBundles } from "./bundles.js"
import { mapConcurrently } from "./map-concurrently.js"
import { serveRegistry } from "./installs.js"
import { packAll, type Tarball } from "./pack.js"
import { lastLines, runCommand } from "./run-command.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Examples, and the packages that each is about. Those that need nothing of Node come first. */
const examples = {
  "any-provider": "core, providers",
  "pause-and-resume": "agent, a file",
  "rest-tools": "manifest, http",
  "script-tools/main": "scripts",
  "assistant/main": "assistant"
}

type Example = keyof typeof examples

const names = Object.keys(examples) as ReadonlyArray<Example>

/** A script whose first line names the runtime, called by Wield under this Node, with short and long arguments. */
const callScript = (interpreter: string): string => `
import assert from "node:assert"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { ToolCall, ToolRunner } from "@wield/core"
import { ScriptFolder } from "@wield/scripts"
import { Effect } from "effect"
const folder = mkdtempSync(join(tmpdir(), "wield-named-"))
writeFileSync(join(folder, "length.ts"), \`#!${interpreter}
/**
 * Tells how long a text is.
 * @param text The text
 */
export function run(text: string) { console.log("counting"); return [text.length, "Bun" in globalThis, "Deno" in globalThis] }
\`)
const program = Effect.gen(function* () {
  for (const isolation of ["worker", "process", "shared"]) {
    const execution = { cache: join(folder, "cache"), isolation }
    const toolset = yield* ScriptFolder.toToolset(yield* ScriptFolder.load(folder), { execution })
    const runner = yield* ToolRunner.make(toolset)
    for (const length of [3, 200_000]) {
      const outcome = yield* runner.run(ToolCall.make("1", "length", { text: "x".repeat(length) }))
      const isBun = ${JSON.stringify(interpreter.endsWith("bun"))}
      assert.deepStrictEqual(outcome.encoded, [length, isBun, !isBun])
    }
  }
})
await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(NodeContext.layer)))
rmSync(folder, { recursive: true })
`

interface Runtime {
  readonly version: string
  /** Where it is installed, if scripts can name it in their first line. */
  readonly interpreter?: string
  /** What is installed for it. */
  readonly packages: ReadonlyArray<string>
  readonly run: (folder: string, example: Example) => Promise<string | undefined>
}

/** What went wrong; `undefined` where nothing did. */
const problemOf = async (folder: string, command: ReadonlyArray<string>): Promise<string | undefined> => {
  const [program = "", ...given] = command
  const result = await runCommand(program, given, { cwd: folder })
  return result.succeeded ? undefined : `${result.ending}\n${lastLines(result.output)}`
}

const runtime = (version: string, packages: ReadonlyArray<string>, ...command: ReadonlyArray<string>): Runtime => ({
  version,
  packages,
  run: (folder, example) => problemOf(folder, [...command, join("programs", `${example}.mjs`)])
})

const inModules = (path: string): string => join("node_modules", path)

/** A worker has no files and no processes: it gets one bundle, and runs it when it is asked. */
const workerd: Runtime = {
  version: "1.20261117.1",
  packages: ["workerd@1.20261117.1"],
  run: async (folder, example) => {
    if (example !== "any-provider") return notThere
    const worker = await rolldown({
      input: join(folder, "programs", `${example}.mjs`),
      platform: "browser",
      plugins: [{ name: "assert", resolveId: (id) => (id.startsWith("node:assert") ? { id, external: true } : null) }]
    })
    await worker.write({ file: join(folder, "worker.mjs"), format: "esm", codeSplitting: false })
    await worker.close()
    writeFileSync(join(folder, "worker.capnp"), workerConfig)
    return problemOf(folder, [inModules(".bin/workerd"), "test", "worker.capnp"])
  }
}

/** What a runtime is not meant for. */
const notThere = "–"

const workerConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
const worker :Workerd.Worker = (
  modules = [(name = "main", esModule = "export default { async test() { await import('program') } }"),
    (name = "program", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-11-01", compatibilityFlags = ["nodejs_compat"]
);
`

// Bun and Deno take 200 MB, so that only this command installs them.
const runtimes: Readonly<Record<string, Runtime>> = {
  node: runtime(process.versions.node, [], process.execPath),
  "node-22": runtime("22.23.1", ["node-22@npm:node@22.23.1"], inModules("node-22/bin/node")),
  "node-24": runtime("24.21.0", ["node-24@npm:node@24.21.0"], inModules("node-24/bin/node")),
  bun: { ...runtime("1.4.5", ["bun@1.4.5"], inModules(".bin/bun")), interpreter: inModules(".bin/bun") },
  deno: {
    ...runtime("2.9.6", ["deno@2.9.6"], inModules(".bin/deno"), "run", "-A"),
    interpreter: inModules(".bin/deno")
  },
  workerd
}

/** The examples as JavaScript. What they import stays outside, to be found where it is installed. */
const writePrograms = async (folder: string): Promise<void> => {
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(root, "examples", `${name}.ts`)])),
    platform: "node",
    tsconfig: false,
    transform: { target: "node20" },
    external: (id) => !/^(?:\.|\/|\w:\\|\0)/.test(id),
    plugins: [keepAddresses]
  })
  await build.write({ dir: join(folder, "programs"), format: "esm", entryFileNames: "[name].mjs" })
  await build.close()
}

const peers = ["effect@3", "@effect/ai", "@effect/platform", "@effect/platform-node@0", "@effect/sql"]

const install = async (
  folder: string,
  tarballs: ReadonlyArray<Tarball>,
  chosen: ReadonlyArray<Runtime>
): Promise<void> => {
  const registry = await serveRegistry(tarballs)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
  // Beside Effect 3, npm refuses a package that needs another one: `pnpm packages` tries that.
  const unused = new Set(["@wield/cli", "@wield/effect4", "@wield/interop", "@wield/mcp"])
  const own = tarballs.map(({ name }) => name).filter((name) => !unused.has(name))
  const packages = [...own, ...peers, "@effect/experimental", "libsql@0.4.7", "vitest@3", "@effect/vitest@0"]
  const given = [...packages, ...chosen.flatMap(({ packages }) => packages)]
  try {
    const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--registry", registry.url]
    const problem = await problemOf(folder, ["npm", "install", ...flags, ...given])
    if (problem !== undefined) throw new Error(`npm install ${given.join(" ")}: ${problem}`)
  } finally {
    registry.close()
  }
}

const runNamed = (folder: string, { interpreter }: Runtime): Promise<string | undefined> => {
  if (interpreter === undefined) return Promise.resolve(notThere)
  const program = join(folder, "programs", "named.mjs")
  writeFileSync(program, callScript(join(folder, interpreter)))
  return problemOf(folder, [process.execPath, program])
}

/** How many programs failed, after a table of all. */
const tryRuntimes = async (
  tarballs: ReadonlyArray<Tarball>,
  options: { readonly folder: string; readonly only?: ReadonlyArray<string> }
): Promise<number> => {
  const { only = [] } = options
  const chosen = Object.entries(runtimes).filter(([name]) => only.length === 0 || only.includes(name))
  const folder = join(options.folder, "runtimes")
  mkdirSync(folder, { recursive: true })
  await writePrograms(folder)
  const seen: Array<string> = []
  await install(
    folder,
    tarballs,
    chosen.map(([, runtime]) => runtime)
  )
  let failures = 0
  for (const [name, runtime] of chosen) {
    const cellOf = (what: string, problem: string | undefined): string => {
      if (problem === undefined || problem === notThere) return problem ?? "runs"
      failures += 1
      console.error(`${name}, ${what}: ${problem}`)
      return "fails"
    }
    const ran = await mapConcurrently(names, availableParallelism(), async (example) =>
      cellOf(example, await runtime.run(folder, example))
    )
    const cells = [...ran, cellOf("a script that names it", await runNamed(folder, runtime))]
    seen.push(`| ${name.replace("-", " ")} ${runtime.version} | ${cells.join(" | ")} |`)
  }
  const titles = [...names.map((name) => examples[name]), "a script that names it"]
  console.log(`\n| | ${titles.join(" | ")} |\n|---|${"---|".repeat(titles.length)}\n${seen.join("\n")}\n`)
  return failures
}

const folder = mkdtempSync(join(tmpdir(), "wield-runtimes-"))
try {
  const given = process.argv.slice(2)
  const only = given.filter((name) => name !== "bundles")
  const tarballs = await packAll(folder)
  let failures = 0
  if (given.length === 0 || only.length > 0) failures += await tryRuntimes(tarballs, { folder, only })
  if (given.length === 0 || given.includes("bundles")) failures += await tryBundles(tarballs, folder)
  process.exitCode = failures === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
