/**
 * A streamed response body as turn events: the bytes in any pieces, in; what
 * they tell, out. The last event is `Finished` with the turn that the
 * non-streaming response would have given.
 */
import type { Turn, TurnEvent } from "@wield/core"
import * as Time from "@wield/core/Time"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ApiError } from "./ApiError.js"
import type { Frame, Framer, Framing } from "./framing/frame.js"
import type { Conversing, Offered } from "./internal/contract.js"
import { parseJson } from "./internal/json.js"
import { isObject } from "./internal/wireField.js"
import { WireError } from "./WireError.js"

/**
 * A streamed response body being read.
 *
 * @category models
 */
export interface StreamDecoder {
  /** What the next piece of the body tells. */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<TurnEvent.TurnEvent>
  /** No more bytes. The last event is `Finished`; its turn is marked incomplete when the body broke off. */
  readonly end: () => ReadonlyArray<TurnEvent.TurnEvent>
  /** What went wrong, once something did; nothing that comes after it is read. */
  readonly failure: () => WireError | ApiError | undefined
  /** Whether the end has been said: the rest of the body is not worth waiting for. */
  readonly isOver: () => boolean
}

/**
 * What a format does with the messages of its streams. `push` gives the events
 * of one message, or what is wrong with it.
 */
export interface Assembler {
  readonly push: (message: unknown, event: string | undefined) => Pushed
  /** OpenAI's end marker `[DONE]` came; only formats that have it need to know. */
  readonly done?: () => ReadonlyArray<TurnEvent.TurnEvent>
  /** Whether the message that ends a response has come, in formats that have one. */
  readonly isOver?: () => boolean
  /** The turn as far as it came. `isWhole`: the body ended, it did not break off. */
  readonly end: (isWhole: boolean) => { readonly events: ReadonlyArray<TurnEvent.TurnEvent>; readonly turn: Turn.Turn }
}

/** The events of one message; after a failure no more messages are read. */
export interface Pushed {
  readonly events: ReadonlyArray<TurnEvent.TurnEvent>
  readonly failure?: WireError | ApiError | undefined
}

/** What an error that the framing itself carries means (AWS event streams). */
export type FramedError = (event: string | undefined, message: unknown) => WireError | ApiError

/** A stream decoder from a framing and a format's assembler. */
export const make = (options: {
  readonly format: string
  readonly framing: Framing
  readonly assembler: Assembler
  readonly framedError?: FramedError | undefined
}): StreamDecoder => {
  const framer: Framer = options.framing()
  let failure: WireError | ApiError | undefined
  let isEnded = false
  let hasMarker = false
  /** How the body begins, until it proves to be a stream of messages. */
  let head: string | undefined = ""
  const looked = (bytes: Uint8Array): Uint8Array => {
    if (head !== undefined && head.length < headLength) head += new TextDecoder().decode(bytes.subarray(0, headLength))
    return bytes
  }
  const read = (frames: ReadonlyArray<Frame>, isEnd = false): Array<TurnEvent.TurnEvent> => {
    const events: Array<TurnEvent.TurnEvent> = []
    for (const frame of frames) {
      if (failure !== undefined) break
      if (frame.data === "" || (isBare.test(frame.data) && frame.event !== "error" && !frame.isError)) continue
      const isDone = endMarker.test(frame.data)
      const message = frame.event === "error" ? errorMessage(frame.data) : parseJson(frame.data)
      // The body ended within a message: what is known of the turn stands before it.
      if (isEnd && !isDone && message === undefined) break
      head = undefined
      if (isDone) {
        hasMarker = true
        for (const event of options.assembler.done?.() ?? []) events.push(event)
        continue
      }
      if (frame.isError) {
        failure = options.framedError?.(frame.event, message) ?? broken(options.format, frame.data)
      } else if (message === undefined) {
        failure = broken(options.format, frame.data)
      } else {
        const pushed = options.assembler.push(message, frame.event)
        for (const event of pushed.events) events.push(event)
        failure = pushed.failure
      }
    }
    return events
  }
  return {
    push: (bytes) => (failure === undefined && !isEnded ? read(framer.push(looked(bytes))) : []),
    end: () => {
      if (isEnded) return []
      const events = failure === undefined ? read(framer.end(), true) : []
      isEnded = true
      const last = options.assembler.end(failure === undefined)
      if (!last.turn.isComplete) failure ??= cutOff(options.format, head)
      return [...events, ...last.events, { _tag: "Finished", turn: last.turn }]
    },
    failure: () => failure,
    isOver: () => hasMarker || options.assembler.isOver?.() === true
  }
}

/** A word that is no message, by which some servers keep a connection open: `ping`, `null`. */
const isBare = /^\s*[a-z-]{1,20}\s*$/i

/** OpenAI's, which many copy, not all by the letter. */
const endMarker = /^\s*"?\[done\]"?\s*$/i

/** The message of an event that is called an error: some servers send what stands under `error`, or bare text. */
const errorMessage = (data: string): unknown => {
  const message = parseJson(data)
  if (Array.isArray(message)) return message
  if (!isObject(message)) return { error: { message: typeof message === "string" ? message : data } }
  const { error, type } = message
  if (typeof error === "string") return { ...message, error: { ...message, message: error } }
  return error === undefined && type !== "error" ? { error: message } : message
}

/** Enough to recognise an error page or an error body by. */
const headLength = 200

/** A body that ended before the response did, or was none from the beginning. */
const cutOff = (format: string, head: string | undefined): WireError =>
  head === undefined
    ? bodyError(format, "the rest of the stream", "its end before the response was complete")
    : bodyError(format, "a stream of messages", head === "" ? "nothing" : head)

const broken = (format: string, data: string): WireError =>
  bodyError(format, "a JSON message in each event of the stream", data.slice(0, 80))

const bodyError = (format: string, expected: string, received: string): WireError =>
  new WireError({ format, path: [], expected, received })

/**
 * A streamed response body as a stream of turn events, the last of which is `Finished`. When the body breaks off or is
 * not of the format, the turn as far as it came is finished, marked incomplete, and then the stream fails.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Anthropic, WireFormat } from "@wield/providers"
 * import { Effect, Stream } from "effect"
 *
 * const body = [
 *   { type: "message_start", message: { id: "msg_1", role: "assistant", content: [] } },
 *   { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
 *   { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Noon." } },
 *   { type: "message_delta", delta: { stop_reason: "end_turn" } },
 *   { type: "message_stop" }
 * ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
 * const bytes = Stream.fromIterable(body).pipe(Stream.encodeText)
 * const events = bytes.pipe(WireFormat.decodeStream(Anthropic.format), Stream.runCollect, Effect.runSync)
 * assert.deepStrictEqual([...events].map(({ _tag }) => _tag), ["TextDelta", "Finished"])
 * ```
 *
 * @category streaming
 */
export const decodeStream =
  (format: Pick<Conversing, "streamDecoder">, offered?: Offered) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<TurnEvent.TurnEvent, E | WireError | ApiError, R> =>
    Stream.suspend(() => {
      const decoder = format.streamDecoder(offered)
      const failed = Stream.suspend(() => {
        const failure = decoder.failure()
        return failure === undefined ? Stream.empty : Stream.fail(failure)
      })
      return endingSoon(bytes, decoder.isOver).pipe(
        // Asked for each piece: a stream hands over several at once, and what came before a failure counts.
        Stream.map((piece) => ({ events: decoder.push(piece), hasFailed: decoder.failure() !== undefined })),
        // The rest of a body that cannot be read is not waited for.
        Stream.takeUntil(({ hasFailed }) => hasFailed),
        Stream.mapConcat(({ events }) => events),
        Stream.concat(Stream.suspend(() => Stream.fromIterable(decoder.end()))),
        Stream.concat(failed),
        Stream.catchAllCause((cause) =>
          Cause.isInterruptedOnly(cause)
            ? Stream.failCause(cause)
            : Stream.concat(
                Stream.suspend(() => Stream.fromIterable(decoder.end())),
                Stream.failCause(cause)
              )
        )
      )
    })

/** A connection that stays open once the end has been said holds nothing up; one that closes soon can be used again. */
const endingSoon = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  isOver: () => boolean
): Stream.Stream<Uint8Array, E, R> =>
  Stream.fromPull(
    Effect.map(Stream.toPull(bytes), (pull) => {
      let until: number | undefined
      const soon = Effect.flatMap(Time.monotonic, (now) => {
        until ??= now + 1_000
        return Effect.timeoutFail(pull, { duration: until - now, onTimeout: Option.none })
      })
      return Effect.suspend(() => (isOver() ? soon : pull))
    })
  )
