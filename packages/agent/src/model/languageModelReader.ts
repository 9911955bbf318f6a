/**
 * Reads the parts of a response of @effect/ai, streamed or whole, into turn
 * events and the turn; and keeps what the next request's history must have of
 * it, the provider's metadata included.
 */
import type { Response } from "@effect/ai"
import type { TurnEvent } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Turn from "@wield/core/Turn"
import type { NameMap } from "@wield/providers"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import { formatName } from "./languageModelFormat.js"
import { CallPiece, type Piece, TextPiece } from "./languageModelPiece.js"

type Events = ReadonlyArray<TurnEvent.TurnEvent>

export class ResponseReader {
  /** In the order in which the model began them. */
  readonly #pieces: Array<Piece> = []
  readonly #texts = new Map<string, TextPiece>()
  readonly #calls = new Map<string, CallPiece>()
  #index = 0
  #id: string | undefined
  #model: string | undefined
  #usage: Turn.Usage = Turn.unknownUsage
  #finish: Response.FinishReason | undefined
  hasBegun = false
  /** The error of an error part: the response ended there. */
  error: unknown

  constructor(readonly names: NameMap.NameMap) {}

  /** Whether the response gave the reason of its end. */
  get isFinished(): boolean {
    return this.#finish !== undefined
  }

  push(part: Response.AnyPart): Events {
    if (part.type === "error") {
      this.error = part.error ?? "an error without words"
      return []
    }
    this.hasBegun = true
    switch (part.type) {
      case "text":
      case "reasoning":
        return this.#add(new TextPiece(part.type)).add(part.text, part.metadata)
      case "text-start":
      case "reasoning-start":
        this.#open(part.type === "text-start" ? "text" : "reasoning", part.id).add("", part.metadata)
        return []
      case "text-delta":
      case "reasoning-delta": {
        const kind = part.type === "text-delta" ? "text" : "reasoning"
        const piece = this.#texts.get(`${kind} ${part.id}`) ?? this.#open(kind, part.id)
        return piece.add(part.delta, part.metadata)
      }
      case "text-end":
      case "reasoning-end":
        this.#texts.get(`${part.type === "text-end" ? "text" : "reasoning"} ${part.id}`)?.add("", part.metadata)
        return []
      case "tool-params-start":
        return part.providerExecuted ? [] : this.#start(part.id, part.name)
      case "tool-params-delta":
        return this.#calls.get(part.id)?.send(part.delta) ?? []
      case "tool-call":
        return this.#call(part)
      case "tool-result":
        return this.#keep({
          type: "tool-result",
          id: part.id,
          name: part.name,
          isFailure: part.isFailure,
          result: part.encodedResult,
          providerExecuted: true,
          options: part.metadata
        })
      case "file":
        return this.#keep({
          type: "file",
          mediaType: part.mediaType,
          data: Encoding.encodeBase64(part.data),
          options: part.metadata
        })
      case "response-metadata":
        this.#id = Option.getOrUndefined(part.id) ?? this.#id
        this.#model = Option.getOrUndefined(part.modelId) ?? this.#model
        return []
      case "finish":
        this.#finish = part.reason
        this.#usage = usageOf(part)
        return [{ _tag: "UsageKnown", usage: this.#usage }]
      default:
        // Sources have no place in a prompt, and the end of arguments comes with the call.
        return []
    }
  }

  /**
   * The call whose arguments a provider's package could not parse, where what it
   * says names both: the call is whole, though its arguments are not JSON.
   */
  broken(description: string): Events | undefined {
    const open = [...this.#calls.values()].filter(
      (call) =>
        call.part === undefined &&
        call.sent !== "" &&
        description.includes(call.name) &&
        description.endsWith(call.sent)
    )
    const call = open.at(-1)
    return call === undefined ? undefined : call.complete(call.sent, this.names, {}, "application")
  }

  /** The last events; calls whose arguments never came to an end are left out. */
  end(isComplete: boolean): Events {
    const parts = this.#pieces.flatMap((piece) => piece.part ?? [])
    const turn: Turn.Turn = {
      format: formatName,
      id: this.#id,
      model: this.#model,
      parts,
      usage: this.#usage,
      finish: this.#finish === undefined ? unfinishedReason(parts, isComplete) : finishes[this.#finish],
      nativeFinish: this.#finish,
      native: this.#pieces.flatMap((piece) => piece.native ?? []),
      isComplete
    }
    return [{ _tag: "Finished", turn }]
  }

  #open(kind: "text" | "reasoning", id: string): TextPiece {
    const piece = this.#add(new TextPiece(kind))
    this.#texts.set(`${kind} ${id}`, piece)
    return piece
  }

  #start(id: string, name: string): Events {
    const call = this.#add(new CallPiece(this.#index++, id, name))
    this.#calls.set(id, call)
    return [{ _tag: "CallStarted", index: call.index, id, name: this.names.fromNative(name) }]
  }

  #call(part: Response.ToolCallPart<string, unknown>): Events {
    if (part.providerExecuted) {
      const call = this.#add(new CallPiece(-1, part.id, part.name))
      call.complete(part.params, this.names, part.metadata, "provider")
      return []
    }
    // A package that does not stream arguments gives the call at once; and some models use an id again.
    const known = this.#calls.get(part.id)
    const isOpen = known !== undefined && known.part === undefined
    const started = isOpen ? [] : this.#start(part.id, part.name)
    const call = this.#calls.get(part.id)
    return [...started, ...(call?.complete(part.params, this.names, part.metadata, "application") ?? [])]
  }

  /** What only the provider understands: the result of a call that it ran, a file that the model made. */
  #keep(json: Readonly<Record<string, unknown>>): Events {
    this.#add({ native: Json.from(json) })
    return []
  }

  #add<P extends Piece>(piece: P): P {
    this.#pieces.push(piece)
    return piece
  }
}

/** Of a response that was cut behind a call, the call is why it ended. */
const unfinishedReason = (parts: ReadonlyArray<Turn.Part>, isComplete: boolean): Turn.Finish =>
  isComplete && parts.some((part) => part._tag === "Call" && part.executedBy === "application") ? "calls" : "other"

/** What a response of @effect/ai cost, and why it ended. */
const usageOf = ({ metadata, usage }: Response.FinishPart): Turn.Usage => {
  const cache = anthropicCache(metadata)
  return {
    // The Anthropic package counts what was neither read from nor written to a cache; the others count all.
    input: usage.inputTokens === undefined ? undefined : usage.inputTokens + (cache?.read ?? 0) + (cache?.write ?? 0),
    output: usage.outputTokens,
    reasoning: usage.reasoningTokens,
    cacheRead: usage.cachedInputTokens ?? cache?.read,
    cacheWrite: cache?.write
  }
}

/** Anthropic's own counts, which its package keeps beside. */
const anthropicCache = (
  metadata: Response.ProviderMetadata
): { readonly read: number | undefined; readonly write: number | undefined } | undefined => {
  const counts = metadata["anthropic"]?.["usage"]
  return Json.isObject(counts)
    ? { read: count(counts["cache_read_input_tokens"]), write: count(counts["cache_creation_input_tokens"]) }
    : undefined
}

const count = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

const finishes: { readonly [reason in Response.FinishReason]: Turn.Finish } = {
  stop: "stop",
  length: "length",
  error: "error",
  other: "other",
  "tool-calls": "calls",
  "content-filter": "filter",
  pause: "paused",
  unknown: "other"
}
