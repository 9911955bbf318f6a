/** The last lines that the application has logged, kept in memory without the secrets in them. */
import * as CallContext from "@wield/core/CallContext"
import * as Fibers from "@wield/core/Fibers"
import { aCountOrZero, aFlag, aSecret, type Checks, fields, holds, list, oneOf, orThrow } from "@wield/core/Options"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FiberRefs from "effect/FiberRefs"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { LogLevel, Redacted } from "effect"
import * as Option from "effect/Option"
import { lineOf } from "./logs/line.js"
import { makeSecrets } from "./logs/redact.js"
import type { UserId } from "./Owner.js"

/**
 * A line of the log.
 *
 * @category models
 */
export interface Entry {
  /** One line, without a line end. */
  readonly line: string
  readonly level: LogLevel.LogLevel
  readonly date: Date
  /** What the annotation `user_id` says; without one, the `user_id` of the call in which the line was logged. */
  readonly userId: string | undefined
}

/**
 * What is kept, and how.
 *
 * @category models
 */
export interface Options {
  /** How many lines are kept. 1,000 unless given. */
  readonly lines?: number | undefined
  /** How many bytes of lines are kept. 1,000,000 unless given. */
  readonly bytes?: number | undefined
  /** Bytes of one line; a longer one is shortened. 4,000 unless given. */
  readonly lineBytes?: number | undefined
  /** As Effect's `logfmtLogger` writes a line, or its `jsonLogger`. `logfmt` unless given. */
  readonly format?: "logfmt" | "json" | undefined
  /** Secrets of the application, which are replaced wherever they stand. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
  /** Patterns of further secrets. Of a group named `secret` only the group is replaced. */
  readonly patterns?: ReadonlyArray<RegExp> | undefined
  /** Whether stack traces are kept, which tell where programs lie on the machine. Not unless given. */
  readonly stackTraces?: boolean | undefined
}

/**
 * Which lines a user may read.
 *
 * @category models
 */
export type Filter = (entry: Entry, user: UserId) => boolean

/**
 * Reads the last lines.
 *
 * @category services
 */
export interface Service {
  /** The last lines of those that pass, in their order. */
  readonly last: (count: number, passes?: (entry: Entry) => boolean) => Effect.Effect<ReadonlyArray<Entry>>
}

/**
 * The last lines that the application has logged.
 *
 * @category services
 */
export class RecentLogs extends Context.Tag("@wield/assistant/RecentLogs")<RecentLogs, Service>() {}

/**
 * Lines that were logged for the user: those whose annotation `user_id` is theirs, and those of their calls.
 *
 * @category filters
 */
export const ownLines: Filter = ({ userId }, user) => userId === user

/**
 * Lines that were logged for the user or for no user, where the latter tell nothing of others.
 *
 * @category filters
 */
export const ownAndUnownedLines: Filter = ({ userId }, user) => userId === undefined || userId === user

/**
 * All lines, of other users too: for an application with one user, or those who run it.
 *
 * @category filters
 */
export const allLines: Filter = () => true

/**
 * A logger beside those there are, which keeps the last lines of what is logged under it.
 *
 * @example
 * ```ts
 * import { RecentLogs } from "@wield/assistant"
 * import { Effect, Redacted } from "effect"
 *
 * export const lines = Effect.gen(function* () {
 *   yield* Effect.logInfo("Signed in client-77", { password: "hunter2" })
 *   return yield* (yield* RecentLogs.RecentLogs).last(2) // both secrets are <redacted>
 * }).pipe(Effect.provide(RecentLogs.layer({ secrets: [Redacted.make("client-77")] })))
 * ```
 *
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<RecentLogs> =>
  Layer.unwrapEffect(
    Effect.sync(() => {
      orThrow(checkOptions(options), "What `RecentLogs.layer` takes")
      const kept = makeLatest<Entry>(options.lines ?? 1000, options.bytes ?? 1_000_000)
      const format = {
        format: options.format ?? ("logfmt" as const),
        secrets: makeSecrets(options.secrets ?? [], options.patterns ?? []),
        stackTraces: options.stackTraces ?? false,
        lineBytes: options.lineBytes ?? 4000
      }
      const logger = Logger.make((entry) => {
        const line = lineOf(entry, format)
        const userId = Option.getOrElse(HashMap.get(entry.annotations, "user_id"), () => callerOf(entry.context))
        kept.add(
          {
            line,
            level: entry.logLevel,
            date: entry.date,
            userId: userId === undefined ? undefined : String(userId)
          },
          Buffer.byteLength(line)
        )
      })
      const last: Service["last"] = (count, passes = () => true) =>
        Effect.sync(() => (count < 1 ? [] : kept.all().filter(passes).slice(-count)))
      return Layer.merge(Layer.succeed(RecentLogs, { last }), Logger.add(logger))
    })
  )

// A secret under a name that is misspelt would be kept as it is.
const checkOptions = fields({
  lines: aCountOrZero,
  bytes: aCountOrZero,
  lineBytes: aCountOrZero,
  format: oneOf("logfmt", "json"),
  secrets: list(aSecret),
  patterns: list(holds("a RegExp", (value) => value instanceof RegExp)),
  stackTraces: aFlag
} satisfies Checks<Options>)

/** Whose call it is in which something is logged. */
const callerOf = (references: FiberRefs.FiberRefs): unknown => {
  // The call context is a reference: every context has it.
  return Context.get(Fibers.contextIn(references), CallContext.CallContext)["user_id"]
}

/** Keeps the latest entries within a number and a size. */
const makeLatest = <A>(most: number, mostBytes: number) => {
  let kept: Array<{ readonly entry: A; readonly bytes: number }> = []
  let first = 0
  let total = 0
  return {
    add: (entry: A, bytes: number) => {
      kept.push({ entry, bytes })
      total += bytes
      while (kept.length - first > most || total > mostBytes) total -= kept[first++]?.bytes ?? 0
      // Not at each entry: moving the rest takes as long as there are entries.
      if (first > most) {
        kept = kept.slice(first)
        first = 0
      }
    },
    all: () => kept.slice(first).map(({ entry }) => entry)
  }
}
