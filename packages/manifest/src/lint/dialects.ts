/** What the models' APIs cannot say of the tools' parameters. */
import type { Loss, ToolDefinition } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import type { Manifest } from "../load/Manifest.js"
import * as Problem from "../Problem.js"

export const dialectProblems = (
  manifest: Manifest,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  dialects: ReadonlyArray<WireFormat.WireFormat>
): ReadonlyArray<Problem.Problem> =>
  definitions.flatMap((definition) => {
    const entry = manifest.entries.find((other) => other.function.name === definition.name)
    if (entry === undefined) return []
    return merged(definition, dialects).map(({ loss, titles }) =>
      Problem.at(entry, {
        severity: "warning",
        rule: "dialect-loss",
        message: `${loss.keyword} (${titles.join(", ")}): ${loss.reason}`,
        path: ["function", "parameters", ...loss.path, loss.keyword]
      })
    )
  })

interface Merged {
  readonly loss: Loss.Loss
  /** The APIs that lose it in the same way. */
  readonly titles: Array<string>
}

const merged = (
  definition: ToolDefinition.ToolDefinition,
  dialects: ReadonlyArray<WireFormat.WireFormat>
): ReadonlyArray<Merged> => {
  const all = new Map<string, Merged>()
  for (const { encodeTools, title } of dialects) {
    for (const loss of encodeTools([definition]).losses) {
      const key = JSON.stringify([loss.path, loss.keyword, loss.reason])
      const known = all.get(key)
      if (known === undefined) all.set(key, { loss, titles: [title] })
      else if (!known.titles.includes(title)) known.titles.push(title)
    }
  }
  return [...all.values()]
}
