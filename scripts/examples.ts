/**
 * Runs what readers are shown: the programs of `examples/`, the blocks of guides and the examples of documentation
 * comments. `pnpm check` type-checks them.
 */
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { findPages, programsOf } from "./documentation/pages.js"
import { formatProblem } from "./documentation/problem.js"
import { runModules } from "./documentation/run.js"
import { writePages } from "./documentation/write.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, ".docs-check", "programs")

const files = programsOf(root)

const { modules, problems: misread } = writePages(findPages(root), folder)
const problems = [...misread, ...(await runModules(modules, { root, folder, files, report: console.log }))]
rmSync(folder, { recursive: true, force: true })

for (const problem of problems) console.error(`\n${formatProblem(problem)}`)
const ran = modules.filter(({ isRun }) => isRun).length
console.log(`\n${files.length} programs and ${ran} blocks of code run, ${problems.length} problems`)
process.exitCode = problems.length > 0 || files.length === 0 ? 1 : 0
