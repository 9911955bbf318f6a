/**
 * The size and shape of the sources, as a table: `pnpm measure`. `--where` names the files and lines that it counts,
 * `--duplicates` counts repeated code as well, with a tool from the registry, and `--packed` measures what installing,
 * bundling and starting takes. `pnpm test --times` prints what the test steps take.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import { parseArgs } from "node:util"
import { readSources, root, type Source } from "./sources.js"

const { values } = parseArgs({
  options: { where: { type: "boolean" }, duplicates: { type: "boolean" }, packed: { type: "boolean" } }
})

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

/** Files that can reach themselves by what they import. */
const inCircles = (
  sources: ReadonlyArray<Source>,
  importsOf: (source: Source) => ReadonlyArray<string>
): ReadonlyArray<Source> => {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const next = (path: string): ReadonlyArray<string> => {
    const source = byPath.get(path)
    return source === undefined ? [] : importsOf(source)
  }
  const reaches = (from: Source): boolean => {
    const seen = new Set<string>()
    const open = [...importsOf(from)]
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (path === from.path) return true
      if (seen.has(path)) continue
      seen.add(path)
      open.push(...next(path))
    }
    return false
  }
  return sources.filter(reaches)
}

const isMain = (source: Source): boolean => basename(source.path) === "index.ts"

/** Names that stand more than once: modules with a capital, and functions of the files of one folder. */
const namesTwice = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const places = new Map<string, Array<string>>()
  const note = (name: string, place: string): void => void places.set(name, [...(places.get(name) ?? []), place])
  for (const source of sources) {
    if (isMain(source)) continue
    const place = relative(root, source.path)
    const module = basename(place, ".ts")
    if (/^[A-Z]/.test(module)) note(`module ${module}`, place)
    // A module with a capital is a name of its own before its functions, as in `Runs.make`.
    if (/^[A-Z]/.test(module)) continue
    for (const name of source.functions) note(`function ${name} in ${dirname(place)}`, basename(place))
  }
  return [...places].filter(([, where]) => where.length > 1).map(([name, where]) => `${name}: ${where.join(", ")}`)
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

const columns: ReadonlyArray<readonly [string, (sources: ReadonlyArray<Source>) => number | ReadonlyArray<string>]> = [
  ["files", (sources) => sources.length],
  ["lines", (sources) => sources.reduce((total, { lines }) => total + lines, 0)],
  ["median", (sources) => median(sources.map(({ lines }) => lines))],
  ["in circles", (sources) => inCircles(sources, ({ imports }) => imports).map(({ path }) => relative(root, path))],
  [
    "with types",
    (sources) => inCircles(sources, ({ allImports }) => allImports).map(({ path }) => relative(root, path))
  ],
  ["shards", shardsOf],
  [
    "files > 500",
    (sources) =>
      sources.filter(({ lines }) => lines > 500).map(({ lines, path }) => `${relative(root, path)}: ${lines}`)
  ],
  [
    "functions > 150",
    (sources) =>
      sources.flatMap(({ longFunctions, path }) =>
        longFunctions.map(({ line, lines }) => `${relative(root, path)}:${line}: ${lines}`)
      )
  ],
  ["casts", (sources) => sources.reduce((total, { casts }) => total + casts, 0)],
  [
    "unproved",
    (sources) =>
      sources.flatMap(({ path, unprovedCasts }) => unprovedCasts.map((line) => `${relative(root, path)}:${line}`))
  ],
  ["names twice", namesTwice]
]

console.log(`| package | ${columns.map(([title]) => title).join(" | ")} |\n|---|${"---|".repeat(columns.length)}`)
for (const { name, sources } of [...measured, everything]) {
  const cells = columns
    .map(([, count]) => count(sources))
    .map((cell) => (typeof cell === "number" ? cell : cell.length))
  console.log(`| ${[name, ...cells].join(" | ")} |`)
}
console.log(`
Lines with comments and blank lines, without tests. In circles: files that reach themselves by what they import, with
and without types. Shards: files under 80 lines that one file imports. Unproved: casts without a comment at the line,
above it, or above its statement. Names twice: modules, and functions of one folder.`)
if (values.where === true) {
  for (const [title, count] of columns) {
    const places = count(everything.sources)
    if (typeof places !== "number") console.log(`\n${title}\n${places.map((place) => `  ${place}`).join("\n")}`)
  }
}
if (values.duplicates === true) console.log(`\n${duplicatePairs()} pairs of six or more equal lines`)
if (values.packed === true) {
  const { measurePacked } = await import("./measure-packed.js")
  await measurePacked()
}
