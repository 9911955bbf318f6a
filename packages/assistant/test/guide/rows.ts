/** A row of the guide's table for each tool. Parameters that may be left out have a question mark. */
import type { ToolDefinition } from "@wield/core"
import { Schema } from "effect"
import { failuresOf } from "../toolkits/failures.js"
import { toolkits } from "../toolkits/toolkits.js"

const Shape = Schema.Struct({
  properties: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  required: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] })
})

const factsOf = ({ facts }: ToolDefinition.ToolDefinition): string =>
  [
    facts.isReadOnly ? "read-only" : facts.isDestructive ? "destructive" : "writes",
    ...(!facts.isReadOnly && facts.isIdempotent ? ["idempotent"] : []),
    ...(facts.isOpenWorld ? ["open world"] : [])
  ].join(", ")

export const rowsOf = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): ReadonlyArray<string> =>
  toolkits.flatMap(({ module, tools }) =>
    tools.flatMap((tool) => {
      const { name } = tool
      const definition = definitions.find((one) => one.name === name)
      if (definition === undefined) return []
      const { properties, required } = Schema.decodeUnknownSync(Shape)(definition.inputSchema)
      const parameters = Object.keys(properties).map((key) => `\`${key}${required.includes(key) ? "" : "?"}\``)
      const failures = failuresOf(tool).map((failure) => `\`${failure.name}\``)
      const columns = [`\`${module}\``, `\`${name}\``, parameters.join(", ") || "–", factsOf(definition)]
      return [`| ${[...columns, failures.join(", ") || "–"].join(" | ")} |`]
    })
  )
