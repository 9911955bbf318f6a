/** The limits of a program. */
import * as Json from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/**
 * What a program may use. All of them are hard: a program that meets one ends, and what it ends with names the limit,
 * unless it says otherwise here.
 *
 * @category models
 */
export interface Limits {
  /** How long the program computes. While it waits for calls, no time counts. 5 seconds unless given. */
  readonly time: Duration.DurationInput
  /** How long the check of its types takes. 10 seconds unless given. */
  readonly checkTime: Duration.DurationInput
  /** Bytes that its values take, and by themselves the arguments of its open calls. 64 MiB unless given, at least 1 MiB. */
  readonly memory: number
  /** Bytes of its stack. 256 KiB unless given, between 16 and 512 KiB. */
  readonly stack: number
  /** Bytes of its text. 100,000 unless given. */
  readonly source: number
  /** How many calls it makes. 1,000 unless given. */
  readonly calls: number
  /** How many of them run at the same time: others wait for their turn. 16 unless given. */
  readonly concurrency: number
  /** Bytes of the arguments of one call: the program catches an error. 1 MiB unless given. */
  readonly argumentBytes: number
  /** Bytes of the result of one call: the program catches an error. 4 MiB unless given. */
  readonly resultBytes: number
  /** Bytes of what it returns. 256 KiB unless given. */
  readonly outputBytes: number
}

/** The name of a limit that a program has met. */
export type LimitName = keyof Limits

/** In milliseconds and bytes. */
export interface Bounds extends Record<LimitName, number> {}

const mebi = 1_048_576

const standard: Limits = {
  time: "5 seconds",
  checkTime: "10 seconds",
  memory: 64 * mebi,
  stack: 256 * 1_024,
  source: 100_000,
  calls: 1_000,
  concurrency: 16,
  argumentBytes: mebi,
  resultBytes: 4 * mebi,
  outputBytes: mebi / 4
}

const { aCount } = Options

const between = (least: number, most: number): Options.Check =>
  Options.holds(
    `a whole number between ${least} and ${most}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most
  )

/** What a timer takes. */
const aTime = Options.holds("a duration of at least a millisecond", (value) =>
  Option.exists(
    Duration.decodeUnknown(value),
    (time) => Duration.toMillis(time) >= 1 && Duration.toMillis(time) <= 2 ** 31 - 1
  )
)

/** A program in JavaScript may give anything. */
export const checkLimits = Options.fields({
  time: aTime,
  checkTime: aTime,
  memory: between(mebi, 2_048 * mebi),
  stack: between(16 * 1_024, 512 * 1_024),
  source: aCount,
  calls: aCount,
  concurrency: aCount,
  argumentBytes: aCount,
  resultBytes: aCount,
  outputBytes: aCount
} satisfies Options.Checks<Limits>)

export const boundsOf = (given: { readonly [Name in LimitName]?: Limits[Name] | undefined }): Bounds => {
  const { checkTime = standard.checkTime, time = standard.time, ...rest } = given
  return {
    ...standard,
    ...Json.withoutUndefined(rest),
    time: Duration.toMillis(time),
    checkTime: Duration.toMillis(checkTime)
  }
}
