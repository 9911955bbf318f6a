/** Runs modules that are programs; one fails if it does not end well. */
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join, relative } from "node:path"
import { mapConcurrently } from "../map-concurrently.js"
import { lastLines } from "../run-command.js"
import { runProgram } from "../run-program.js"
import { bundlePrograms } from "../bundle-programs.js"
import type { Problem } from "./problem.js"
import type { WrittenModule } from "./write.js"

export interface RunOptions {
  readonly root: string
  /** The modules lie in it, and so does what is made of them. */
  readonly folder: string
  /** Further programs: files relative to the root. */
  readonly files?: ReadonlyArray<string>
  readonly report?: (line: string) => void
  /** How many work at once. */
  readonly processes?: number
  readonly timeLimitSeconds?: number
}

/** Blocks of a guide, or examples of a package: where each stands, and what imports it. */
type Pages = ReadonlyMap<string, ReadonlyArray<WrittenModule>>

const pageOf = ({ page }: WrittenModule): string =>
  page.endsWith(".ts") ? page.split("/").slice(0, 2).join("/") : page

const groupByPage = (modules: ReadonlyArray<WrittenModule>): Pages => {
  const pages = new Map<string, Array<WrittenModule>>()
  for (const module of modules) pages.set(pageOf(module), [...(pages.get(pageOf(module)) ?? []), module])
  return pages
}

/** Writes one program that runs the blocks of the pages it is given, in order: loading takes longer than most of them. */
const writeProgram = (pages: Pages, folder: string): string => {
  const file = join(folder, "pages.ts")
  const loads = [...pages].map(([name, modules]) => {
    const blocks = modules.map(({ file: block, line, page }) => {
      const specifier = JSON.stringify(`./${relative(folder, block).replaceAll("\\", "/")}`)
      return `    [${JSON.stringify(`${page}:${line}`)}, () => import(${specifier})],`
    })
    return `  ${JSON.stringify(name)}: [\n${blocks.join("\n")}\n  ],`
  })
  writeFileSync(
    file,
    `const pages = {
${loads.join("\n")}
}
let place = ""
let isDone = false
// A block that never ends, or that ends the process, keeps others from running.
process.on("exit", (code) => {
  if (isDone || code === 1) return
  console.error("The example at " + place + " does not end, or ends the process.")
  process.exitCode = 1
})
for (const page of process.argv.slice(2)) {
  for (const [name, load] of pages[page]) {
    place = name
    try {
      await load()
    } catch (error) {
      console.error("The example at " + place + " fails:")
      console.error(error)
      process.exit(1)
    }
  }
}
isDone = true
`
  )
  return file
}

/** Deals pages to so many processes. */
const deal = (names: ReadonlyArray<string>, processes: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.min(processes, names.length) }, (_, hand) =>
    names.filter((_name, index) => index % processes === hand)
  )

export const runModules = async (
  modules: ReadonlyArray<WrittenModule>,
  { files = [], folder, processes = availableParallelism(), report = () => {}, root, timeLimitSeconds }: RunOptions
): Promise<ReadonlyArray<Problem>> => {
  const pages = groupByPage(modules.filter(({ isRun }) => isRun))
  const program = writeProgram(pages, folder)
  const bundles = await bundlePrograms(
    new Map([["pages", program], ...files.map((file) => [file.replace(/\.ts$/, ""), join(root, file)] as const)]),
    { folder: join(folder, "bundle") }
  )
  const run = async (
    name: string,
    problem: Pick<Problem, "page" | "line">,
    names: ReadonlyArray<string> = []
  ): Promise<ReadonlyArray<Problem>> => {
    const result = await runProgram(bundles.get(name) ?? name, { arguments: names, cwd: root, timeLimitSeconds })
    report(
      `${result.succeeded ? "ok    " : "FAILED"} ${names.length > 0 ? names.join(" ") : name} (${result.seconds.toFixed(1)} s)`
    )
    return result.succeeded
      ? []
      : [{ ...problem, message: `the program failed: ${result.ending}\n${lastLines(result.output)}` }]
  }
  const runPage = (name: string) => run("pages", { page: name, line: pages.get(name)?.[0]?.line ?? 1 }, [name])
  const tasks = [
    ...deal([...pages.keys()], processes).map((names) => async () => {
      if (names.length === 1) return runPage(names[0]!)
      const together = await run("pages", { page: names.join(", "), line: 1 }, names)
      if (together.length === 0) return []
      // An error may come while a later page runs. Alone, each answers for itself.
      const alone = (await mapConcurrently(names, 1, runPage)).flat()
      return alone.length > 0 ? alone : together
    }),
    ...files.map((file) => () => run(file.replace(/\.ts$/, ""), { page: file, line: 1 }))
  ]
  return (await mapConcurrently(tasks, processes, (task) => task())).flat()
}
