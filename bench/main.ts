/** `pnpm bench` (all cases), `pnpm bench call request`, `pnpm bench call.one`: each group in a process of its own. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { cases } from "./cases/index.js"
import { environment, renderEnvironment } from "./harness/environment.js"
import { results } from "./harness/folders.js"
import { type Goal, type Measured, renderGoals } from "./harness/table.js"

const asked = process.argv.slice(2)
const names = asked.length === 0 ? Object.keys(cases) : asked

console.log(`${renderEnvironment(environment())}\n`)

const goals: Array<Goal> = []
const failures: Array<string> = []
for (const name of names) {
  const [caseName = "", groupName] = name.split(".")
  const load = cases[caseName]
  if (load === undefined) {
    console.error(`There is no case ${caseName}. Cases: ${Object.keys(cases).join(", ")}`)
    process.exit(1)
  }
  const { groups } = await load()
  for (const group of groups.filter((candidate) => groupName === undefined || candidate.name === groupName)) {
    console.log(`## ${caseName}: ${group.name}\n`)
    const program = join(dirname(fileURLToPath(import.meta.url)), "runGroup.js")
    const { status } = spawnSync(process.execPath, ["--expose-gc", program, caseName, group.name], {
      stdio: ["ignore", "inherit", "inherit"]
    })
    if (status !== 0) {
      failures.push(`${caseName} ${group.name} could not be measured`)
      continue
    }
    const measured: Measured = JSON.parse(readFileSync(join(results, `${caseName}.${group.name}.json`), "utf8"))
    goals.push(...measured.goals)
    failures.push(...(measured.failures ?? []))
  }
}

console.log(renderGoals(goals))
for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1
