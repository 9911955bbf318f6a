/** What is needed to read a call as it is meant: the tool's own name, and its arguments' own names. */
import { anthropicProperties } from "../dialect/anthropicProperties.js"
import type { Offered } from "../WireFormat.js"
import type { NameRule } from "./nameMap.js"
import { nameMap } from "./nameMap.js"

export interface CallReader {
  readonly fromNative: (native: string) => string
  /** `name` is Wield's name of the tool. */
  readonly readArguments: (name: string, sent: unknown) => unknown
}

/** For calls in a request body, which are kept as they stand. */
export const asSent = (_: string, sent: unknown): unknown => sent

/** For Anthropic's API, and Bedrock's, which hands schemas on to it. */
export const callReader = (offered: Offered | undefined, rule: NameRule): CallReader => {
  const definitions = offered?.definitions ?? []
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  return {
    fromNative: nameMap(definitions, rule).fromNative,
    readArguments: (name, sent) => {
      const definition = byName.get(name)
      return definition === undefined || definition.provider !== undefined
        ? sent
        : anthropicProperties(definition).restore(sent)
    }
  }
}
