/** Runs the modules that are programs; one fails if it does not end well. */
import { availableParallelism } from "node:os"
import { mapConcurrently } from "../map-concurrently.js"
import { lastLines } from "../run-command.js"
import { runProgram } from "../run-program.js"
import type { Problem } from "./problem.js"
import type { WrittenModule } from "./write.js"

export const run = async (modules: ReadonlyArray<WrittenModule>, root: string): Promise<ReadonlyArray<Problem>> => {
  const problems = await mapConcurrently(modules, availableParallelism(), async (module) => {
    const result = await runProgram(module.file, { cwd: root })
    if (result.succeeded) return []
    const message = `the program failed: ${result.ending}\n${lastLines(result.output)}`
    return [{ page: module.page, line: module.line, message }]
  })
  return problems.flat()
}
