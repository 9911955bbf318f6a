/**
 * The laws that every toolset has to keep, as properties that are tried on your
 * own tools: whether each valid input gives an outcome that can be encoded,
 * whether an invalid one is told and never handled, whether definitions survive
 * every wire format, whether hidden fields stay hidden, whether each call has
 * one outcome, and whether an interruption reaches the handlers.
 *
 * Handlers are run with made-up arguments. Give the toolset Layers made for
 * tests, or say which tools may be run (`only`, `except`, `isDry`).
 */
import type { CallContext, Toolset, ToolsetError } from "@wield/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Schema from "effect/Schema"
import { definitions } from "./laws/definitions.js"
import { hiddenFields } from "./laws/hiddenFields.js"
import { interruption } from "./laws/interruption.js"
import { invalidArguments } from "./laws/invalidArguments.js"
import * as model from "./laws/model.js"
import { oneOutcome } from "./laws/oneOutcome.js"
import { rendered } from "./laws/rendered.js"
import { type Subject, subjectOf } from "./laws/subject.js"
import { validArguments } from "./laws/validArguments.js"

export type {
  /**
   * The name of a law.
   *
   * @category models
   */
  Name,
  /**
   * What is run, how often, and with which call context.
   *
   * @category models
   */
  Options,
  /**
   * The options, which may be left out where no tool has hidden fields.
   *
   * @category models
   */
  Arguments,
  /**
   * A law that is broken, and the smallest input found that shows it.
   *
   * @category models
   */
  Violation,
  /**
   * What came of one law.
   *
   * @category models
   */
  LawReport,
  /**
   * What a wire format cannot say of a definition.
   *
   * @category models
   */
  FormatLoss,
  /**
   * What came of a check.
   *
   * @category models
   */
  Report
} from "./laws/model.js"

/**
 * The names of all laws.
 *
 * @category models
 */
export const names: ReadonlyArray<model.Name> = model.names

/**
 * What each law says of a toolset, in a sentence.
 *
 * @category models
 */
export const sentences: { readonly [Law in model.Name]: string } = model.sentences

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

/**
 * Tries the laws on a toolset. A broken law is in the report, never in the
 * error channel; the same seed tries the same inputs. Time limits are in real
 * time, also under a test clock. What is logged meanwhile is dropped: a law
 * that is broken is broken many times until the smallest input is found.
 *
 * Arguments are made from a tool's schema: from the schema of Effect where it
 * has one, from its JSON Schema where it does not.
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
 * const Sums = Toolkit.make(Divide)
 * const SumsLive = Sums.toLayer({ divide: ({ dividend, divisor }) => Effect.succeed(dividend / divisor) })
 *
 * const program = Effect.gen(function* () {
 *   const report = yield* Laws.check(yield* Toolset.fromToolkit(Sums), { runs: 20 })
 *   return report.laws.filter((law) => law.violations.length > 0)
 * })
 * Effect.runPromise(program.pipe(Effect.provide(SumsLive))).then((broken) => {
 *   // 1 divided by 2 is no Int.
 *   assert.deepStrictEqual(broken.map((law) => law.law), ["valid-arguments"])
 *   assert.match(broken[0]?.violations[0]?.message ?? "", /InvalidResult/)
 * })
 * ```
 *
 * @category checking
 */
export const check = <Tools, R, E>(
  toolset: Toolset.Toolset<Tools, R, E>,
  ...[options]: model.Arguments<Tools>
): Effect.Effect<model.Report, E | ToolsetError, R> =>
  Effect.gen(function* () {
    const subject = yield* subjectOf(toolset, (options ?? {}) as model.CommonOptions & Context)
    const wanted = subject.options.laws ?? names
    let losses: ReadonlyArray<model.FormatLoss> = []
    const laws = yield* Effect.forEach(
      names.filter((law) => wanted.includes(law)),
      (law): Effect.Effect<model.LawReport, E, R> => {
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

/** The options' type hangs on the tools', which are not known here. */
interface Context {
  readonly context?: CallContext.Values | undefined
}

const lawsByName: {
  readonly [Law in Exclude<model.Name, "definitions">]: <R, E>(
    subject: Subject<R, E>
  ) => Effect.Effect<model.LawReport, E, R>
} = {
  "valid-arguments": validArguments,
  "invalid-arguments": invalidArguments,
  "hidden-fields": hiddenFields,
  "one-outcome": oneOutcome,
  interruption
}

/**
 * A report as text: each law, whether it is kept, and the smallest inputs that
 * break it.
 *
 * @category rendering
 */
export const render = (report: model.Report): string => rendered(report)

/**
 * Fails with `LawsBroken`, whose message is the report, when a law is broken.
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
export const assertKept = (report: model.Report): Effect.Effect<void, LawsBroken> =>
  report.isKept ? Effect.void : Effect.fail(new LawsBroken({ report: rendered(report) }))
