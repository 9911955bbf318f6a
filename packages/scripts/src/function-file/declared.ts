/** The tools that a file declares: `TOOLS`, of which `AVAILABLE_FUNCTIONS` names those that are on offer. */
import * as Issue from "@wield/core/Issue"
import * as NearestNames from "@wield/core/NearestNames"
import * as Effect from "effect/Effect"
import { isArray, type Located } from "./Located.js"
import type { FunctionTool } from "../FunctionFile.js"
import type { Report } from "../folder/problem.js"
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
      const message = "The file has no TOOLS; add the list of its functions, in the schema of OpenAI"
      report.error("missing-tools", message, tools)
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
        const message = `${tool.name} stands in TOOLS for the second time; the first one is kept, rename or remove this one`
        report.error("duplicate-function", message, tool, tool.name)
      } else {
        found.set(tool.name, tool)
      }
    }
    if (names === undefined) return [...found.values()]
    for (const [name, at] of names) {
      if (found.has(name) || broken.has(name)) continue
      const meant = NearestNames.suggestion(name, found.keys())
      const message = `AVAILABLE_FUNCTIONS has ${JSON.stringify(name)}, but TOOLS does not${meant}; describe it there, or take it out here`
      report.error("missing-tool", message, at, name)
    }
    return [...found.values()].filter((tool) => {
      if (names.has(tool.name)) return true
      const message = `${tool.name} is in TOOLS, but not in AVAILABLE_FUNCTIONS, and so is not offered; add it there, unless that is meant`
      report.warning("not-available", message, tool, tool.name)
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
    const message = `AVAILABLE_FUNCTIONS must be a list of names, but is ${Issue.show(available.value)}`
    report.error("not-a-list", message, available)
    return "wrong"
  }
  const names = new Map<string, Located>()
  for (const item of available.items) {
    if (typeof item.value !== "string") {
      const message = `AVAILABLE_FUNCTIONS must have names only, but this one is ${Issue.show(item.value)}`
      report.error("not-a-name", message, item)
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
