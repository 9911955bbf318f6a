/** What an installation costs: packs every package, installs lines of the documents, and bundles and starts programs. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { installLines, serveRegistry } from "./installs.js"
import { packAll } from "./pack.js"
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
globalThis.used = [tool, wield]`
}

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

/** Processor milliseconds, the least of several fresh processes. */
const startOf = (programs: ReadonlyArray<string>): ReadonlyArray<number> => {
  const taken = programs.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < 10; round++) {
    programs.forEach((program, index) => {
      const report = `await import(${JSON.stringify(program)})\nconst { system, user } = process.cpuUsage()\nconsole.log((system + user) / 1000)`
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
    const lines = ["docs/getting-started.md", "packages/agent/README.md"].flatMap(installLines)
    for (const [index, packages] of lines.entries()) {
      const consumer = join(folder, `consumer${index}`)
      mkdirSync(consumer)
      writeFileSync(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
      const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--registry", registry.url]
      const result = await runCommand("npm", ["install", ...flags, ...packages], {
        cwd: consumer,
        timeLimitSeconds: 300
      })
      if (!result.succeeded) throw new Error(`npm install ${packages.join(" ")}: ${result.ending}\n${result.output}`)
      console.log(
        `| \`npm install ${packages.join(" ")}\` | ${(bytesIn(join(consumer, "node_modules")) / 1e6).toFixed(0)} |`
      )
    }
    registry.close()

    // The last line is the agent's, whose packages are those of all programs but the one with promises.
    const names = Object.keys(programs)
    const homes = names.map((name) => join(folder, `consumer${name === "wield" ? 0 : lines.length - 1}`))
    const paths: Array<string> = []
    const rows: Array<string> = []
    for (const [index, name] of names.entries()) {
      const home = homes[index] ?? ""
      writeFileSync(join(home, `${name}.mjs`), programs[name] ?? "")
      const { later, start } = await bundle(home, name)
      rows.push(`${name} | ${kilobytes(start)} | ${kilobytes(later)}`)
      paths.push(join(home, `${name}.mjs`), join(home, "bundles", name, "start.mjs"))
    }
    const taken = startOf(paths).map((milliseconds) => milliseconds.toFixed(0))
    console.log(
      "\n| program | bundle, kB | loaded when used, kB | start, ms | start bundled, ms |\n|---|---|---|---|---|"
    )
    rows.forEach((row, index) => console.log(`| ${row} | ${taken[2 * index]} | ${taken[2 * index + 1]} |`))
    console.log("\nBundles minified and gzipped. Starts in processor time, the least of ten fresh processes.")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
