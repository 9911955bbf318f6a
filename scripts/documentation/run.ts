/** Runs modules that are programs; one fails if it does not end well. */
import { mkdirSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname, join, relative } from "node:path"
import { mapConcurrently } from "../map-concurrently.js"
import { lastLines } from "../run-command.js"
import { runProgram } from "../run-program.js"
import { bundlePrograms } from "../bundle-programs.js"
import type { Problem } from "./problem.js"
import type { WrittenModule } from "./write.js"

interface Program {
  readonly name: string
  readonly file: string
  /** What to look at when it fails. */
  readonly page: string
  readonly line: number
}

export interface RunOptions {
  readonly root: string
  /** The modules lie in it, and so does what is made of them. */
  readonly folder: string
  /** Further programs: files relative to the root. */
  readonly files?: ReadonlyArray<string>
  readonly report?: (line: string) => void
}

/** A block of a page is a program of its own. */
const programOf = (module: WrittenModule): Program => ({
  name: `${module.page}/line-${module.line}`,
  file: module.file,
  page: module.page,
  line: module.line
})

/** The examples of all comments of a package are run one after the other in one process: each takes milliseconds. */
const programOfComments = (name: string, modules: ReadonlyArray<WrittenModule>, folder: string): Program => {
  const file = join(folder, `${name}.ts`)
  const loads = modules.map(({ file: block, line, page }) => {
    const specifier = JSON.stringify(`./${relative(dirname(file), block).replaceAll("\\", "/")}`)
    return `  [${JSON.stringify(`${page}:${line}`)}, () => import(${specifier})],`
  })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    `const examples = [
${loads.join("\n")}
] as const
process.exitCode = 1
for (const [place, load] of examples) {
  try {
    await load()
  } catch (error) {
    console.error("The example at " + place + " fails:")
    throw error
  }
}
process.exitCode = 0
`
  )
  return { name, file, page: name, line: 1 }
}

const isSource = ({ page }: WrittenModule): boolean => page.endsWith(".ts")

const packageOf = ({ page }: WrittenModule): string => page.split("/").slice(0, 2).join("/")

export const runModules = async (
  modules: ReadonlyArray<WrittenModule>,
  { files = [], folder, report = () => {}, root }: RunOptions
): Promise<ReadonlyArray<Problem>> => {
  const runnable = modules.filter(({ isRun }) => isRun)
  const comments = runnable.filter(isSource)
  const packages = [...new Set(comments.map(packageOf))]
  const programs = [
    ...files.map((file) => ({ name: file.replace(/\.ts$/, ""), file: join(root, file), page: file, line: 1 })),
    ...packages.map((name) =>
      programOfComments(
        name,
        comments.filter((module) => packageOf(module) === name),
        folder
      )
    ),
    ...runnable.filter((module) => !isSource(module)).map(programOf)
  ]
  const bundles = await bundlePrograms(new Map(programs.map(({ file, name }) => [name, file])), {
    folder: join(folder, "bundle")
  })
  const problems = await mapConcurrently(programs, availableParallelism(), async ({ line, name, page }) => {
    const result = await runProgram(bundles.get(name) ?? name, { cwd: root })
    report(`${result.succeeded ? "ok    " : "FAILED"} ${name} (${result.seconds.toFixed(1)} s)`)
    return result.succeeded
      ? []
      : [{ page, line, message: `the program failed: ${result.ending}\n${lastLines(result.output)}` }]
  })
  return problems.flat()
}
