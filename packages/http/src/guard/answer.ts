/** Turns an answer of undici into a web `Response`, decompressed and bounded. */
import { type Readable, pipeline } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import * as Either from "effect/Either"
import type { Dispatcher } from "undici/index.js"
import { BodyTooLarge, EncodingRefused, StatusRefused } from "../Refusal.js"

export const answerOf = (
  method: string,
  answer: Dispatcher.ResponseData,
  maxBytes: number
): Either.Either<Response, BodyTooLarge | EncodingRefused | StatusRefused> => {
  // HTTP parsers let these through, and a web `Response` throws at them.
  if (answer.statusCode < 200 || answer.statusCode > 599) {
    return refuse(answer, new StatusRefused({ status: answer.statusCode }))
  }
  const encodings = encodingsOf(answer.headers["content-encoding"])
  const hasBody = method !== "HEAD" && !withoutBody.has(answer.statusCode)
  const isDecoded = hasBody && encodings.length > 0 && encodings.every((name) => Object.hasOwn(decoders, name))
  if (encodings.length > maxEncodings) return refuse(answer, new EncodingRefused({ limit: maxEncodings }))
  if (hasBody && !isDecoded && Number(answer.headers["content-length"] ?? 0) > maxBytes) {
    return refuse(answer, new BodyTooLarge({ limit: maxBytes }))
  }
  if (!hasBody) discard(answer)
  const body = isDecoded ? decompress(answer.body, encodings) : answer.body
  return Either.right(
    new Response(hasBody ? bound(body, maxBytes) : null, {
      status: answer.statusCode,
      headers: headersOf(answer, isDecoded)
    })
  )
}

/** Drops an unread answer. Its connection is closed, too, unless the rest of the answer is short. */
export const discard = ({ body }: Dispatcher.ResponseData): void => {
  body.on("error", () => undefined)
  body.dump({ limit: 64 * 1024 }).catch(() => undefined)
}

const withoutBody = new Set([101, 204, 205, 304])

const maxEncodings = 2

const decoders = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress
}

const encodingsOf = (header: string | Array<string> | undefined): ReadonlyArray<string> =>
  String(header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity")

const refuse = <E>(answer: Dispatcher.ResponseData, error: E): Either.Either<never, E> => {
  answer.body.on("error", () => undefined)
  answer.body.destroy()
  return Either.left(error)
}

const decompress = (body: Readable, encodings: ReadonlyArray<string>): Readable =>
  encodings.reduceRight<Readable>((from, name) => {
    const to = decoders[name as keyof typeof decoders]() // isDecoded has checked that each is a key.
    // The stream that is read reports the error. Without a callback, pipeline throws it.
    return pipeline(from, to, () => undefined)
  }, body)

/**
 * Pulls instead of pushing: `Readable.toWeb` of Node 20 counts pieces as bytes
 * and buffers all of a large body at once. Each piece has a turn of its own:
 * Node reads as long as there is something to read, so what a flood of small
 * pieces takes to understand would hold up all else.
 */
const bound = (body: Readable, maxBytes: number): ReadableStream<Uint8Array> => {
  const pieces = body[Symbol.asyncIterator]()
  let size = 0
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        await nextTurn()
        const next = await pieces.next()
        if (next.done === true) return controller.close()
        const piece: Uint8Array = next.value
        size += piece.byteLength
        if (size <= maxBytes) return controller.enqueue(new Uint8Array(piece))
        body.destroy()
        controller.error(new BodyTooLarge({ limit: maxBytes }))
      },
      cancel: () => {
        body.destroy()
      }
    },
    { highWaterMark: 0 }
  )
}

/** The headers give the length before decompression, so they are dropped. */
const headersOf = (answer: Dispatcher.ResponseData, isDecoded: boolean): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value === undefined || (isDecoded && (name === "content-encoding" || name === "content-length"))) continue
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one)
  }
  return headers
}
