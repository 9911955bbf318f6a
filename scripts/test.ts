/**
 * Everything that has to pass, in order, up to the first failure.
 *
 * `pnpm test` runs what a contributor runs before every push, `pnpm test:soak` what takes long by its nature, and
 * `pnpm test lint examples` only those steps. `--times` prints what each step took, as the table of CONTRIBUTING.md.
 */
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

interface Step {
  /** The script of that name in package.json. */
  readonly script: string
  readonly title: string
}

const quick: ReadonlyArray<Step> = [
  { script: "lint", title: "lint rules and formatting" },
  { script: "check", title: "types and Effect diagnostics of all code, guides and comments included, in one program" },
  { script: "test:unit", title: "tests, in two processes that share what they import" },
  { script: "examples", title: "programs, guides and comments, bundled once and run" }
]

const soak: ReadonlyArray<Step> = [
  {
    script: "test:long",
    title: "the same tests with more kills, longer walks, hostile sizes and all recorded material"
  },
  {
    script: "check:5",
    title: "examples, tests of types and what they import under TypeScript 5.9, which most users have"
  },
  {
    script: "test:hosts",
    title: "@wield/interop in SDKs too large for the default install, which it installs (580 MB)"
  },
  { script: "packages", title: "packages as they would be published" },
  { script: "site", title: "the documentation site, and that none of its links is dead" }
]

/** `pnpm test:soak cluster --seed 7 --kills 20`: the kills of the cluster alone, with any seed. */
const single: ReadonlyArray<Step> = [
  { script: "cluster", title: "three runners that are killed at random; ends with counts of effects" }
]

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: {
    soak: { type: "boolean" },
    times: { type: "boolean" },
    seed: { type: "string" },
    kills: { type: "string" }
  }
})
if (values.seed !== undefined) process.env["WIELD_CLUSTER_SEED"] = values.seed
if (values.kills !== undefined) process.env["WIELD_CLUSTER_KILLS"] = values.kills
const steps = [...quick, ...soak, ...single]
const unknownNames = names.filter((name) => !steps.some(({ script }) => script === name))
if (unknownNames.length > 0) {
  console.error(`No step is named ${unknownNames.join(", ")}. Steps: ${steps.map(({ script }) => script).join(", ")}`)
  process.exit(1)
}
const suite = values.soak === true ? soak : quick
const chosen = names.length === 0 ? suite : steps.filter(({ script }) => names.includes(script))

const run = ({ script }: Step): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(`pnpm run ${script}`, { cwd: root, shell: true, stdio: ["ignore", "inherit", "inherit"] })
    child.on("close", (code) => resolve(code === 0))
  })

const secondsSince = (start: number): number => (performance.now() - start) / 1000

const startedAt = performance.now()
const taken: Array<{ readonly step: Step; readonly seconds: number }> = []
let failed: Step | undefined
for (const [index, step] of chosen.entries()) {
  console.log(`\n=== ${index + 1}/${chosen.length} ${step.script}: ${step.title}`)
  const stepStartedAt = performance.now()
  if (!(await run(step))) {
    failed = step
    break
  }
  taken.push({ step, seconds: secondsSince(stepStartedAt) })
}

if (values.times === true) {
  console.log("\n| step | seconds | what it does |\n|---|---|---|")
  for (const { seconds, step } of taken) console.log(`| \`${step.script}\` | ${seconds.toFixed(0)} | ${step.title} |`)
}
console.log(`\n${taken.map(({ seconds, step }) => `${step.script} ${seconds.toFixed(1)} s`).join(", ")}`)
console.log(
  `${taken.length} steps passed, ${failed === undefined ? "0 failed" : `1 failed: ${failed.script}`} (${secondsSince(startedAt).toFixed(1)} s)`
)
process.exitCode = failed === undefined ? 0 : 1
