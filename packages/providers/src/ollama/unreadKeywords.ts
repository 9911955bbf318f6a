/**
 * What Ollama's server does not read of a tool's schema: it keeps the fields
 * that it knows and drops the others before the model sees them.
 */
import type { Loss } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../internal/wireField.js"

/** Of the schema as a whole. */
const rootKeywords: ReadonlySet<string> = new Set("type $defs items required properties".split(" "))

/** Of one property. */
const propertyKeywords: ReadonlySet<string> = new Set(
  "anyOf type items description enum properties required".split(" ")
)

/** They say nothing about which values are valid. */
const ignorable: ReadonlySet<string> = new Set("$schema $id title default examples additionalProperties".split(" "))

export const unreadKeywords = (subject: string, schema: Fields): ReadonlyArray<Loss.Loss> => {
  const losses: Array<Loss.Loss> = []
  const visit = (at: unknown, path: ReadonlyArray<string | number>, known: ReadonlySet<string>): void => {
    // Deeper than any schema of a tool.
    if (!Json.isObject(at) || path.length > 100) return
    for (const keyword of Object.keys(at)) {
      if (known.has(keyword) || ignorable.has(keyword)) continue
      const reason = `Ollama does not show ${keyword} to the model; the full schema still checks it.`
      losses.push({ subject, path: [...path, keyword], keyword, reason })
    }
    const { properties, items, anyOf } = at
    if (Json.isObject(properties)) {
      for (const [name, property] of Object.entries(properties)) {
        visit(property, [...path, "properties", name], propertyKeywords)
      }
    }
    visit(items, [...path, "items"], propertyKeywords)
    if (Array.isArray(anyOf))
      for (const [index, each] of anyOf.entries()) visit(each, [...path, "anyOf", index], propertyKeywords)
  }
  visit(schema, [], rootKeywords)
  return losses
}
