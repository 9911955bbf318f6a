/** One piece of a response while it arrives: the part of the turn that it becomes, and of the next prompt. */
import type { Turn, TurnEvent } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as ToolCall from "@wield/core/ToolCall"
import type { NameMap } from "@wield/providers"

export interface Piece {
  /** `undefined` for what has no words in a turn, or never came to its end. */
  readonly part?: Turn.Part | undefined
  /** A part of an assistant's message of a prompt of @effect/ai, encoded. */
  readonly native: Json.Json | undefined
}

export class TextPiece implements Piece {
  #text = ""
  #metadata: Metadata = {}

  constructor(readonly kind: "text" | "reasoning") {}

  add(text: string, metadata: Metadata): ReadonlyArray<TurnEvent.TurnEvent> {
    this.#metadata = merge(this.#metadata, metadata)
    // OpenAI's package tells a refusal beside an empty text.
    const refusal = refusalOf(metadata)
    this.#text += refusal ?? text
    if (refusal !== undefined) return [{ _tag: "RefusalDelta", text: refusal }]
    return text === "" ? [] : [{ _tag: this.kind === "text" ? "TextDelta" : "ReasoningDelta", text }]
  }

  get part(): Turn.Part | undefined {
    if (this.kind === "reasoning") return { _tag: "Reasoning", text: this.#text }
    if (this.#text === "") return undefined
    return { _tag: refusalOf(this.#metadata) === undefined ? "Text" : "Refusal", text: this.#text }
  }

  get native(): Json.Json | undefined {
    // Anthropic takes back no empty text; reasoning without text may be all metadata.
    return this.kind === "text" && this.#text === ""
      ? undefined
      : Json.from({ type: this.kind, text: this.#text, options: this.#metadata })
  }
}

const refusalOf = (metadata: Metadata): string | undefined => {
  const refusal = metadata["openai"]?.["refusal"]
  return typeof refusal === "string" ? refusal : undefined
}

export class CallPiece implements Piece {
  /** The text of its arguments, as far as it came. */
  sent = ""
  part: Turn.CallPart | undefined
  native: Json.Json | undefined

  constructor(
    readonly index: number,
    readonly id: string,
    /** As the provider has it. */
    readonly name: string
  ) {}

  send(text: string): ReadonlyArray<TurnEvent.TurnEvent> {
    this.sent += text
    return text === "" ? [] : [{ _tag: "ArgumentsDelta", index: this.index, text }]
  }

  /** `params` is text only where it could not be parsed. */
  complete(
    params: unknown,
    names: NameMap.NameMap,
    metadata: Metadata,
    executedBy: "application" | "provider"
  ): ReadonlyArray<TurnEvent.TurnEvent> {
    const part: Turn.CallPart = {
      _tag: "Call",
      call: ToolCall.make(this.id, names.fromNative(this.name), params),
      executedBy,
      nativeName: this.name,
      nativeId: this.id
    }
    this.part = part
    this.native = Json.from({
      type: "tool-call",
      id: this.id,
      name: this.name,
      // Anthropic takes back an object only; what was wrong with the text stands in the result.
      params: Json.isObject(params) ? params : {},
      providerExecuted: executedBy === "provider",
      options: merge({}, metadata)
    })
    return [{ _tag: "CallComplete", index: this.index, part }]
  }
}

/** Provider metadata by the provider's name: what @effect/ai calls metadata in a response and options in a prompt. */
interface Metadata {
  readonly [provider: string]: { readonly [key: string]: unknown } | undefined
}

/** What a later piece of a part says of it is laid over what an earlier one said; `undefined` says nothing. */
const merge = (earlier: Metadata, later: Metadata): Metadata => {
  const out: Record<string, { readonly [key: string]: unknown }> = {}
  for (const metadata of [earlier, later]) {
    for (const [provider, fields] of Object.entries(metadata)) {
      if (fields === undefined) continue
      out[provider] = { ...out[provider], ...Json.withoutUndefined(fields) }
    }
  }
  return out
}
