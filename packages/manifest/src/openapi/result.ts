/** The schema of what an operation answers with JSON when it succeeds. */
import { Json } from "@wield/core"
import type { Importing } from "./Importing.js"
import { kindOf } from "./mediaType.js"
import type { Found } from "./operations.js"
import { isResolved } from "./reference.js"

export const resultOf = (found: Found, importing: Importing): Json.JsonSchema | undefined => {
  const { responses } = found.object
  if (!Json.isObject(responses)) return undefined
  const status = Object.keys(responses)
    .filter((key) => /^2([0-9]{2}|XX)$/i.test(key))
    .sort()
  for (const key of status) {
    const response = importing.resolve(responses[key])
    if (!isResolved(response)) continue
    const { content } = response
    if (!Json.isObject(content)) continue
    const type = Object.keys(content).find((one) => kindOf(one) === "json")
    const media = type === undefined ? undefined : content[type]
    if (type === undefined || !Json.isObject(media) || media["schema"] === undefined) continue
    const at = [...found.at, "responses", key, "content", type, "schema"]
    const { references, schema } = importing.outputs.convert(media["schema"], at)
    if (!Json.isObject(schema)) return undefined
    const definitions = importing.outputs.definitions(references)
    return definitions === undefined ? schema : { ...schema, $defs: definitions }
  }
  return undefined
}
