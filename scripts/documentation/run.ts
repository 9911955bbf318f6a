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

/** The blocks of a guide, and the examples of a package, run one after the other in one process: most take milliseconds. */
const programOf = (name: string, modules: ReadonlyArray<WrittenModule>, folder: string): Program => {
  const file = join(folder, `${name}.all.ts`)
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
  return { name, file, page: name, line: modules[0]?.line ?? 1 }
}

/** Modules run together: those of a guide, or of a package's sources. */
const groupOf = ({ page }: WrittenModule): string =>
  page.endsWith(".ts") ? page.split("/").slice(0, 2).join("/") : page

export const runModules = async (
  modules: ReadonlyArray<WrittenModule>,
  { files = [], folder, report = () => {}, root }: RunOptions
): Promise<ReadonlyArray<Problem>> => {
  const groups = new Map<string, Array<WrittenModule>>()
  for (const module of modules.filter(({ isRun }) => isRun)) {
    const group = groupOf(module)
    groups.set(group, [...(groups.get(group) ?? []), module])
  }
  const programs = [
    ...files.map((file) => ({ name: file.replace(/\.ts$/, ""), file: join(root, file), page: file, line: 1 })),
    ...[...groups].map(([name, group]) => programOf(name, group, folder))
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
