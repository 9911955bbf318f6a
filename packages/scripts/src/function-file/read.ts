/** A function file from its source, and from a running interpreter where the source does not say all. */
import type { Json } from "@wield/core"
import * as Issue from "@wield/core/Issue"
import * as JsonSchema from "@wield/core/JsonSchema"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { unfinishedProblem } from "../folder/problem.js"
import { cleanText } from "../folder/sourceText.js"
import { stemOf } from "../folder/languages.js"
import { isError } from "@wield/core/Problem"
import { InvalidScript } from "../ScriptError.js"
import type { ScriptExecutor } from "../ScriptExecutor.js"
import { withTypeDefaults } from "../python/typeDefaults.js"
import { parserOf } from "../syntax/treeSitter.js"
import { reportBranches } from "./branches.js"
import { toolsOf } from "./declared.js"
import { isRecord, type Located, locate } from "./Located.js"
import type { FunctionFile } from "../FunctionFile.js"
import { Report } from "./report.js"
import { type Declaration, type Declared, type Source, sourceOf } from "./source.js"

/** What runs a file whose source does not say all; with the configuration of its calls, it is started once for both. */
export interface Running {
  readonly executor: Pick<ScriptExecutor, "runFunctionFile">
  readonly config: Json.Json
}

/** Reads any number of files with one parser. */
export type ReadFile = (
  given: { readonly file: string; readonly text: string },
  running: Running | undefined
) => Effect.Effect<FunctionFile, InvalidScript>

type Located3 = { readonly [name in Declaration]: Located | undefined }

export const reader: Effect.Effect<ReadFile> = Effect.gen(function* () {
  const parse = withTypeDefaults(yield* parserOf("python"))
  const compile = yield* JsonSchema.compiler
  return ({ file, text: given }, running) =>
    Effect.gen(function* () {
      const report = new Report(file)
      const failed = () => new InvalidScript({ file, problems: report.inOrder })
      const cleaned = cleanText(file, "python", given)
      if (Either.isLeft(cleaned)) return yield* new InvalidScript({ file, problems: [cleaned.left] })
      const { text } = cleaned.right
      const read = yield* sourceOf(file, text, parse)
      if (Either.isLeft(read)) return yield* new InvalidScript({ file, problems: [read.left] })
      const source = read.right
      const base = { file, module: stemOf(file), text }
      const off: FunctionFile = { ...base, isEnabled: false, tools: [], problems: [], isRun: false }
      const { ENABLED } = source.declarations
      if (ENABLED._tag === "Known" && !isTrue(ENABLED.located.value)) return off
      const unknown = unknownOf(source)
      // Without a call, a file need not be run.
      const answer =
        unknown.length === 0 || running === undefined || source.problems.length > 0
          ? undefined
          : yield* askFile({ file, text }, source, running, report)
      const known = answer ?? fromSource(source, report, unknown)
      if (known === undefined) return yield* failed()
      if (known.ENABLED !== undefined && !isTrue(known.ENABLED.value)) return { ...off, isRun: answer !== undefined }
      report.problems.push(...source.problems, ...source.warnings)
      const tools = yield* toolsOf({ available: known.AVAILABLE_FUNCTIONS, tools: known.TOOLS }, report, compile)
      reportBranches(source.branches, tools, report)
      if (source.problems.length > 0 || (tools.length === 0 && report.problems.some(isError))) return yield* failed()
      return { ...base, isEnabled: true, tools, problems: report.inOrder, isRun: answer !== undefined }
    }).pipe(Effect.catchAllDefect((defect) => new InvalidScript({ file, problems: [unfinishedProblem(file, defect)] })))
})

/** What a program can do and the author of a file cannot. */
export const orRun = ", or load the file with an executor"

const declarations: ReadonlyArray<Declaration> = ["ENABLED", "AVAILABLE_FUNCTIONS", "TOOLS"]

const unknownOf = (source: Source): ReadonlyArray<Declaration> =>
  declarations.filter((name) => source.declarations[name]._tag === "Unknown")

const fromSource = (
  { declarations }: Source,
  report: Report,
  unknown: ReadonlyArray<Declaration>
): Located3 | undefined => {
  for (const name of unknown) {
    const declared = declarations[name]
    if (declared._tag !== "Unknown") continue
    report.error(
      "not-literal",
      `${name} cannot be known without running the file, for ${declared.reason.what} stands in it; write it as a literal${orRun}`,
      declared.reason,
      name
    )
  }
  if (unknown.length > 0) return undefined
  return {
    ENABLED: locatedOf(declarations.ENABLED),
    AVAILABLE_FUNCTIONS: locatedOf(declarations.AVAILABLE_FUNCTIONS),
    TOOLS: locatedOf(declarations.TOOLS)
  }
}

const locatedOf = (declared: Declared): Located | undefined =>
  declared._tag === "Known" ? declared.located : undefined

/** What the file itself says when it is run; places are those of its source as far as it has them. */
const askFile = (
  given: { readonly file: string; readonly text: string },
  { declarations }: Source,
  { config, executor }: Running,
  report: Report
): Effect.Effect<Located3 | undefined, InvalidScript> =>
  executor.runFunctionFile(given, "__tools__", {}, config).pipe(
    Effect.mapError((error) => {
      report.error("not-loaded", `The file cannot be run to know its tools: ${error.message}`)
      return new InvalidScript({ file: given.file, problems: report.inOrder })
    }),
    Effect.flatMap((answer) => {
      if (!isRecord(answer)) {
        report.error("not-loaded", `The file cannot be run to know its tools: it answered ${Issue.show(answer)}`)
        return new InvalidScript({ file: given.file, problems: report.inOrder })
      }
      const part = (name: Declaration): Located | undefined => {
        const declared = declarations[name]
        if (declared._tag === "Known") return declared.located
        const value: Json.Json | undefined = answer[name]
        return value === undefined ? undefined : locate(value, declared._tag === "Unknown" ? declared.place : undefined)
      }
      return Effect.succeed({
        ENABLED: part("ENABLED"),
        AVAILABLE_FUNCTIONS: part("AVAILABLE_FUNCTIONS"),
        TOOLS: part("TOOLS")
      })
    })
  )

/** As Python has it. */
const isTrue = (value: Json.Json): boolean =>
  Array.isArray(value) ? value.length > 0 : isRecord(value) ? Object.keys(value).length > 0 : Boolean(value)
