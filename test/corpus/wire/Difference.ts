/**
 * One way in which a request may differ from the recorded one when it is said
 * anew from Wield's words, without what was kept verbatim.
 */
import type { Json } from "@wield/core"

export interface Difference {
  readonly name: string
  /** Why both say the same to the API, or why the difference cannot be helped. */
  readonly why: string
  /** A body without the difference; applied to both sides. */
  readonly apply: (body: Json.JsonObject) => Json.JsonObject
  /** Whether what is put back as it stood differs so, too. */
  readonly isInKept?: boolean
}
