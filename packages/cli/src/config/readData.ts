/** JSON, JSON with comments, and YAML. */
import * as JsonText from "@wield/core/JsonText"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { parse } from "yaml"
import { Refused } from "../output/Refused.js"
import { readFile } from "./readFile.js"

export const readData = (path: string): Effect.Effect<unknown, Refused> =>
  Effect.flatMap(readFile(path), (text) => parseData(text, path))

export const parseData = (text: string, path: string): Effect.Effect<unknown, Refused> => {
  if (/\.ya?ml$/i.test(path)) {
    return Effect.try({
      // Aliases are bounded by the library, which makes a small file no large value.
      try: (): unknown => parse(text),
      catch: (error) => Refused.usage(`${path}: ${error instanceof Error ? error.message : String(error)}`)
    })
  }
  return Either.match(JsonText.parse(text, { isCommented: true }), {
    onLeft: (faults) =>
      Effect.fail(
        Refused.usage(
          faults.map(({ message, place }) => `${path}:${place.line}:${place.column}: error: ${message}`).join("\n")
        )
      ),
    onRight: ({ value }) => Effect.succeed(value)
  })
}
