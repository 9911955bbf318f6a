/** The tools that a file declares: `TOOLS`, of which `AVAILABLE_FUNCTIONS` names those that are on offer. */
import * as Issue from "@wield/core/Issue"
import * as NearestNames from "@wield/core/NearestNames"
import * as Effect from "effect/Effect"
import { isArray, type Located } from "./Located.js"
import type { FunctionTool } from "../FunctionFile.js"
import type { Report } from "./report.js"
import { type CompileSchema, toolOf } from "./toolOf.js"

export interface Declarations {
  /** Absent, or None: all tools are available. */
  readonly available: Located | undefined
  readonly tools: Located | undefined
}

export const toolsOf = (
  { available, tools }: Declarations,
  report: Report,
  compile: CompileSchema
): Effect.Effect<ReadonlyArray<FunctionTool>> =>
  Effect.gen(function* () {
    if (tools === undefined || tools.value === null) {
      report.error(
        "missing-tools",
        "The file has no TOOLS; add the list of its functions, in the schema of OpenAI",
        tools
      )
      return []
    }
    if (!isArray(tools.value)) {
      report.error("not-a-list", `TOOLS must be a list of functions, but is ${Issue.show(tools.value)}`, tools)
      return []
    }
    const names = namesOf(available, report)
    if (names === "wrong") return []
    const found = new Map<string, FunctionTool>()
    const broken = new Set<string>()
    for (const [index, entry] of tools.items.entries()) {
      const tool = yield* toolOf(entry, index, report, compile)
      const name = tool?.name ?? nameIn(entry)
      if (tool === undefined) {
        if (name !== undefined) broken.add(name)
      } else if (found.has(tool.name)) {
        report.error(
          "duplicate-function",
          `${tool.name} stands in TOOLS for the second time; the first one is kept, rename or remove this one`,
          tool,
          tool.name
        )
      } else {
        found.set(tool.name, tool)
      }
    }
    if (names === undefined) return [...found.values()]
    for (const [name, at] of names) {
      if (found.has(name) || broken.has(name)) continue
      report.error(
        "missing-tool",
        `AVAILABLE_FUNCTIONS has ${JSON.stringify(name)}, but TOOLS does not${NearestNames.suggestion(name, found.keys())}; describe it there, or take it out here`,
        at,
        name
      )
    }
    return [...found.values()].filter((tool) => {
      if (names.has(tool.name)) return true
      report.warning(
        "not-available",
        `${tool.name} is in TOOLS, but not in AVAILABLE_FUNCTIONS, and so is not offered; add it there, unless that is meant`,
        tool,
        tool.name
      )
      return false
    })
  })

/** The names that are available, each where it first stands; none where all are. */
const namesOf = (
  available: Located | undefined,
  report: Report
): ReadonlyMap<string, Located> | undefined | "wrong" => {
  if (available === undefined || available.value === null) return undefined
  if (!isArray(available.value)) {
    report.error(
      "not-a-list",
      `AVAILABLE_FUNCTIONS must be a list of names, but is ${Issue.show(available.value)}`,
      available
    )
    return "wrong"
  }
  const names = new Map<string, Located>()
  for (const item of available.items) {
    if (typeof item.value !== "string") {
      report.error(
        "not-a-name",
        `AVAILABLE_FUNCTIONS must have names only, but this one is ${Issue.show(item.value)}`,
        item
      )
    } else if (!names.has(item.value)) {
      names.set(item.value, item)
    }
  }
  return names
}

const nameIn = (entry: Located): string | undefined => {
  const name = entry.entries.get("function")?.entries.get("name")?.value
  return typeof name === "string" ? name : undefined
}
