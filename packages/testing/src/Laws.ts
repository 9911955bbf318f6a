/**
 * The laws of every toolset, tried on your own tools with generated arguments.
 * `sentences` lists them.
 *
 * Handlers run with made-up arguments. Give the toolset Layers for tests, or
 * choose the tools that may run (`only`, `except`, `isDry`).
 */
import type { CallContext, Loss, ToolRunner, Toolset, ToolsetError } from "@wield/core"
import * as Clock from "effect/Clock"
import type { Duration, FastCheck } from "effect"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import {
  aContext,
  aCount,
  aDuration,
  aFlag,
  anything,
  type Checks,
  fields,
  holds,
  list,
  oneOf,
  orThrow,
  record,
  texts
} from "@wield/core/Options"
import { definitions } from "./laws/definitions.js"
import { hiddenFields } from "./laws/hiddenFields.js"
import { invalidArguments, validArguments } from "./laws/arguments.js"
import { interruption, oneOutcome } from "./laws/runs.js"
import { type Subject, subjectOf } from "./laws/subject.js"

/**
 * Each law as a sentence about the toolset.
 *
 * @category models
 */
export const sentences = {
  "valid-arguments": "every valid input gives an outcome that can be encoded",
  "invalid-arguments": "no invalid or broken input runs a handler, and each ends as InvalidArguments",
  definitions: "the definitions survive every wire format, apart from reported losses",
  "hidden-fields": "no hidden field is in a definition or an error text, and no value sent for one reaches a handler",
  "one-outcome": "each call has one outcome, in the order of the calls",
  interruption: "an interrupted run interrupts its handlers"
}

/**
 * The name of a law.
 *
 * @category models
 */
export type Name = keyof typeof sentences

/**
 * The names of all laws.
 *
 * @category models
 */
export const names: ReadonlyArray<Name> = Struct.keys(sentences)

/**
 * The options that do not depend on the tools.
 *
 * @category models
 */
export interface CommonOptions {
  /** Run only the handlers of these tools; check the others without them. */
  readonly only?: ReadonlyArray<string> | undefined
  /** Check these tools without their handlers. */
  readonly except?: ReadonlyArray<string> | undefined
  /** Run no handler. */
  readonly isDry?: boolean | undefined
  /** The laws to check. Default all. */
  readonly laws?: ReadonlyArray<Name> | undefined
  /** Inputs to try for each tool. Default 50. */
  readonly runs?: number | undefined
  /** The seed of the inputs. Default 1. */
  readonly seed?: number | undefined
  /** The time limit of a handler, and of its interruption. Default 5 seconds. */
  readonly timeout?: Duration.DurationInput | undefined
  /** Valid arguments of a tool, if those generated from its schema are of no use. */
  readonly arguments?: { readonly [tool: string]: FastCheck.Arbitrary<unknown> } | undefined
}

/**
 * The tools to run, how often, and the call context. `context` is required if
 * tools have hidden fields.
 *
 * @category models
 */
export type Options<Tools = unknown> = CommonOptions & Pick<ToolRunner.RunOptions<Tools>, "context">

/**
 * The options, which you may omit if no tool has hidden fields.
 *
 * @category models
 */
export type Arguments<Tools> = [keyof Toolset.ContextOf<Tools>] extends [never]
  ? readonly [options?: Options<Tools>]
  : readonly [options: Options<Tools>]

/**
 * A broken law, with the smallest input that shows it.
 *
 * @category models
 */
export interface Violation {
  readonly law: Name
  /** Absent if the whole toolset breaks the law. */
  readonly tool: string | undefined
  readonly message: string
  /** The smallest input that breaks the law, as JSON text. */
  readonly counterexample: string | undefined
}

/**
 * The result of one law.
 *
 * @category models
 */
export interface LawReport {
  readonly law: Name
  /** The checked tools. */
  readonly tools: ReadonlyArray<string>
  /** The number of inputs. */
  readonly runs: number
  readonly violations: ReadonlyArray<Violation>
}

/**
 * A part of a definition that a wire format cannot carry.
 *
 * @category models
 */
export interface FormatLoss extends Loss.Loss {
  /** Name of the wire format. */
  readonly format: string
}

/**
 * The result of a check.
 *
 * @category models
 */
export interface Report {
  readonly seed: number
  readonly tools: ReadonlyArray<{
    readonly name: string
    /** Whether its handler ran. */
    readonly isRun: boolean
  }>
  readonly laws: ReadonlyArray<LawReport>
  /** What the wire formats cannot carry of the definitions. */
  readonly losses: ReadonlyArray<FormatLoss>
  readonly isKept: boolean
}

/**
 * A toolset breaks laws.
 *
 * @category errors
 */
export class LawsBroken extends Schema.TaggedError<LawsBroken>("@wield/testing/LawsBroken")("LawsBroken", {
  /** The report as text. */
  report: Schema.String
}) {
  override get message(): string {
    return `The toolset breaks a law:\n${this.report}`
  }
}

// Of a name that is misspelt, a handler would run that is not to, or no law would be tried.
const checks = {
  only: texts,
  except: texts,
  isDry: aFlag,
  laws: list(oneOf(...names)),
  runs: aCount,
  seed: holds("a whole number", Number.isInteger),
  timeout: aDuration,
  arguments: record(anything),
  context: aContext
} satisfies Checks<Options>

const checkOptions = fields({
  ...checks,
  // What `it.laws` has read.
  toolset: anything,
  layer: anything
})

/**
 * Tries the laws on a toolset. A broken law is in the report, never in the error
 * channel. Time limits are in real time, even under a test clock. Logs are
 * dropped, since shrinking breaks a law many times.
 *
 * Arguments are generated from a tool's Effect schema if it has one, otherwise
 * from its JSON Schema.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Tool, Toolkit } from "@effect/ai"
 * import { Toolset } from "@wield/core"
 * import { Laws } from "@wield/testing"
 * import { Effect, Schema } from "effect"
 *
 * const Divide = Tool.make("divide", {
 *   parameters: { dividend: Schema.Int, divisor: Schema.Int },
 *   success: Schema.Int
 * })
 * class Sums extends Toolkit.make(Divide) {}
 * const SumsLive = Sums.toLayer({ divide: ({ dividend, divisor }) => Effect.succeed(dividend / divisor) })
 *
 * const program = Effect.gen(function* () {
 *   const report = yield* Laws.check(yield* Toolset.fromToolkit(Sums), { runs: 20 })
 *   return report.laws.filter((law) => law.violations.length > 0)
 * })
 * Effect.runPromise(program.pipe(Effect.provide(SumsLive))).then((broken) => {
 *   // 1 divided by 2 is not an Int.
 *   assert.deepStrictEqual(broken.map((law) => law.law), ["valid-arguments"])
 *   assert.match(broken[0]?.violations[0]?.message ?? "", /InvalidResult/)
 * })
 * ```
 *
 * @category checking
 */
export const check = <Tools, R, E>(
  toolset: Toolset.Toolset<Tools, R, E>,
  ...[options]: Arguments<Tools>
): Effect.Effect<Report, E | ToolsetError, R> =>
  Effect.gen(function* () {
    orThrow(checkOptions(options ?? {}), "How laws are tried")
    // Where a context is not required, nothing is given.
    const subject = yield* subjectOf(toolset, (options ?? {}) as CommonOptions & Context)
    const wanted = subject.options.laws ?? names
    let losses: ReadonlyArray<FormatLoss> = []
    const laws = yield* Effect.forEach(
      names.filter((law) => wanted.includes(law)),
      (law): Effect.Effect<LawReport, E, R> => {
        if (law !== "definitions") return lawsByName[law](subject)
        return Effect.map(definitions(subject), ({ losses: found, report }) => {
          losses = found
          return report
        })
      }
    )
    return {
      seed: subject.seed,
      tools: Array.from(subject.entries.keys(), (name) => ({ name, isRun: subject.isRun(name) })),
      laws,
      losses,
      isKept: laws.every((law) => law.violations.length === 0)
    }
  }).pipe(Effect.withClock(Clock.make()), Logger.withMinimumLogLevel(LogLevel.None))

/** The type of the options depends on the tools, which are unknown here. */
interface Context {
  readonly context?: CallContext.Values | undefined
}

const lawsByName: {
  readonly [Law in Exclude<Name, "definitions">]: <R, E>(subject: Subject<R, E>) => Effect.Effect<LawReport, E, R>
} = {
  "valid-arguments": validArguments,
  "invalid-arguments": invalidArguments,
  "hidden-fields": hiddenFields,
  "one-outcome": oneOutcome,
  interruption
}

/**
 * A report as text: each law, kept or broken, with the smallest inputs that
 * break it.
 *
 * @category rendering
 */
export const render = (report: Report): string => {
  const dry = report.tools.filter(({ isRun }) => !isRun).map(({ name }) => name)
  return [
    `${count(report.tools.length, "tool")}, seed ${report.seed}`,
    ...(dry.length === 0 ? [] : [`without handlers: ${dry.join(", ")}`]),
    ...report.laws.flatMap(renderLaw),
    ...(report.losses.length === 0 ? [] : [renderLosses(report)])
  ].join("\n")
}

/**
 * Fails with `LawsBroken` if a law is broken. Its message is the report.
 *
 * @example
 * ```ts
 * import { Toolset } from "@wield/core"
 * import { Laws } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([
 *     {
 *       name: "greet",
 *       inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
 *       execute: ({ name }) => Effect.succeed(`Hello, ${name}`)
 *     }
 *   ])
 *   yield* Laws.assertKept(yield* Laws.check(toolset, { runs: 10 }))
 * })
 * Effect.runPromise(program)
 * ```
 *
 * @category checking
 */
export const assertKept = (report: Report): Effect.Effect<void, LawsBroken> =>
  report.isKept ? Effect.void : Effect.fail(new LawsBroken({ report: render(report) }))

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

const renderLaw = (law: LawReport): ReadonlyArray<string> => [
  `${law.violations.length === 0 ? "kept  " : "BROKEN"} ${law.law}: ${sentences[law.law]} (${count(law.tools.length, "tool")}, ${count(law.runs, "run")})`,
  ...law.violations.flatMap(({ counterexample, message, tool }) => [
    `  - ${tool === undefined ? "" : `${tool}: `}${message}`,
    ...(counterexample === undefined ? [] : [`    with ${counterexample}`])
  ])
]

const renderLosses = ({ losses }: Report): string => {
  const counts = new Map<string, number>()
  for (const { format } of losses) counts.set(format, (counts.get(format) ?? 0) + 1)
  return `losses, reported by the formats: ${Array.from(counts, ([format, count]) => `${format} ${count}`).join(", ")}`
}
