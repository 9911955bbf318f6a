/**
 * The size and shape of the sources, as a table: `pnpm measure`. `--duplicates` counts repeated code as well, with a
 * tool from the registry, and `--packed` measures what installing, bundling and starting takes. `pnpm
 * test --times` prints what the test steps take.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { readSources, root, type Source } from "./sources.js"

const { values } = parseArgs({ options: { duplicates: { type: "boolean" }, packed: { type: "boolean" } } })

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

/** How many files stand in a cycle of values: each can reach itself. */
const inCycles = (sources: ReadonlyArray<Source>): number => {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const reaches = (from: Source): boolean => {
    const seen = new Set<string>()
    const open = [...from.imports]
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (path === from.path) return true
      if (seen.has(path)) continue
      seen.add(path)
      open.push(...(byPath.get(path)?.imports ?? []))
    }
    return false
  }
  return sources.filter(reaches).length
}

/** Files under 80 lines that one file imports. */
const shardsOf = (sources: ReadonlyArray<Source>): number => {
  const importers = new Map<string, number>()
  for (const { imports } of sources) {
    for (const path of new Set(imports)) importers.set(path, (importers.get(path) ?? 0) + 1)
  }
  return sources.filter(({ lines, path }) => lines < 80 && importers.get(path) === 1).length
}

const duplicatePairs = (): number => {
  const output = mkdtempSync(join(tmpdir(), "wield-measure-"))
  const command = [
    "--yes",
    "jscpd@4.0.5",
    "packages",
    "--pattern",
    "packages/*/src/**/*.ts",
    "--ignore",
    "**/*.test.ts"
  ]
  const options = ["--min-lines", "6", "--min-tokens", "50", "--reporters", "json", "--silent", "--output", output]
  execFileSync("npx", [...command, ...options], { cwd: root, stdio: "ignore" })
  const report: unknown = JSON.parse(readFileSync(join(output, "jscpd-report.json"), "utf8"))
  rmSync(output, { recursive: true })
  return (report as { readonly statistics: { readonly total: { readonly clones: number } } }).statistics.total.clones
}

const measured = Array.from(readSources(), ([name, sources]) => ({ name, sources }))
const everything = { name: "all", sources: measured.flatMap(({ sources }) => sources) }

console.log("| package | files | lines | median | in cycles | shards |\n|---|---|---|---|---|---|")
for (const { name, sources } of [...measured, everything]) {
  const lines = sources.map((source) => source.lines)
  const cells = [name, sources.length, lines.reduce((a, b) => a + b, 0), median(lines)]
  console.log(`| ${[...cells, inCycles(sources), shardsOf(sources)].join(" | ")} |`)
}
console.log("\nLines with comments and blank lines, without tests. Shards: files under 80 lines that one file imports.")
if (values.duplicates === true) console.log(`\n${duplicatePairs()} pairs of six or more equal lines`)
if (values.packed === true) {
  const { measurePacked } = await import("./measure-packed.js")
  await measurePacked()
}
