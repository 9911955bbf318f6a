/** JSON, JSON with comments, and YAML. */
import * as JsonText from "@wield/core/JsonText"
import * as Yaml from "@wield/manifest/Yaml"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Refused } from "../output/Refused.js"
import { readFile } from "./readFile.js"

export const readData = (path: string): Effect.Effect<unknown, Refused> =>
  Effect.flatMap(readFile(path), (text) => parseData(text, path))

export const parseData = (text: string, path: string): Effect.Effect<unknown, Refused> =>
  Either.match(/\.ya?ml$/i.test(path) ? Yaml.parse(text) : JsonText.parse(text, { isCommented: true }), {
    onLeft: (faults) => Effect.fail(Refused.usage(reportOf(faults, path))),
    onRight: ({ value }) => Effect.succeed(value)
  })

/** One line each; of many, the first twenty. */
const reportOf = (faults: ReadonlyArray<JsonText.JsonFault>, path: string): string =>
  faults
    .slice(0, mostFaults)
    .map(({ message, place }) => `${path}:${place.line}:${place.column}: error: ${message}`)
    .concat(faults.length > mostFaults ? [`and ${faults.length - mostFaults} more`] : [])
    .join("\n")

const mostFaults = 20
