/**
 * Which draft a schema is written in: the one that `$schema` names, or else
 * the one that its keywords belong to.
 */
import type { Draft } from "../JsonSchema.js"
import { keywordsIn } from "./keywords.js"

/** The draft that a `$schema` names; `undefined` for a custom meta-schema. */
export const declaredDraft = (uri: unknown): Draft | undefined => {
  if (typeof uri !== "string") return undefined
  const name = /^https?:\/\/json-schema\.org\/(?:draft\/(2019-09|2020-12)|(draft-0[34567]))\//.exec(uri)
  const found = name?.[1] ?? name?.[2]
  // Drafts 3 and 5 differ from 4 in nothing that is not repaired as a loose dialect.
  if (found === "draft-03" || found === "draft-05") return "draft-04"
  return found as Draft | undefined
}

const of2020 = keywordsIn("$dynamicAnchor $dynamicRef prefixItems")
const since2019 = keywordsIn(
  "$anchor $defs $recursiveAnchor $recursiveRef dependentRequired dependentSchemas maxContains minContains " +
    "unevaluatedItems unevaluatedProperties"
)
const until2019 = keywordsIn("$recursiveAnchor $recursiveRef additionalItems items[]")
const until7 = keywordsIn("definitions dependencies")

/** `seen` are the keywords of all subschemas; `items[]` stands for `items` as a list. */
export const evidentDraft = (seen: ReadonlySet<string>): Draft => {
  const has = (keywords: ReadonlySet<string>): boolean => [...keywords].some((keyword) => seen.has(keyword))
  if (has(of2020)) return "2020-12"
  if (has(until2019)) return has(since2019) ? "2019-09" : "draft-07"
  return has(until7) && !has(since2019) ? "draft-07" : "2020-12"
}
