/**
 * A value as JSON text, or why it has none.
 */
import { NotJson } from "./notJson.js"

/** Cycles, BigInt and very deep nesting have no JSON text. */
export const jsonText = (value: unknown): string | NotJson => {
  // JSON.stringify reports by throwing; no effect is involved.
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? new NotJson(`a ${typeof value}`) : text
  } catch (error) {
    return new NotJson(error instanceof Error ? (error.message.split("\n")[0] ?? "") : "it cannot be serialised")
  }
}
