/**
 * A logger that keeps every line, of any level, with all that belongs to it.
 */
import { Cause, Effect, HashMap, Inspectable, Layer, Logger, LogLevel } from "effect"

/** Records the log lines of an effect beside its value, `Trace` to `Fatal`. */
export const recordLogs = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<{ readonly value: A; readonly lines: ReadonlyArray<string> }, E, R> =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ annotations, cause, logLevel, message }) => {
      const parts = (Array.isArray(message) ? message : [message]).map((part) => Inspectable.toStringUnknown(part))
      const noted = [...HashMap.entries(annotations)].map(
        ([key, value]) => `${key}=${Inspectable.toStringUnknown(value)}`
      )
      lines.push([logLevel.label, ...parts, ...noted, Cause.isEmpty(cause) ? "" : Cause.pretty(cause)].join(" "))
    })
    const recording = Layer.merge(Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(LogLevel.All))
    return Effect.map(Effect.provide(Logger.withMinimumLogLevel(effect, LogLevel.All), recording), (value) => ({
      value,
      lines
    }))
  })
