/**
 * Bedrock's Converse API: one content block that streams in, put together as
 * the non-streaming API would have sent it. Texts are joined once, at the end.
 */
import { Json } from "@wield/core"
import * as Encoding from "effect/Encoding"
import * as Either from "effect/Either"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField } from "../internal/wireField.js"
import type { CallHead } from "./decodeBlock.js"

/** The arguments of a call: whole, absent (there may be none, or none yet), or text that is no JSON object. */
export type Read =
  | { readonly _tag: "Whole"; readonly input: Json.JsonObject }
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Broken"; readonly text: string }

export class StreamBlock {
  isOpen = true
  /** Set where a limit ended the response inside of this call. */
  isCut = false
  readonly #texts: Array<string> = []
  readonly #signatures: Array<string> = []
  readonly #redacted: Array<string> = []
  readonly #citations: Array<Json.Json> = []
  readonly #results: Array<Json.Json> = []
  #image: Fields = {}
  #read: Read | undefined

  constructor(
    /** The key of the block, such as `text` or `toolUse`. */
    readonly kind: string,
    readonly index: number,
    /** What `contentBlockStart` said; only calls and results have one. */
    readonly start: Json.JsonObject,
    /** Set for a call. */
    readonly head: CallHead | undefined,
    /** The number of a call that the application has to run, among those of the turn. */
    readonly callIndex: number | undefined
  ) {}

  /** Takes one delta and gives the text that it adds. */
  add(delta: Fields): string {
    switch (this.kind) {
      case "text": {
        const citation = delta["citation"]
        // Deltas are parsed JSON.
        if (Json.isObject(citation)) this.#citations.push(citation as Json.JsonObject)
        return this.#more(stringField(delta, "text"))
      }
      case "toolUse":
        return this.#more(stringField(objectField(delta, "toolUse") ?? {}, "input"))
      case "reasoningContent": {
        const reasoning = objectField(delta, "reasoningContent") ?? {}
        const signature = stringField(reasoning, "signature")
        const redacted = stringField(reasoning, "redactedContent")
        if (signature !== undefined) this.#signatures.push(signature)
        if (redacted !== undefined) this.#redacted.push(redacted)
        return this.#more(stringField(reasoning, "text"))
      }
      case "toolResult": {
        const results = delta["toolResult"]
        if (Array.isArray(results)) this.#results.push(...(results as ReadonlyArray<Json.Json>))
        return ""
      }
      case "image":
        this.#image = { ...this.#image, ...objectField(delta, "image") }
        return ""
      default:
        return ""
    }
  }

  #more(text: string | undefined): string {
    if (text === undefined || text === "") return ""
    this.#texts.push(text)
    return text
  }

  /** The text so far. */
  text(): string {
    return this.#texts.join("")
  }

  arguments(): Read {
    // Asked only of a block that has stopped, and more than once.
    this.#read ??= readArguments(this.text())
    return this.#read
  }

  /** `undefined` for a block that came out empty: the API refuses a blank one. */
  content(): Json.JsonObject | undefined {
    switch (this.kind) {
      case "text": {
        const text = this.text()
        if (this.#citations.length > 0) return { citationsContent: { content: [{ text }], citations: this.#citations } }
        return text === "" ? undefined : { text }
      }
      case "toolUse": {
        const read = this.arguments()
        // The API takes an object only; broken text is told in the turn's part.
        return { toolUse: { ...this.start, input: read._tag === "Whole" ? read.input : {} } }
      }
      case "reasoningContent": {
        if (this.#redacted.length > 0) return { reasoningContent: { redactedContent: joinedBase64(this.#redacted) } }
        const signature = this.#signatures.length === 0 ? {} : { signature: this.#signatures.join("") }
        return { reasoningContent: { reasoningText: { text: this.text(), ...signature } } }
      }
      case "toolResult":
        return { toolResult: { ...this.start, content: this.#results } }
      case "image":
        return { image: { ...this.start, ...(this.#image as Json.JsonObject) } }
      default:
        return undefined
    }
  }

  /** Whether a turn that broke off can be sent back with this block in it. */
  isSendable(answered: ReadonlySet<unknown>): boolean {
    switch (this.kind) {
      case "text":
        return true
      case "toolUse": {
        if (this.isOpen || this.isCut) return false
        // A call that Bedrock runs needs its result, which stands in the same message.
        return this.callIndex !== undefined || answered.has(this.start["toolUseId"])
      }
      // A signature covers the whole text, and comes last.
      case "reasoningContent":
        return !this.isOpen
      default:
        return !this.isOpen
    }
  }
}

const readArguments = (text: string): Read => {
  if (text.trim() === "") return { _tag: "Absent" }
  try {
    const input: unknown = JSON.parse(text)
    // What was parsed from JSON is JSON.
    if (Json.isObject(input)) return { _tag: "Whole", input: input as Json.JsonObject }
  } catch {
    // JSON.parse reports by throwing.
  }
  return { _tag: "Broken", text }
}

/** Base64 of the bytes that these pieces are base64 of: each may be padded. */
const joinedBase64 = (pieces: ReadonlyArray<string>): string => {
  const [only, ...others] = pieces
  if (only !== undefined && others.length === 0) return only
  const bytes = pieces.flatMap((piece) => Array.from(Either.getOrElse(Encoding.decodeBase64(piece), () => [])))
  return Encoding.encodeBase64(Uint8Array.from(bytes))
}
