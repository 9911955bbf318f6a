/**
 * What tells the APIs apart that speak Chat Completions' language: OpenAI's
 * own, with all who imitate it, and Mistral's.
 */
import type { Content, Json, Loss } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import type { Endpoint } from "../../WireFormat.js"

export interface ChatDialect {
  /** Name of the wire format, in turns and errors. */
  readonly name: string
  /** What people call the API. */
  readonly title: string
  readonly endpoint: Endpoint
  /** An id as this API accepts it: itself where it does, otherwise the same other one each time. */
  readonly acceptedId: (id: string) => string
  /** Ids that stand for none. */
  readonly missingIds: ReadonlySet<string>
  /** Whether a response has `index` in the entries of `tool_calls`, not only a stream. */
  readonly hasCallIndex: boolean
  /** Whether a request has to state the `type` of each entry of `tool_calls`. */
  readonly hasCallType: boolean
  /** Content of an assistant message that only calls. */
  readonly emptyContent: "" | null
  /** Whether the API takes an assistant's message that says and calls nothing. */
  readonly takesEmpty: boolean
  /** Whether a message can say that it refuses. */
  readonly hasRefusal: boolean
  /** Whether a result states the name of its tool. */
  readonly hasResultName: boolean
  /** What the API wants between a result and the user's next message. */
  readonly afterResults: Json.JsonObject | undefined
  /** A part of a user's message; undefined for one that has no words here. */
  readonly decodeUserPart: (part: Fields) => Content.Part | undefined
  readonly encodeUserPart: (part: Content.Part) => EncodedPart
}

export interface EncodedPart {
  readonly part: Json.JsonObject | undefined
  /** What could not be said, where something could not. */
  readonly loss?: Omit<Loss.Loss, "subject" | "path">
}
