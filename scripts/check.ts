/**
 * Types and Effect diagnostics of everything that is TypeScript: packages, tests, examples, scripts, and the code in
 * guides and documentation comments, in one program.
 */
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { findPages } from "./documentation/pages.js"
import { formatProblem } from "./documentation/problem.js"
import { typeCheck } from "./documentation/type-check.js"
import { writePages } from "./documentation/write.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, ".docs-check", "types")

const pages = findPages(root)
const { modules, problems: misread } = writePages(pages, folder)
const problems = [
  ...misread,
  ...(await typeCheck(modules, {
    root,
    folder,
    include: [
      "packages/*/src",
      "packages/*/test",
      "packages/*/ui",
      "examples",
      "scripts",
      "bench/harness",
      // The bench's own; what needs its peers is checked when it runs.
      "bench/peers/wield*.ts",
      "bench/cases/journal.ts",
      "bench/cases/memory.ts",
      "test",
      "*.ts"
    ]
  }))
]
rmSync(folder, { recursive: true, force: true })

for (const problem of problems) console.error(`${formatProblem(problem)}\n`)
console.log(`${modules.length} blocks of code in ${pages.length} pages and modules, ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0
