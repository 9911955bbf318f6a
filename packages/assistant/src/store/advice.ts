/** What every failure of a tool has: a model reads the fields, and not the message. */
import * as Schema from "effect/Schema"

/** The field `advice`: what to do next. It says so unless the failure knows better. */
export const adviceField = (advice: string) =>
  Schema.String.pipe(
    Schema.propertySignature,
    Schema.withConstructorDefault(() => advice)
  )

export const tellKnown = (what: string, known: ReadonlyArray<string>): string =>
  known.length === 0 ? `There are no ${what} yet` : `There are: ${known.map(quote).join(", ")}`

export const quote = (text: string): string => JSON.stringify(text)
