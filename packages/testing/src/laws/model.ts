/** What a check of the laws is told, and what it tells. */
import type { Loss, ToolRunner, Toolset } from "@wield/core"
import type * as Duration from "effect/Duration"
import type * as FastCheck from "effect/FastCheck"

export const names = [
  "valid-arguments",
  "invalid-arguments",
  "definitions",
  "hidden-fields",
  "one-outcome",
  "interruption"
] as const

export type Name = (typeof names)[number]

/** What each law says, as a sentence about the toolset. */
export const sentences: { readonly [Law in Name]: string } = {
  "valid-arguments": "every valid input gives an outcome that can be encoded",
  "invalid-arguments": "no invalid or broken input runs a handler, and each is told as InvalidArguments",
  definitions: "the definitions survive every wire format, and what one cannot say is a loss",
  "hidden-fields": "no hidden field is in a definition or a told mistake, and no value sent for one reaches a handler",
  "one-outcome": "each call has one outcome, in the order of the calls, whatever it is",
  interruption: "an interrupted run interrupts its handlers"
}

export interface CommonOptions {
  /** Only these tools are run; the others are checked without their handlers. */
  readonly only?: ReadonlyArray<string> | undefined
  /** These tools are not run, but checked without their handlers. */
  readonly except?: ReadonlyArray<string> | undefined
  /** No handler is run at all. */
  readonly isDry?: boolean | undefined
  /** Only these laws; all unless given. */
  readonly laws?: ReadonlyArray<Name> | undefined
  /** How many inputs are tried of each tool; 50 unless given. */
  readonly runs?: number | undefined
  /** The same seed gives the same inputs; 1 unless given. */
  readonly seed?: number | undefined
  /** The longest a handler may take, and the longest it may take to be interrupted; 5 seconds unless given. */
  readonly timeout?: Duration.DurationInput | undefined
  /** Valid arguments of a tool, where those made from its schema mean nothing to it. */
  readonly arguments?: { readonly [tool: string]: FastCheck.Arbitrary<unknown> } | undefined
}

/** `context` is required where tools have hidden fields. */
export type Options<Tools = unknown> = CommonOptions & Pick<ToolRunner.RunOptions<Tools>, "context">

/** The options may be left out where no tool has hidden fields. */
export type Arguments<Tools> = [keyof Toolset.ContextOf<Tools>] extends [never]
  ? readonly [options?: Options<Tools>]
  : readonly [options: Options<Tools>]

export interface Violation {
  readonly law: Name
  /** Absent where it is of the toolset as a whole. */
  readonly tool: string | undefined
  readonly message: string
  /** The smallest input found that shows it, as JSON text. */
  readonly counterexample: string | undefined
}

export interface LawReport {
  readonly law: Name
  /** The tools it was checked for. */
  readonly tools: ReadonlyArray<string>
  /** How many inputs were tried. */
  readonly runs: number
  readonly violations: ReadonlyArray<Violation>
}

export interface FormatLoss extends Loss.Loss {
  /** Name of the wire format. */
  readonly format: string
}

export interface Report {
  readonly seed: number
  readonly tools: ReadonlyArray<{
    readonly name: string
    /** Whether its handler was run, or stood in for. */
    readonly isRun: boolean
  }>
  readonly laws: ReadonlyArray<LawReport>
  /** What the wire formats cannot say of the definitions. */
  readonly losses: ReadonlyArray<FormatLoss>
  readonly isKept: boolean
}
