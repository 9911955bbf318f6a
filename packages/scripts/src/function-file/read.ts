/** A function file from its source, and from a running interpreter where the source does not say all. */
import * as Json from "@wield/core/Json"
import * as Issue from "@wield/core/Issue"
import * as JsonSchema from "@wield/core/JsonSchema"
import * as Chunks from "effect/Array"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { fileError, Report, unfinishedProblem } from "../folder/problem.js"
import { cleanText } from "../folder/sourceText.js"
import { stemOf } from "../folder/languages.js"
import { InvalidScript } from "../ScriptError.js"
import type { ScriptExecutor } from "../ScriptExecutor.js"
import { withTypeDefaults } from "../python/typeDefaults.js"
import { parserOf } from "../syntax/treeSitter.js"
import { reportBranches } from "./branches.js"
import { isRecord, type Located, locate } from "./Located.js"
import type { FunctionFile, FunctionTool } from "../FunctionFile.js"
import { type Declaration, type Source, sourceOf } from "./source.js"
import * as NearestNames from "@wield/core/NearestNames"
import { type CompileSchema, toolOf } from "./toolOf.js"

/** What runs a file whose source does not say all; with the configuration of its calls, it is started once for both. */
export interface Running {
  readonly executor: Pick<ScriptExecutor, "runFunctionFile">
  readonly config: Json.Json
}

/** Reads any number of files with one parser. */
type ReadFile = (
  given: { readonly file: string; readonly text: string },
  running: Running | undefined
) => Effect.Effect<FunctionFile, InvalidScript>

type Known = { readonly [name in Declaration]: Located | undefined }

export const reader: Effect.Effect<ReadFile> = Effect.gen(function* () {
  const parser = Effect.map(yield* parserOf("python"), withTypeDefaults)
  const compile = yield* JsonSchema.compiler
  return ({ file, text: given }, running) =>
    Effect.gen(function* () {
      const report = new Report(file)
      const { text } = yield* cleanText(file, "python", given)
      const source = yield* Effect.scoped(Effect.flatMap(parser, (parse) => sourceOf(file, text, parse)))
      const base = { file, module: stemOf(file), text }
      const off: FunctionFile = { ...base, isEnabled: false, tools: [], problems: [], isRun: false }
      const { ENABLED } = source.declarations
      if (ENABLED._tag === "Known" && !isTrue(ENABLED.located.value)) return off
      const isKnown = Object.values(source.declarations).every(({ _tag }) => _tag !== "Unknown")
      // Without a call, a file need not be run.
      const isRun = !isKnown && running !== undefined && source.problems.length === 0
      const known = isRun
        ? yield* Effect.mapError(askFile({ file, text }, source, running), (message) =>
            fileError(file, "not-loaded", `The file cannot be run to know its tools: ${message}`)
          )
        : fromSource(source, report)
      if (known === undefined) return yield* Effect.fail(report.inOrder)
      if (known.ENABLED !== undefined && !isTrue(known.ENABLED.value)) return { ...off, isRun }
      report.add(...source.problems, ...source.warnings)
      const tools = yield* toolsOf({ available: known.AVAILABLE_FUNCTIONS, tools: known.TOOLS }, report, compile)
      reportBranches(source.branches, tools, report)
      const isBroken = source.problems.length > 0 || (tools.length === 0 && report.hasError)
      return isBroken
        ? yield* Effect.fail(report.inOrder)
        : { ...base, isEnabled: true, tools, problems: report.inOrder, isRun }
    }).pipe(
      Effect.catchAllDefect((defect) => Effect.fail(unfinishedProblem(file, defect))),
      Effect.mapError((problems) => new InvalidScript({ file, problems: Chunks.ensure(problems) }))
    )
})

/** What a program can do and the author of a file cannot. */
export const orRun = ", or load the file with an executor"

const fromSource = ({ declarations }: Source, report: Report): Known | undefined => {
  for (const [name, declared] of Object.entries(declarations)) {
    if (declared._tag !== "Unknown") continue
    const message = `${name} cannot be known without running the file, for ${declared.reason.what} stands in it; write it as a literal${orRun}`
    report.error("not-literal", message, declared.reason, name)
  }
  return report.hasError
    ? undefined
    : Record.map(declarations, (declared) => (declared._tag === "Known" ? declared.located : undefined))
}

/** What the file itself says when it is run; places are those of its source as far as it has them. */
const askFile = (
  given: { readonly file: string; readonly text: string },
  { declarations }: Source,
  { config, executor }: Running
): Effect.Effect<Known, string> =>
  executor.runFunctionFile(given, "__tools__", {}, config).pipe(
    Effect.mapError(({ message }) => message),
    Effect.filterOrFail(isRecord, (answer) => `it answered ${Issue.show(answer)}`),
    Effect.map((answer) =>
      Record.map(declarations, (declared, name): Located | undefined => {
        if (declared._tag === "Known") return declared.located
        const value: Json.Json | undefined = answer[name]
        return value === undefined ? undefined : locate(value, declared._tag === "Unknown" ? declared.place : undefined)
      })
    )
  )

/** As Python has it. */
const isTrue = (value: Json.Json): boolean =>
  Array.isArray(value) ? value.length > 0 : isRecord(value) ? Object.keys(value).length > 0 : Boolean(value)

/** The tools that a file declares: `TOOLS`, of which `AVAILABLE_FUNCTIONS` names those that are on offer. */
interface Declarations {
  /** Absent, or None: all tools are available. */
  readonly available: Located | undefined
  readonly tools: Located | undefined
}

const toolsOf = (
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
    if (!Json.isArray(tools.value)) {
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
  if (!Json.isArray(available.value)) {
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
