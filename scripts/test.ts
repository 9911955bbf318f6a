/**
 * Everything that has to pass, up to the first failure, which stops what runs beside it.
 *
 * `pnpm test` runs what a contributor runs before every push, `pnpm test:soak` what takes long by its nature, and
 * `pnpm test lint examples` only those steps. `--times` prints what each step took, as the table of CONTRIBUTING.md, and how many times as much of
 * the processor the whole took as `check`: that ratio hardly depends on the machine and the hour.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

interface Step {
  /** The script of that name in package.json. */
  readonly script: string
  readonly title: string
}

/** Steps one after the other. */
type Row = ReadonlyArray<Step>
/** Rows at once. The first writes as it goes, what the others write follows it. */
type Group = ReadonlyArray<Row>

// The tests wait now and then: the other steps use the processors meanwhile.
const quick: Group = [
  [{ script: "test:unit", title: "tests, in three processes whose files share what they import" }],
  [
    { script: "lint", title: "lint rules and formatting" },
    {
      script: "check",
      title: "types and Effect diagnostics of all code, guides and comments included, in one program"
    },
    { script: "examples", title: "programs, guides and comments, bundled once and run" }
  ]
]

// Installing waits for the disk and the registry: the tests use the processors meanwhile.
const soak: Group = [
  [
    {
      script: "test:long",
      title:
        "the same tests with more kills, longer walks, hostile sizes and all recorded material; the documentation site"
    }
  ],
  [
    {
      script: "check:5",
      title: "examples, tests of types and what they import under TypeScript 5.9, which most users have"
    },
    {
      script: "test:hosts",
      title: "@wield/interop in SDKs too large for the default install, which it installs (580 MB)"
    },
    { script: "packages", title: "packages as they would be published, and beside the newest Effect" },
    {
      script: "test:runtimes",
      title:
        "examples with the packed packages under Node 20, 22 and 24, Bun, Deno and workerd, which it installs, and in bundles"
    }
  ]
]

/** `pnpm test:soak cluster --seed 7 --kills 20`: the kills of the cluster alone, with any seed. */
const single: Row = [
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
const steps = [...quick.flat(), ...soak.flat(), ...single]
const unknownNames = names.filter((name) => !steps.some(({ script }) => script === name))
if (unknownNames.length > 0) {
  console.error(`No step is named ${unknownNames.join(", ")}. Steps: ${steps.map(({ script }) => script).join(", ")}`)
  process.exit(1)
}
const suite = (values.soak === true ? soak : quick).flat()
const isChosen = (step: Step): boolean => (names.length === 0 ? suite.includes(step) : names.includes(step.script))
const groups: ReadonlyArray<Group> = [quick, soak, [single]]
const chosen = groups.map((rows) => rows.map((row) => row.filter(isChosen)).filter((row) => row.length > 0))

// What the last check remembers of the types: the ratio is to a check that begins with nothing, as in a fresh clone.
if (values.times === true) rmSync(join(root, "node_modules", ".cache"), { recursive: true, force: true })

const hasGroups = process.platform !== "win32"
const running = new Set<ChildProcess>()
let isStopped = false
const stop = (): void => {
  isStopped = true
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    if (hasGroups && child.pid !== undefined) process.kill(-child.pid, "SIGTERM")
    else child.kill()
  }
  setTimeout(() => running.forEach(endAtOnce), 30_000).unref()
}

/** What a step has started may hold on to its output longer than the step: a process that a test meant to kill. */
const endAtOnce = (child: ChildProcess): void => {
  try {
    if (hasGroups && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
  } catch {
    // All of the group have ended.
  }
  for (const stream of child.stdio) stream?.destroy()
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop)

/** Seconds that `times` of POSIX shells prints for the shell and what it has waited for, such as `0m1.23s 0m0.45s`. */
const processorSeconds = (times: string): number =>
  Array.from(
    times.matchAll(/(\d+)m([\d.]+)s/g),
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds)
  ).reduce((total, seconds) => total + seconds, 0)

interface Ending {
  readonly succeeded: boolean
  /** Of the processor, by all processes that were waited for. 0 where no POSIX shell counts it. */
  readonly processor: number
}

/** What it writes is kept, and handed on at once unless something is written by another step meanwhile. */
const run = (script: string, kept: Array<Buffer>, isAside: boolean): Promise<Ending> =>
  new Promise((resolve) => {
    // A terminal gets colours and progress.
    const output = !isAside && process.stdout.isTTY ? "inherit" : "pipe"
    const command = `pnpm run ${script}`
    const child = spawn(hasGroups ? `${command} 3>&-; code=$?; times >&3; exit $code` : command, {
      cwd: root,
      shell: true,
      stdio: ["ignore", output, output, "pipe"],
      // A process group of its own, which can be stopped with all that the step has started.
      detached: hasGroups
    })
    running.add(child)
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (data: Buffer) => {
        kept.push(data)
        if (!isAside) process.stdout.write(data)
      })
    }
    let times = ""
    child.stdio[3]?.on("data", (data: Buffer) => (times += data.toString()))
    child.on("close", (code) => {
      running.delete(child)
      resolve({ succeeded: code === 0, processor: processorSeconds(times) })
    })
  })

const secondsSince = (start: number): number => (performance.now() - start) / 1000

const count = chosen.flat(2).length
const startedAt = performance.now()
const taken: Array<{ readonly step: Step; readonly seconds: number; readonly processor: number }> = []
let failed: { readonly step: Step; readonly output: string } | undefined
let begun = 0

const runStep = async (step: Step, isAside: boolean): Promise<() => void> => {
  const kept: Array<Buffer> = []
  const head = `\n=== ${++begun}/${count} ${step.script}: ${step.title}`
  console.log(isAside ? `${head} (its output follows)` : head)
  const stepStartedAt = performance.now()
  const { processor, succeeded } = await run(step.script, kept, isAside)
  if (succeeded) taken.push({ step, seconds: secondsSince(stepStartedAt), processor })
  else if (!isStopped) {
    failed = { step, output: Buffer.concat(kept).toString() }
    stop()
  }
  return () => {
    if (!isAside) return
    console.log(`\n=== the output of ${step.script}`)
    process.stdout.write(Buffer.concat(kept))
  }
}

for (const rows of chosen) {
  const writes = await Promise.all(
    rows.map(async (row, index) => {
      const ofRow: Array<() => void> = []
      for (const step of row) if (!isStopped) ofRow.push(await runStep(step, index > 0))
      return ofRow
    })
  )
  for (const write of writes.flat()) write()
}

// Where only the end of a log is kept, the reason has to stand there.
if (failed !== undefined && taken.length > 0)
  console.log(`\n=== the end of the output of ${failed.step.script}, which failed\n${failed.output.slice(-20_000)}`)
if (values.times === true) {
  console.log("\n| step | seconds | processor | what it does |\n|---|---|---|---|")
  for (const { processor, seconds, step } of taken)
    console.log(`| \`${step.script}\` | ${seconds.toFixed(0)} | ${processor.toFixed(0)} | ${step.title} |`)
  const whole = taken.reduce((total, { processor }) => total + processor, 0)
  const check = taken.find(({ step }) => step.script === "check")?.processor ?? 0
  console.log(
    `\n${whole.toFixed(0)} seconds of processor${check > 0 ? `, ${(whole / check).toFixed(1)} times those of check` : ""}`
  )
}
console.log(`\n${taken.map(({ seconds, step }) => `${step.script} ${seconds.toFixed(1)} s`).join(", ")}`)
console.log(
  `${taken.length} steps passed, ${failed !== undefined ? `1 failed: ${failed.step.script}` : isStopped ? "stopped" : "0 failed"} (${secondsSince(startedAt).toFixed(1)} s)`
)
process.exitCode = isStopped ? 1 : 0
