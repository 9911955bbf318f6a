/**
 * The content of a streamed message: text in pieces, or Mistral's list of
 * chunks, of which neighbours of one kind are one chunk.
 */
import { Json } from "@wield/core"

/** A chunk whose text is still growing, or one that came whole. */
type Chunk =
  | { readonly kind: "text"; readonly pieces: Array<string> }
  | { readonly kind: "thinking"; readonly inner: Array<Chunk>; rest: Json.JsonObject }
  | { readonly kind: "whole"; readonly json: Json.Json }

export class StreamedContent {
  readonly #text: Array<string> = []
  readonly #chunks: Array<Chunk> = []
  #isSeen = false

  add(content: unknown): void {
    if (content === undefined) return
    this.#isSeen = true
    if (typeof content === "string") {
      // Mistral goes on with plain text after its chunks of reasoning.
      if (this.#chunks.length === 0) this.#text.push(content)
      else append(this.#chunks, content)
    } else if (Array.isArray(content)) {
      const before = this.#text.splice(0).join("")
      append(this.#chunks, before)
      // An item of a message that was parsed from JSON is JSON.
      for (const item of content) append(this.#chunks, item as Json.Json)
    }
  }

  /** As the message has it that does not stream; undefined where no delta said anything of it. */
  json(): Json.Json | undefined {
    if (this.#chunks.length > 0) return this.#chunks.map(chunkJson)
    if (this.#text.length > 0) return this.#text.join("")
    return this.#isSeen ? null : undefined
  }
}

const append = (chunks: Array<Chunk>, item: Json.Json): void => {
  const text = textOf(item)
  const last = chunks.at(-1)
  if (text !== undefined) {
    if (text === "") return
    if (last?.kind === "text") last.pieces.push(text)
    else chunks.push({ kind: "text", pieces: [text] })
    return
  }
  const { thinking, ...rest } = isJsonObject(item) ? item : {}
  if (!Array.isArray(thinking)) {
    chunks.push({ kind: "whole", json: item })
    return
  }
  const open: Chunk = last?.kind === "thinking" ? last : { kind: "thinking", inner: [], rest: {} }
  if (open !== last) chunks.push(open)
  open.rest = { ...open.rest, ...rest }
  for (const piece of thinking) append(open.inner, piece)
}

/** The text of an item that is nothing but text. */
const textOf = (item: Json.Json): string | undefined => {
  if (typeof item === "string") return item
  if (!isJsonObject(item) || Object.keys(item).some((key) => key !== "type" && key !== "text")) return undefined
  const { text } = item
  return typeof text === "string" ? text : undefined
}

const isJsonObject = (json: Json.Json): json is Json.JsonObject => Json.isObject(json)

const chunkJson = (chunk: Chunk): Json.Json => {
  switch (chunk.kind) {
    case "text":
      return { type: "text", text: chunk.pieces.join("") }
    case "thinking":
      return { ...chunk.rest, thinking: chunk.inner.map(chunkJson) }
    case "whole":
      return chunk.json
  }
}
