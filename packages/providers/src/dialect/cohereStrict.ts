/**
 * A JSON Schema as Cohere's structured outputs (`strict_tools`) take it: types,
 * `enum`, `const`, `pattern`, some formats, `anyOf` and references, but no
 * ranges, lengths or other ways to combine, and no anchors in a pattern.
 *
 * @see https://docs.cohere.com/docs/structured-outputs
 */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import { foldAllOf } from "./allOf.js"
import { inlineReferences } from "./inlineReferences.js"
import { describe } from "./keywords.js"
import type { Path } from "../internal/wireField.js"

const kept: ReadonlySet<string> = new Set("type title description enum required default".split(" "))
const formats: ReadonlySet<string> = new Set(["date", "date-time", "time", "uuid"])
const ignorable: ReadonlySet<string> = new Set(
  "$schema $id $anchor $comment examples readOnly writeOnly deprecated".split(" ")
)

export const cohereStrict = (
  subject: string,
  document: Json.JsonSchema
): { readonly schema: Json.JsonSchema; readonly losses: ReadonlyArray<Loss.Loss> } => {
  const inlined = inlineReferences(subject, document)
  const losses: Array<Loss.Loss> = [...inlined.losses]
  const lose = (path: Path, keyword: string, reason: string): void =>
    void losses.push({ subject, path, keyword, reason: `Cohere's strict mode: ${reason}.` })

  const visit = (value: unknown, path: Path): unknown => {
    if (!Json.isObject(value)) return value
    const { conflicts, schema } = foldAllOf(value, document)
    for (const keyword of conflicts) lose(path, keyword, "of several statements only the first is kept")
    const unstated: Record<string, unknown> = {}
    const out = new Map<string, unknown>()
    for (const [keyword, stated] of Object.entries(schema)) {
      const here = [...path, keyword]
      if (ignorable.has(keyword)) continue
      if (kept.has(keyword) || isEnforced(keyword, stated)) {
        out.set(keyword, stated)
      } else if (keyword === "properties" && Json.isObject(stated)) {
        out.set(
          keyword,
          Object.fromEntries(Object.entries(stated).map(([key, item]) => [key, visit(item, [...here, key])]))
        )
      } else if (keyword === "additionalProperties" || (keyword === "items" && !Array.isArray(stated))) {
        out.set(keyword, visit(stated, here))
      } else if ((keyword === "anyOf" || keyword === "oneOf") && Array.isArray(stated) && !out.has("anyOf")) {
        if (keyword === "oneOf") lose(path, keyword, "it has no exclusive choice; it is sent as anyOf")
        out.set(
          "anyOf",
          stated.map((item, index) => visit(item, [...here, index]))
        )
      } else {
        unstated[keyword] = stated
        lose(path, keyword, "it does not enforce it; the description states it")
      }
    }
    const { properties } = schema
    if (Json.isObject(properties) && Object.keys(properties).length > 0 && !isDemanding(schema)) {
      lose(path, "required", "every object needs a required property, and this one has none: the API may refuse it")
    }
    return describe(Object.fromEntries(out), unstated)
  }

  const schema = visit(inlined.schema, [])
  return { schema: Json.isObject(schema) ? schema : {}, losses }
}

const isDemanding = ({ required }: Json.JsonSchema): boolean => Array.isArray(required) && required.length > 0

/** Of the keywords that Cohere takes in some forms only. */
const isEnforced = (keyword: string, stated: unknown): boolean => {
  switch (keyword) {
    case "const":
      return typeof stated !== "object" || stated === null
    case "format":
      return typeof stated === "string" && formats.has(stated)
    case "pattern":
      return typeof stated === "string" && !isAnchored(stated)
    default:
      return false
  }
}

/** Whether a pattern has anchors, or looks around: it may have these signs in a class, or escaped. */
const isAnchored = (pattern: string): boolean =>
  /[$^]|\(\?<?[=!]/.test(pattern.replaceAll(/\\.|\[(?:[^\]\\]|\\.)*\]/g, ""))
