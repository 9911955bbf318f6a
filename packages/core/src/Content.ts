/** The parts of which a result consists: text, JSON, images and files. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * Plain text.
 *
 * @category models
 */
export const Text = Schema.TaggedStruct("Text", { text: Schema.String })
export interface Text extends Schema.Schema.Type<typeof Text> {}

/**
 * A JSON value.
 *
 * @category models
 */
export const JsonValue = Schema.TaggedStruct("JsonValue", { value: Schema.Unknown })
export interface JsonValue extends Schema.Schema.Type<typeof JsonValue> {}

/**
 * The bytes of an image or file: inline as base64, or by URL.
 *
 * @category models
 */
export const Source = Schema.Union(
  Schema.TaggedStruct("Base64", { data: Schema.String }),
  Schema.TaggedStruct("Url", { url: Schema.String })
)
export type Source = typeof Source.Type

/**
 * An image with its media type, such as `image/png`.
 *
 * @category models
 */
export class Image extends Schema.TaggedClass<Image>("@wield/core/Content/Image")("Image", {
  mediaType: Schema.String,
  source: Source
}) {}

/**
 * A file with its media type, such as `application/pdf`, and a name if it has one.
 *
 * @category models
 */
export class File extends Schema.TaggedClass<File>("@wield/core/Content/File")("File", {
  mediaType: Schema.String,
  source: Source,
  filename: Schema.optional(Schema.String)
}) {}

/**
 * One part of a result.
 *
 * @category models
 */
export const Part = Schema.Union(Text, JsonValue, Image, File)
export type Part = typeof Part.Type

/**
 * Whether a value is a part, also one that a literal makes.
 *
 * @category guards
 */
export const isPart: (value: unknown) => value is Part = Schema.is(Schema.encodedSchema(Part))

/** The annotation by which the runner knows a success that is already content. */
export const PartsId: unique symbol = Symbol.for("@wield/core/Content/Parts")

/**
 * A success schema for tools that answer with more than one JSON value: what
 * the handler returns is sent to the model part by part, as far as the wire
 * format carries it.
 *
 * @example
 * ```ts
 * import { Content } from "@wield/core"
 *
 * const answer: typeof Content.Parts.Type = [
 *   Content.text("The page as it looks now:"),
 *   Content.image("image/png", "iVBORw0KGgo=")
 * ]
 * ```
 *
 * @category schemas
 */
export const Parts = Schema.Array(Part).annotations({ [PartsId]: true })

const AnswerId: unique symbol = Symbol.for("@wield/core/Content/Answer")

/**
 * What a dynamic tool answers with when an answer is content of several parts
 * and others are JSON values: an API that has images beside records. A tool
 * whose answers are all content says so (`isContent`) and needs no `Answer`.
 *
 * @category models
 */
export class Answer extends Schema.TaggedClass<Answer>("@wield/core/Content/Answer")("@wield/core/Content/Answer", {
  parts: Schema.Array(Part)
}) {
  get [AnswerId](): true {
    return true
  }

  /** Whether a value is one, also of another copy of this package. */
  static is(value: unknown): value is Answer {
    return Predicate.hasProperty(value, AnswerId)
  }
}

/**
 * A part that is plain text.
 *
 * @category constructors
 */
export const text = (value: string): Text => ({ _tag: "Text", text: value })

/**
 * A part that is a JSON value. That it is one is not checked here: what JSON
 * cannot say ends the call as `InvalidResult`.
 *
 * @category constructors
 */
export const json = (value: unknown): JsonValue => ({ _tag: "JsonValue", value })

/**
 * An image from base64 data. An image by URL is made with the class `Image`.
 *
 * @category constructors
 */
export const image = (mediaType: string, base64: string): Image =>
  new Image({ mediaType, source: { _tag: "Base64", data: base64 } })

/**
 * A file from base64 data. A file by URL is made with the class `File`.
 *
 * @category constructors
 */
export const file = (mediaType: string, base64: string, filename?: string): File =>
  new File({ mediaType, source: { _tag: "Base64", data: base64 }, ...(filename === undefined ? {} : { filename }) })
