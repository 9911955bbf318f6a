/** Type-checks and runs every `ts` block of the documentation. docs-check/extract.ts says which tags a block may have. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { checkPages } from "./docs-check/check-pages.js"
import { formatProblem } from "./docs-check/problem.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const namesIn = (folder: string, recursive = false): ReadonlyArray<string> =>
  existsSync(join(root, folder)) ? readdirSync(join(root, folder), { recursive, encoding: "utf8" }).sort() : []

const paths = [
  "README.md",
  ...namesIn("docs", true)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...namesIn("packages").map((name) => `packages/${name}/README.md`)
].filter((path) => existsSync(join(root, path)))

const report = await checkPages(
  paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  { root, folder: join(root, ".docs-check") }
)

for (const problem of report.problems) console.error(`${formatProblem(problem)}\n`)
console.log(
  `${paths.length} pages, ${report.checked} code blocks type-checked, ${report.ran} run, ${report.problems.length} problems`
)
process.exitCode = report.problems.length > 0 ? 1 : 0
