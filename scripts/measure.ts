/**
 * The size and shape of the sources, as a table: `pnpm measure`. `--duplicates` counts repeated code as well, with a
 * tool from the registry. `pnpm test --times` prints what the test steps take.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import ts from "typescript"
import { isParticiple } from "./words/participles.js"
import { exportedFunctions } from "./words/functions.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values } = parseArgs({ options: { duplicates: { type: "boolean" } } })

interface Source {
  readonly path: string
  readonly lines: number
  /** The files that it imports, types left out. */
  readonly imports: ReadonlyArray<string>
  /** Of its exported functions, those that are named by a participle. */
  readonly participles: ReadonlyArray<string>
}

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !/\.(test|test-d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

const isTypeOnly = (node: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly
  const clause = node.importClause
  if (clause === undefined) return false
  const bindings = clause.namedBindings
  if (clause.isTypeOnly) return true
  return (
    clause.name === undefined &&
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.length > 0 &&
    bindings.elements.every((element) => element.isTypeOnly)
  )
}

const read = (path: string): Source => {
  const text = readFileSync(path, "utf8")
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const imports = file.statements.flatMap((node) => {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return []
    const { moduleSpecifier } = node
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return []
    if (!moduleSpecifier.text.startsWith(".") || isTypeOnly(node)) return []
    return [resolve(dirname(path), moduleSpecifier.text.replace(/\.js$/, ".ts"))]
  })
  const participles = exportedFunctions(file).filter(isParticiple)
  return { path, lines: text.split("\n").length - 1, imports, participles }
}

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

const packages = readdirSync(join(root, "packages")).toSorted()
const measured = packages.map((name) => ({ name, sources: filesOf(join(root, "packages", name, "src")).map(read) }))
const everything = { name: "all", sources: measured.flatMap(({ sources }) => sources) }

console.log("| package | files | lines | median | in cycles | shards | participles |\n|---|---|---|---|---|---|---|")
for (const { name, sources } of [...measured, everything]) {
  const lines = sources.map((source) => source.lines)
  const participles = sources.reduce((sum, source) => sum + source.participles.length, 0)
  const cells = [name, sources.length, lines.reduce((a, b) => a + b, 0), median(lines)]
  console.log(`| ${[...cells, inCycles(sources), shardsOf(sources), participles].join(" | ")} |`)
}
console.log("\nLines with comments and blank lines, without tests. Shards: files under 80 lines that one file imports.")
console.log("Participles: exported functions named by one.")
for (const { participles, path } of everything.sources) {
  if (participles.length > 0) console.log(`  ${relative(root, path)}: ${participles.join(", ")}`)
}
if (values.duplicates === true) console.log(`\n${duplicatePairs()} pairs of six or more equal lines`)
