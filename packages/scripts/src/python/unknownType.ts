import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import type { Node } from "../syntax/treeSitter.js"
import { excerptOf } from "./notLiteral.js"
import { type Owner, type Reading, report } from "./reading.js"

/** Says so, and lets any value in: never a guess. */
export const unknownType = (
  node: Node,
  reading: Reading,
  owner: Owner,
  advice = "declare it in this file as a dataclass, TypedDict, Enum or pydantic model, or use one of Python's own types"
): Effect.Effect<Json.JsonSchema> =>
  Effect.sync(() => {
    report(reading, {
      severity: "warning",
      rule: "unknown-type",
      message: `The type \`${excerptOf(node)}\` of ${owner.subject} is not known, so any value is accepted; ${advice}`,
      at: owner.place ?? node,
      subject: owner.subject
    })
    return {}
  })
