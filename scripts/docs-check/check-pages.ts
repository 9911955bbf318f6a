/** Everything that is wrong with the code of the given pages. */
import { extract, type Page } from "./extract.js"
import type { Problem } from "./problem.js"
import { run } from "./run.js"
import { typeCheck } from "./type-check.js"
import { writeModules } from "./write.js"

export interface Report {
  readonly checked: number
  readonly ran: number
  readonly problems: ReadonlyArray<Problem>
}

export const checkPages = async (
  pages: ReadonlyArray<Page>,
  options: {
    readonly root: string
    /** Emptied first. Inside the root, and ignored by git. */
    readonly folder: string
  }
): Promise<Report> => {
  const extractions = pages.map(extract)
  const modules = writeModules(
    extractions.flatMap((extraction) => extraction.modules),
    options.folder
  )
  const problems = [
    ...extractions.flatMap((extraction) => extraction.problems),
    ...(modules.length === 0 ? [] : typeCheck(modules, options.root))
  ]
  // A module that does not compile would only say the same again.
  if (problems.length > 0) return { checked: modules.length, ran: 0, problems }
  const programs = modules.filter((module) => module.isRun)
  return { checked: modules.length, ran: programs.length, problems: await run(programs, options.root) }
}
