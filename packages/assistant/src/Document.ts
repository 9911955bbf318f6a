/** A document that was ingested, and the excerpts that it is searched by. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { outlineOf } from "./documents/markdown.js"
import { cutByOutline } from "./documents/cut.js"

/**
 * A document that was ingested.
 *
 * @category models
 */
export class Document extends Schema.Class<Document>("@wield/assistant/Document")({
  /** The path or URL that names it: a user has one document of an address. */
  address: Schema.String,
  /** What it was read as, without parameters, such as `text/markdown`. */
  mediaType: Schema.String,
  /** SHA-256 of the bytes it was read from, in hexadecimal digits. */
  hash: Schema.String,
  /** The size of what it was read from. */
  bytes: Schema.Int,
  /** Of its text, as `String.length` counts. */
  length: Schema.Int,
  /** Of a PDF. */
  pages: Schema.optional(Schema.Int),
  /** So many excerpts there are: their indices are 0 to one less. */
  excerpts: Schema.Int,
  ingested: Schema.DateTimeUtc
}) {}

/**
 * A part of a document's text, which begins with the end of the excerpt before.
 *
 * @category models
 */
export class Excerpt extends Schema.Class<Excerpt>("@wield/assistant/Excerpt")({
  address: Schema.String,
  index: Schema.Int,
  /** The headings that it stands under, the outermost first. */
  headings: Schema.Array(Schema.String),
  /** Where it begins and ends in the document's text, as `String.slice` counts. */
  start: Schema.Int,
  end: Schema.Int,
  /** The first and the last page that it stands on, of a PDF; the first page is 1. */
  pages: Schema.optional(Schema.Tuple(Schema.Int, Schema.Int)),
  text: Schema.String
}) {}

/**
 * How a text is cut. A character is a code point of Unicode: an emoji of two
 * surrogates is one.
 *
 * @category models
 */
export interface Cutting {
  /** In characters: no chunk is longer. */
  readonly size: number
  /** In characters, less than `size`: each chunk but the first begins with so much of the end of the one before. */
  readonly overlap: number
}

/**
 * How a text is cut unless it is said.
 *
 * @category constants
 */
export const cutting: Cutting = { size: 3000, overlap: 200 }

/**
 * A part of a text, from `start` to `end` as `String.slice` counts. What it
 * shares with the chunk before ends at `own`.
 *
 * @category models
 */
export interface Chunk {
  readonly start: number
  readonly own: number
  readonly end: number
  /** The headings over the beginning of what is its own, the outermost first. */
  readonly headings: ReadonlyArray<string>
}

/**
 * Cuts a text before headings and paragraphs; a longer paragraph at sentences, otherwise at lines, words, or anywhere.
 * Others have their turn in between. An overlap that is not less than the size is a defect.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Document } from "@wield/assistant"
 * import { Effect } from "effect"
 *
 * const text = "# Garden\n\nMoonflowers open at night.\n\n## Orchids\n\nThey want tears of joy.\n"
 * const chunks = Effect.runPromise(Document.cut(text, { isMarkdown: true, size: 50, overlap: 5 }))
 * chunks.then((all) => assert.deepStrictEqual(all.map(({ headings }) => headings), [["Garden"], ["Garden", "Orchids"]]))
 * ```
 *
 * @category cutting
 */
export const cut = (
  text: string,
  options: Partial<Cutting> & {
    /** Whether headings and paragraphs are those of Markdown; otherwise paragraphs are parted by blank lines. */
    readonly isMarkdown?: boolean | undefined
  } = {}
): Effect.Effect<ReadonlyArray<Chunk>> =>
  Effect.flatMap(outlineOf(text, options.isMarkdown ?? false), (outline) =>
    cutByOutline(text, outline, { ...cutting, ...options })
  )
