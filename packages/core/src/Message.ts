/**
 * The messages of a conversation in Wield's words, so that a conversation can
 * be carried from one provider's format to another's. What the provider sent
 * is kept beside, verbatim, for going on with the same provider.
 */
import * as Schema from "effect/Schema"
import { File, Image, Part as ContentPart } from "./Content.js"
import { isObject, type Json } from "./Json.js"
import type { ToolResult } from "./ToolResult.js"
import type { Part as TurnPart } from "./Turn.js"

/**
 * A provider's own messages or items, byte for byte.
 *
 * @category models
 */
export interface Native {
  /** Name of the wire format. */
  readonly format: string
  readonly json: ReadonlyArray<Json>
  /** Who made them: another server or model family cannot read them. Absent where that is unknown. */
  readonly from?: Maker | undefined
}

/**
 * The server and the model that made a turn.
 *
 * @category models
 */
export interface Maker {
  /** Host of the API's address, such as `api.deepseek.com`; the provider's name where the address is not known. */
  readonly host?: string | undefined
  /** What the API calls the model, such as `deepseek-chat`. */
  readonly model?: string | undefined
}

/**
 * Instructions of the application (system, developer).
 *
 * @category models
 */
export interface System {
  readonly _tag: "System"
  readonly text: string
  readonly native: Native | undefined
}

/**
 * What the user says.
 *
 * @category models
 */
export interface User {
  readonly _tag: "User"
  readonly content: ReadonlyArray<ContentPart>
  readonly native: Native | undefined
}

/**
 * What the model said and called in one turn.
 *
 * @category models
 */
export interface Assistant {
  readonly _tag: "Assistant"
  readonly parts: ReadonlyArray<TurnPart>
  readonly native: Native | undefined
}

/**
 * The results of the calls of the turn before.
 *
 * @category models
 */
export interface Results {
  readonly _tag: "Results"
  readonly results: ReadonlyArray<ToolResult>
  readonly native: Native | undefined
}

/**
 * One message of a conversation.
 *
 * @category models
 */
export type Message = System | User | Assistant | Results

/**
 * JSON is passed on as it is. What was parsed from text is `Json`, and what is
 * to become text has that type already; walking it once more would find nothing.
 */
const AnyJson = Schema.Unknown as Schema.Schema<Json>

const MakerJson = Schema.Struct({ host: Schema.optional(Schema.String), model: Schema.optional(Schema.String) })

const NativeJson = Schema.Struct({
  format: Schema.String,
  json: Schema.Array(AnyJson),
  from: Schema.optional(MakerJson)
})
const NativeMessages = Schema.UndefinedOr(NativeJson)

/** An image or file need not be an instance of its class to be one: the types do not ask for it either. */
const AnyContent = Schema.transform(
  ContentPart,
  Schema.declare((part): part is ContentPart => isObject(part) && typeof part["_tag"] === "string"),
  {
    strict: true,
    decode: (part) => part,
    encode: (part) => {
      // Whether the fields are right is checked where the instance is encoded.
      if (part._tag === "Image" && !(part instanceof Image)) return new Image(part, { disableValidation: true })
      if (part._tag === "File" && !(part instanceof File)) return new File(part, { disableValidation: true })
      return part
    }
  }
)

const AssistantPart = Schema.Union(
  Schema.TaggedStruct("Text", { text: Schema.String }),
  Schema.TaggedStruct("Reasoning", { text: Schema.String, native: Schema.optional(NativeJson) }),
  Schema.TaggedStruct("Refusal", { text: Schema.String }),
  Schema.TaggedStruct("Call", {
    call: Schema.Struct({ id: Schema.String, name: Schema.String, arguments: Schema.Unknown }),
    executedBy: Schema.Literal("application", "provider"),
    nativeName: Schema.String,
    nativeId: Schema.UndefinedOr(Schema.String),
    format: Schema.optional(Schema.String),
    native: Schema.optional(NativeJson)
  })
)

const Result = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  isError: Schema.Boolean,
  content: Schema.Array(AnyContent),
  structured: Schema.optionalWith(Schema.Unknown, { exact: true })
})

const messages = Schema.Union(
  Schema.TaggedStruct("System", { text: Schema.String, native: NativeMessages }),
  Schema.TaggedStruct("User", { content: Schema.Array(AnyContent), native: NativeMessages }),
  Schema.TaggedStruct("Assistant", { parts: Schema.Array(AssistantPart), native: NativeMessages }),
  Schema.TaggedStruct("Results", { results: Schema.Array(Result), native: NativeMessages })
)

/**
 * One message of a conversation, for storing it as JSON text and reading it
 * again. Arguments, results and the provider's own messages are passed on as
 * they are. A property that is `undefined` has no place in JSON text, and is
 * `undefined` again when it is read.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Content, Message } from "@wield/core"
 * import { Schema } from "effect"
 *
 * const json = Schema.parseJson(Message.Message)
 * const message: Message.Message = { _tag: "User", content: [Content.text("Hello")], native: undefined }
 * const text = Schema.encodeSync(json)(message)
 * assert.strictEqual(text, '{"_tag":"User","content":[{"_tag":"Text","text":"Hello"}]}')
 * assert.deepStrictEqual(Schema.decodeSync(json)(text), message)
 * ```
 *
 * @category schemas
 */
export const Message: Schema.Schema<Message, typeof messages.Encoded> = messages
