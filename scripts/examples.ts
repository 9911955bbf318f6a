/** Runs every example, and fails naming the ones that do not end well within a minute. */
import { existsSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { lastLines } from "./run-command.js"
import { runProgram } from "./run-program.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const examples = readdirSync(join(root, "examples"), { withFileTypes: true })
  .flatMap((entry) => {
    if (entry.isFile()) return entry.name.endsWith(".ts") ? [`examples/${entry.name}`] : []
    return existsSync(join(root, "examples", entry.name, "main.ts")) ? [`examples/${entry.name}/main.ts`] : []
  })
  .sort()

const failures: Array<string> = []
for (const example of examples) {
  const result = await runProgram(example, { cwd: root })
  console.log(`${result.succeeded ? "ok    " : "FAILED"} ${example} (${result.seconds.toFixed(1)} s)`)
  if (!result.succeeded) failures.push(`${example} failed: ${result.ending}\n${lastLines(result.output)}`)
}

for (const failure of failures) console.error(`\n${failure}`)
console.log(`\n${examples.length} examples: ${examples.length - failures.length} passed, ${failures.length} failed`)
if (examples.length === 0) console.error("No example was found in examples/.")
process.exitCode = failures.length > 0 || examples.length === 0 ? 1 : 0
