/** The limits of a program. */
import * as Duration from "effect/Duration"
import { InvalidOption } from "../CodeModeError.js"

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
  /** Bytes that its values take. 64 MiB unless given, at least 1 MiB. */
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

const ranges: { readonly [Name in LimitName]?: readonly [least: number, most: number] } = {
  memory: [mebi, 2_048 * mebi],
  stack: [16 * 1_024, 512 * 1_024]
}

// It has the limits and nothing else.
const names = Object.keys(standard) as ReadonlyArray<LimitName>

export const limitNames: ReadonlyArray<string> = names

/** A program in JavaScript may give anything. */
export const boundsOf = (given: { readonly [Name in LimitName]?: unknown }): Bounds | InvalidOption => {
  const bounds = new Map<string, number>()
  for (const name of names) {
    const value = given[name] ?? standard[name]
    const isTime = name === "time" || name === "checkTime"
    const number = isTime ? millisecondsOf(value) : value
    const [least, most] = ranges[name] ?? [1, isTime ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER]
    const isWhole = typeof number === "number" && (isTime ? Number.isFinite(number) : Number.isInteger(number))
    if (!isWhole || number < least || number > most) {
      const what = isTime ? "a duration of at least a millisecond" : "a whole number"
      return new InvalidOption({
        path: ["limits", name],
        expected: `${what}${ranges[name] === undefined ? (isTime ? "" : " of at least 1") : ` between ${least} and ${most}`}`,
        received: value
      })
    }
    bounds.set(name, number)
  }
  // Each name of `standard` is in it.
  return Object.fromEntries(bounds) as unknown as Bounds
}

const millisecondsOf = (value: unknown): number | undefined => {
  try {
    // Another value throws, whatever its type says.
    return Duration.toMillis(Duration.decode(value as Duration.DurationInput))
  } catch {
    return undefined
  }
}
