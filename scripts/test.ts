/**
 * Everything that has to pass, in order, up to the first failure. `pnpm test` runs all steps, `pnpm test lint docgen`
 * only those named.
 */
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

interface Step {
  /** The script of that name in package.json. */
  readonly script: string
  readonly title: string
}

const checkEffect: Step = { script: "check:effect", title: "diagnostics of the Effect language service" }
const checks: ReadonlyArray<Step> = [
  { script: "check", title: "types of every package, example, script and test" },
  { script: "lint", title: "lint rules and formatting" },
  { script: "test:types", title: "tests of types" }
]
const others: ReadonlyArray<Step> = [
  { script: "test:unit", title: "tests" },
  { script: "docs:check", title: "code blocks of the documentation" },
  { script: "docgen", title: "documentation comments and their examples" }
]
const examples: Step = { script: "examples", title: "examples" }
const packages: Step = { script: "packages", title: "packages as they would be published" }

/** Lanes of a stage run side by side, for each uses one processor; the other steps use all there are. */
const stages: ReadonlyArray<ReadonlyArray<ReadonlyArray<Step>>> = [
  [checks, [checkEffect]],
  [others],
  [[examples], [packages]]
]

const steps = stages.flat(2)
const names = process.argv.slice(2)
const unknownNames = names.filter((name) => !steps.some(({ script }) => script === name))
if (unknownNames.length > 0) {
  console.error(`No step is named ${unknownNames.join(", ")}. Steps: ${steps.map(({ script }) => script).join(", ")}`)
  process.exit(1)
}
const isChosen = ({ script }: Step): boolean => names.length === 0 || names.includes(script)
const amount = steps.filter(isChosen).length

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`

const startedAt = performance.now()
const durations: Array<string> = []
const failed: Array<string> = []
let begun = 0

/** Where others run beside it, what a step prints is shown when it is over. */
const runStep = ({ script, title }: Step, isAlone: boolean): Promise<void> =>
  new Promise((resolve) => {
    const heading = `\n=== ${++begun}/${amount} ${script}: ${title}`
    if (isAlone) console.log(heading)
    const stepStartedAt = performance.now()
    const child = spawn(`pnpm run ${script}`, {
      cwd: root,
      shell: true,
      stdio: ["ignore", isAlone ? "inherit" : "pipe", isAlone ? "inherit" : "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => (output += text))
    }
    child.on("close", (code) => {
      const duration = seconds(performance.now() - stepStartedAt)
      if (!isAlone) console.log(`${heading}\n${output.trimEnd()}`)
      console.log(`--- ${script} ${code === 0 ? "passed" : "failed"} in ${duration}`)
      if (code === 0) durations.push(`${script} ${duration}`)
      else failed.push(script)
      resolve()
    })
  })

const runLane = async (lane: ReadonlyArray<Step>, isAlone: boolean): Promise<void> => {
  for (const step of lane) {
    if (failed.length > 0) return
    await runStep(step, isAlone)
  }
}

for (const stage of stages) {
  const lanes = stage.map((lane) => lane.filter(isChosen)).filter((lane) => lane.length > 0)
  await Promise.all(lanes.map((lane) => runLane(lane, lanes.length === 1)))
}

console.log(`\n${durations.join(", ")}`)
console.log(
  `${durations.length} steps passed, ${failed.length === 0 ? "0 failed" : `${failed.length} failed: ${failed.join(", ")}`} (${seconds(performance.now() - startedAt)})`
)
process.exitCode = failed.length === 0 ? 0 : 1
