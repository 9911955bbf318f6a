/**
 * Which programs does a page of documentation contain?
 *
 * Each fence tagged `ts` is a module of its own. `ts continue` appends to the module before it; `ts no-run` is
 * type-checked and not run. No tag skips the type check.
 */
import type { Code, Nodes } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"
import type { Problem } from "./problem.js"

export interface Page {
  /** Relative to the root of the repository. */
  readonly path: string
  readonly text: string
}

export interface Module {
  readonly page: string
  /** The line of the page on which the module's first fence opens. */
  readonly line: number
  readonly isRun: boolean
  /** The code, with blank lines before and between its blocks so that its line numbers are those of the page. */
  readonly code: string
}

export interface Extraction {
  readonly modules: ReadonlyArray<Module>
  readonly problems: ReadonlyArray<Problem>
}

/** Other names of the language would be a way around the check. */
const otherNames = new Set(["typescript", "tsx", "mts", "cts"])
const knownTags = new Set(["continue", "no-run"])

const codeBlocks = (node: Nodes): ReadonlyArray<Code> =>
  node.type === "code" ? [node] : "children" in node ? node.children.flatMap(codeBlocks) : []

const placeAtLine = (before: string, code: string, line: number): string =>
  before + "\n".repeat(line - before.split("\n").length) + code

export const extract = (page: Page): Extraction => {
  const modules: Array<Module> = []
  const problems: Array<Problem> = []

  for (const block of codeBlocks(fromMarkdown(page.text))) {
    const line = block.position?.start.line ?? 1
    const report = (message: string) => problems.push({ page: page.path, line, message })
    const language = block.lang?.toLowerCase() ?? ""

    if (otherNames.has(language) || (language === "ts" && block.lang !== "ts")) {
      report(`a block of TypeScript is tagged "ts", not "${block.lang}"`)
      continue
    }
    if (language !== "ts") continue

    const tags = block.meta?.split(/\s+/).filter((tag) => tag !== "") ?? []
    const unknownTags = tags.filter((tag) => !knownTags.has(tag))
    if (unknownTags.length > 0) {
      report(`unknown tag "${unknownTags.join(" ")}"; a ts block may be tagged "continue" or "no-run"`)
    }

    const isRun = !tags.includes("no-run")
    const previous = modules.at(-1)
    if (!tags.includes("continue")) {
      modules.push({ page: page.path, line, isRun, code: placeAtLine("", block.value, line + 1) })
    } else if (previous === undefined) {
      report(`"continue" needs a ts block before it on the page`)
    } else {
      modules[modules.length - 1] = {
        ...previous,
        isRun: previous.isRun && isRun,
        code: placeAtLine(previous.code, block.value, line + 1)
      }
    }
  }

  return { modules, problems }
}
