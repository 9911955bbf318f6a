/**
 * Everything that has to pass, in order, up to the first failure. `pnpm test` runs all steps, `pnpm test lint docgen`
 * only those named.
 */
import { spawnSync } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Each step is the script of that name in package.json. */
const steps = [
  { script: "check", title: "types of every package, example, script and test" },
  { script: "check:effect", title: "diagnostics of the Effect language service" },
  { script: "lint", title: "lint rules and formatting" },
  { script: "test:unit", title: "tests" },
  { script: "test:types", title: "tests of types" },
  { script: "docs:check", title: "code blocks of the documentation" },
  { script: "docgen", title: "documentation comments and their examples" },
  { script: "examples", title: "examples" },
  { script: "packages", title: "packages as they would be published" }
]

const names = process.argv.slice(2)
const unknownNames = names.filter((name) => !steps.some(({ script }) => script === name))
if (unknownNames.length > 0) {
  console.error(`No step is named ${unknownNames.join(", ")}. Steps: ${steps.map(({ script }) => script).join(", ")}`)
  process.exit(1)
}
const chosen = names.length === 0 ? steps : steps.filter(({ script }) => names.includes(script))

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`

const startedAt = performance.now()
const durations: Array<string> = []
let failed: string | undefined
for (const [index, { script, title }] of chosen.entries()) {
  console.log(`\n=== ${index + 1}/${chosen.length} ${script}: ${title}`)
  const stepStartedAt = performance.now()
  const { status } = spawnSync(`pnpm run ${script}`, {
    cwd: root,
    shell: true,
    stdio: ["ignore", "inherit", "inherit"]
  })
  const duration = seconds(performance.now() - stepStartedAt)
  console.log(`--- ${script} ${status === 0 ? "passed" : "failed"} in ${duration}`)
  if (status !== 0) {
    failed = script
    break
  }
  durations.push(`${script} ${duration}`)
}

console.log(`\n${durations.join(", ")}`)
console.log(
  `${durations.length} steps passed, ${failed === undefined ? "0 failed" : `1 failed: ${failed}`} (${seconds(performance.now() - startedAt)})`
)
process.exitCode = failed === undefined ? 0 : 1
