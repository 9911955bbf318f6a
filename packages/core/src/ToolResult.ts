/** An outcome as the model will read it. A wire format turns it into the message its API expects. */
import type * as Content from "./Content.js"

/**
 * An outcome as the model will read it.
 *
 * `structured` is the JSON value of a success or a typed failure; it is absent
 * where there is only text (rejected calls, timeouts, content of several
 * parts). It is never `undefined` inside: a tool without a result has `null`.
 *
 * @category models
 */
export interface ToolResult {
  readonly id: string
  readonly name: string
  readonly isError: boolean
  readonly content: ReadonlyArray<Content.Part>
  readonly structured?: unknown
}

/**
 * The text of a result, for an API that carries text only: text parts and
 * strings as they are, other JSON as JSON text, images and files as a note of what was left out.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Content, ToolResult } from "@wield/core"
 *
 * const content = [Content.json({ hour: 12 }), Content.text("noon")]
 * assert.strictEqual(ToolResult.toText({ id: "call_1", name: "now", isError: false, content }), '{"hour":12}\nnoon')
 * ```
 *
 * @category rendering
 */
export const toText = ({ content }: ToolResult): string => content.map(partToText).join("\n")

const partToText = (part: Content.Part): string => {
  switch (part._tag) {
    case "Text":
      return part.text
    case "JsonValue":
      // A string is text already; quoted and escaped it would only be harder to read.
      if (typeof part.value === "string") return part.value
      // `undefined` has no JSON text; a result is never undefined (law 4).
      return JSON.stringify(part.value) ?? "null"
    case "Image":
      return `[an image of type ${part.mediaType} that this API cannot carry in a result]`
    case "File":
      return `[a file of type ${part.mediaType}${part.filename === undefined ? "" : ` named ${part.filename}`} that this API cannot carry in a result]`
  }
}

/**
 * A result as one JSON value, for an API that carries one: the structured value
 * where there is nothing beside it, text otherwise.
 *
 * @category rendering
 */
export const toValue = (result: ToolResult): unknown =>
  result.structured !== undefined && result.content.length === 1 ? result.structured : toText(result)
