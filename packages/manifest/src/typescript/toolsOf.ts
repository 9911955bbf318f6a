/** What a toolkit is generated of: the entries of a manifest, or definitions of any toolset. */
import type { Facts, Json, ToolDefinition } from "@wield/core"
import { factsOf } from "../load/facts.js"
import { filledParameters, isInternal } from "../load/parameters.js"
import type { Entry } from "../ManifestEntry.js"
import type { Source } from "../TypeScript.js"

export interface Generating {
  readonly name: string
  readonly description: string | undefined
  readonly parameters: Json.JsonSchema
  readonly result: Json.JsonSchema | undefined
  readonly facts: Facts.Facts
  /** In any case. */
  readonly hidden: ReadonlyArray<string>
}

export const toolsOf = (source: Source): ReadonlyArray<Generating> =>
  isManifest(source) ? source.entries.filter((entry) => !isInternal(entry)).map(ofEntry) : source.map(ofDefinition)

const ofEntry = (entry: Entry): Generating => ({
  ...entry.function,
  parameters: filledParameters(entry),
  result: entry._tag === "Api" ? entry.api.result.schema : undefined,
  facts: factsOf(entry),
  hidden: entry.context
})

const ofDefinition = ({
  description,
  facts,
  inputSchema,
  name,
  outputSchema
}: ToolDefinition.ToolDefinition): Generating => ({
  name,
  description,
  parameters: inputSchema,
  result: outputSchema,
  facts,
  hidden: []
})

/** A list has a function `entries`. */
const isManifest = (source: Source): source is { readonly entries: ReadonlyArray<Entry> } => !Array.isArray(source)
