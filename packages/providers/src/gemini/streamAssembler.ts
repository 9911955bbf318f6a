/**
 * Gemini's API: the chunks of a stream as turn events, and the turn that the
 * non-streaming response would have given. Of several candidates the first is
 * read, as in a response that does not stream.
 *
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
import type { ToolDefinition, Turn, TurnEvent } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import type { NameMap } from "../internal/nameMap.js"
import { nameMap } from "../internal/nameMap.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, wireError } from "../internal/wireField.js"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import { WireError } from "../WireError.js"
import type { Offered } from "../WireFormat.js"
import { streamError } from "./decodeError.js"
import { either, listOf } from "./decodePart.js"
import { apiError, decodeTurn, decodeUsage, errorOf, responseIdOf, turnOf } from "./decodeTurn.js"
import { formatName, nameRule } from "./names.js"
import type { ReadArguments } from "./readArguments.js"
import { asSent } from "./readArguments.js"
import { StreamParts } from "./streamParts.js"

const noDefinitions: ReadonlyArray<ToolDefinition.ToolDefinition> = []

export const streamAssembler = (offered?: Offered, read: ReadArguments = asSent): Assembler =>
  new ChunkAssembler(nameMap(offered?.definitions ?? noDefinitions, nameRule), read)

/** A response body: one response, or the array of its chunks, which is what streams without `alt=sse`. */
export const decodeBody = (
  body: unknown,
  offered?: Offered,
  read: ReadArguments = asSent
): Either.Either<Turn.Turn, WireError> => {
  if (!Array.isArray(body)) return decodeTurn(body, offered, read)
  const chunks: ReadonlyArray<unknown> = body
  if (chunks.length === 0) return Either.left(wireError(formatName, [], "a response or the array of its chunks", body))
  const assembler = streamAssembler(offered, read)
  for (let index = 0; index < chunks.length; index++) {
    const error = errorOf(chunks[index])
    if (error !== undefined) return Either.left(apiError(error))
    const { failure } = assembler.push(chunks[index], undefined)
    if (failure?._tag !== "WireError") continue
    return Either.left(new WireError({ ...failure, path: [index, ...failure.path] }))
  }
  return Either.right(assembler.end(true).turn)
}

class ChunkAssembler implements Assembler {
  readonly #names: NameMap
  readonly #readArguments: ReadArguments
  #body: Fields = {}
  #candidate: Fields | undefined
  #content: Fields | undefined
  #parts: StreamParts | undefined
  #isFailed = false

  constructor(names: NameMap, read: ReadArguments) {
    this.#names = names
    this.#readArguments = read
  }

  push(chunk: unknown): Pushed {
    if (!Array.isArray(chunk)) return this.#push(chunk)
    // Some proxies put the array of chunks into one event; Vertex AI sends some errors as an array of one.
    const events: Array<TurnEvent.TurnEvent> = []
    for (const message of chunk) {
      const pushed = this.#push(message)
      for (const event of pushed.events) events.push(event)
      if (pushed.failure !== undefined) return { events, failure: pushed.failure }
    }
    return { events }
  }

  #push(message: unknown): Pushed {
    if (!Json.isObject(message)) return { events: [], failure: wireError(formatName, [], "an object", message) }
    if (Json.isObject(message["error"])) {
      this.#isFailed = true
      return { events: [], failure: streamError(message) }
    }
    const { candidates, ...body } = message
    // The last count is the total. Where a chunk has none, what was said before stands.
    this.#body = { ...this.#body, ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) }
    const events = usageOf(message)
    const candidate = this.#pick(candidates)
    if (candidate === undefined) return { events }
    const { content, ...fields } = candidate
    this.#candidate = { ...this.#candidate, ...fields }
    return Json.isObject(content) ? this.#read(content, events) : { events }
  }

  end(isWhole: boolean): { readonly events: ReadonlyArray<TurnEvent.TurnEvent>; readonly turn: Turn.Turn } {
    const isEnded = isWhole && this.#hasReason()
    const { native, parts } = this.#parts?.end(isEnded) ?? { native: [], parts: [] }
    const content = native.length === 0 ? undefined : { ...this.#content, parts: native }
    const turn = turnOf(this.#body, this.#candidate, parts, content, isEnded)
    const refusal = turn.parts.at(-1)
    return {
      events: refusal?._tag === "Refusal" ? [{ _tag: "RefusalDelta", text: refusal.text }] : [],
      turn: isEnded ? turn : { ...turn, finish: this.#isFailed ? "error" : "other" }
    }
  }

  /** The first candidate; each may come in chunks of its own, known by its index. */
  #pick(candidates: unknown): Fields | undefined {
    if (!Array.isArray(candidates)) return undefined
    const known: unknown = this.#candidate?.["index"] ?? 0
    const found: unknown =
      this.#candidate === undefined
        ? candidates[0]
        : candidates.find((other: unknown) => Json.isObject(other) && (other["index"] ?? 0) === known)
    return Json.isObject(found) ? found : undefined
  }

  #read(content: Fields, events: Array<TurnEvent.TurnEvent>): Pushed {
    const { parts, ...fields } = content
    this.#content = { ...fields, ...this.#content }
    // Every chunk repeats the response's id.
    this.#parts ??= new StreamParts(this.#names, responseIdOf(this.#body), this.#readArguments)
    const sent = listOf(parts) ?? []
    for (let index = 0; index < sent.length; index++) {
      const added = this.#parts.add(sent[index], index === 0)
      if (Either.isLeft(added)) return { events, failure: added.left }
      for (const event of added.right) events.push(event)
    }
    return { events }
  }

  /** The candidate's finish reason is the end; a request that was refused has a feedback instead. */
  #hasReason(): boolean {
    const reason = either(this.#candidate ?? {}, "finishReason", "finish_reason")
    if (this.#candidate !== undefined) return reason !== undefined && reason !== null
    const feedback = either(this.#body, "promptFeedback", "prompt_feedback")
    return Json.isObject(feedback) && (either(feedback, "blockReason", "block_reason") ?? null) !== null
  }
}

const usageOf = (chunk: Fields): Array<TurnEvent.TurnEvent> => {
  const sent = objectField(chunk, "usageMetadata") ?? objectField(chunk, "usage_metadata")
  const usage = decodeUsage(sent ?? {})
  return Object.values(usage).some((count) => count !== undefined) ? [{ _tag: "UsageKnown", usage }] : []
}
