/**
 * A value as JSON text, or why it has none.
 */
import * as Either from "effect/Either"

/** Cycles, BigInt and very deep nesting have no JSON text. */
export const jsonText = (value: unknown): Either.Either<string, string> => {
  // JSON.stringify reports by throwing; no effect is involved.
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? Either.left(`a ${typeof value}`) : Either.right(text)
  } catch (error) {
    return Either.left(error instanceof Error ? (error.message.split("\n")[0] ?? "") : "it cannot be serialised")
  }
}
