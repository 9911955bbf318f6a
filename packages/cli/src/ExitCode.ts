/** The exit codes of the command. Scripts and coding agents decide by them, so that they never change their meaning. */
import type { Outcome } from "@wield/core"

/**
 * Every exit code, by what it means.
 *
 * @category models
 */
export const codes = {
  done: 0,
  /** What was asked for failed: a typed failure, an error of the linter, a breaking change. */
  failed: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
  /** A source of tools, or something it needs, cannot be used; a folder is not trusted. */
  unusable: 3,
  /** The tool's name or its arguments are wrong. */
  rejected: 4,
  /** The call waits for a person or a client. */
  waiting: 5,
  denied: 6,
  /** The call took too long, or a limit is used up. */
  limited: 7,
  /** The call may have taken effect. */
  uncertain: 8,
  /** An error inside a tool, or inside the command. */
  defect: 70,
  interrupted: 130
} as const

/**
 * One of the exit codes.
 *
 * @category models
 */
export type ExitCode = (typeof codes)[keyof typeof codes]

/**
 * The exit code of a call, by its outcome.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ExitCode } from "@wield/cli"
 *
 * assert.strictEqual(ExitCode.ofOutcome({ _tag: "InvalidArguments" }), 4)
 * assert.strictEqual(ExitCode.ofOutcome({ _tag: "Deferred" }), 5)
 * ```
 *
 * @category conversions
 */
export const ofOutcome = ({ _tag }: Pick<Outcome.Outcome, "_tag">): ExitCode => byOutcome[_tag]

const byOutcome: { readonly [Tag in Outcome.Outcome["_tag"]]: ExitCode } = {
  Success: codes.done,
  Failure: codes.failed,
  InvalidArguments: codes.rejected,
  UnknownTool: codes.rejected,
  Unavailable: codes.rejected,
  MissingContext: codes.usage,
  Denied: codes.denied,
  Deferred: codes.waiting,
  TimedOut: codes.limited,
  Limited: codes.limited,
  Uncertain: codes.uncertain,
  InvalidResult: codes.defect,
  Withheld: codes.denied,
  Defect: codes.defect,
  Interrupted: codes.interrupted
}
