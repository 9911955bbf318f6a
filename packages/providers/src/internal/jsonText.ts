/** A JSON value as text; `undefined` where it is nested deeper than the engine can write. */
export const jsonText = (value: unknown): string | undefined => {
  // JSON.stringify reports by throwing; no effect is involved.
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
