/**
 * Answers of a server over HTTP, one message or a stream of events: each within
 * its limit, and as the SDK takes it, which drops what is not quite a message,
 * so that its request would wait.
 */
import * as Json from "@wield/core/Json"
import { setImmediate as nextTurn } from "node:timers/promises"
import { mendAll } from "./mend.js"

/** The server exceeded a limit. */
export class TooMuch extends Error {}

/** No server sends them: codes of this range belong to the specification. */
export const lostCode = -32099
export const tooMuchCode = -32098

/** What one connection over HTTP waits for. */
export class Traffic {
  /** Streams on which the server may send anything. */
  streams = 0
  #answers = 0
  #next: Array<() => void> = []

  /** Sends an answer to what the server asked. */
  async answer<A>(send: () => Promise<A>): Promise<A> {
    this.#answers++
    try {
      return await send()
    } finally {
      this.#answers--
      this.#next.splice(0).forEach((wake) => wake())
    }
  }

  /** No more is read of a server that asks, and does not take the answers. */
  async untilTaken(): Promise<void> {
    while (this.#answers >= mostAnswers) await new Promise<void>((resolve) => this.#next.push(resolve))
  }
}

/** At a time. */
const mostAnswers = 100

/** Whether it answers what the server asked. */
export const isAnswer = (posted: unknown): boolean => isRequest(posted) && !("method" in messageOf(posted))

/** The same answer to what was posted. */
export const mendAnswer = async (
  response: Response,
  posted: unknown,
  limit: number,
  traffic: Traffic
): Promise<Response> => {
  const id = isRequest(posted) && !isAnswer(posted) ? messageOf(posted).id : undefined
  const isJson = /json/i.test(typeOf(response))
  // The SDK reads none of it. An answer may come on another stream, where there is one.
  if (response.status === 202 && id !== undefined && (isJson || traffic.streams === 0)) {
    const text = response.body === null ? "" : await new Response(bound(response.body, limit)).text()
    return Response.json(JSON.parse(mendText(text, id, true)))
  }
  if (response.body === null) return response
  if (/^\s*text\/event-stream\b/i.test(typeOf(response))) {
    return new Response(mendEvents(response.body, id, limit, traffic), response)
  }
  const bounded = new Response(bound(response.body, limit), response)
  if (!isRequest(posted) || !isJson) return bounded
  return new Response(mendText(await bounded.text(), id, response.ok), response)
}

const typeOf = (response: Response): string => response.headers.get("content-type") ?? ""

/** Other requests go to authorization servers. */
export const isRequest = (posted: unknown): posted is string =>
  typeof posted === "string" && posted.includes('"jsonrpc"')

/** A message of JSON-RPC, or a list of them, which has neither. */
const messageOf = (posted: string) => JSON.parse(posted) as { readonly id?: unknown; readonly method?: string }

const mendText = (text: string, id: unknown, isSuccess: boolean): string => {
  const value = parse(text)
  const messages = mendAll(value, id)
  const isAnswered = messages.some((one) => !("method" in one) && "id" in one && String(one.id) === String(id))
  // No other answer will come to this request.
  const lost =
    isSuccess && id !== undefined && !isAnswered
      ? [errorTo(id, lostCode, "what it answered is not an answer to this request")]
      : []
  const all = [...messages, ...lost]
  if (all.length === 0) return text
  return JSON.stringify(Array.isArray(value) || all.length > 1 ? all : all[0])
}

const errorTo = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } })

/** `undefined` for what JSON does not allow. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(Json.cutDeep(text))
  } catch {
    return undefined
  }
}

const bound = (body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> => {
  let size = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        size += piece.byteLength
        if (size > limit) controller.error(tooMuch(limit))
        else controller.enqueue(piece)
      }
    })
  )
}

const tooMuch = (limit: number): TooMuch => new TooMuch(`${limit} bytes a message`)

/** Where an event of the answer to a request is too large, the last one says so: of an error, the SDK tells its request nothing. */
const mendEvents = (
  body: ReadableStream<Uint8Array>,
  id: unknown,
  limit: number,
  traffic: Traffic
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const cut = cutEvents((data) => {
    const value = parse(data)
    const messages = mendAll(value, id)
    return messages.length === 0 ? data : JSON.stringify(Array.isArray(value) ? messages : messages[0])
  })
  let size = 0
  let left = new Uint8Array()
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        while (true) {
          if (left.byteLength === 0) {
            const { done, value } = await reader.read()
            if (done) return controller.close()
            left = new Uint8Array(value)
          }
          const piece = left.subarray(0, atOnce)
          left = left.subarray(atOnce)
          await nextTurn()
          await traffic.untilTaken()
          const { events, rest } = cut(decoder.decode(piece, { stream: true }))
          size = rest === undefined ? size + piece.byteLength : rest
          if (events !== "") controller.enqueue(encoder.encode(events))
          if (size > limit) {
            await reader.cancel()
            if (id === undefined) return controller.error(tooMuch(limit))
            const last = JSON.stringify(errorTo(id, tooMuchCode, tooMuch(limit).message))
            controller.enqueue(encoder.encode(`data: ${last}\n\n`))
            return controller.close()
          }
          if (events !== "") return
        }
      },
      cancel: (reason) => reader.cancel(reason)
    },
    { highWaterMark: 0 }
  )
}

/** Bytes that are understood in one turn of the program: a thousand messages of a flood would hold up all else. */
export const atOnce = 8 * 1024

/**
 * The events that end in a piece of a stream, with their data mended, and how much came after them; `undefined` where
 * none ended. What came before is not looked at again, however small the pieces are.
 */
const cutEvents = (mend: (data: string) => string) => {
  let line = ""
  let fields: Array<string> = []
  let data: Array<string> = []
  let isAfterReturn = false
  const end = (): string => {
    const mended = data.length === 0 ? [] : [`data: ${mend(data.join("\n")).replaceAll("\n", "\ndata: ")}`]
    const lines = [...fields, ...mended]
    fields = []
    data = []
    return lines.length === 0 ? "" : `${lines.join("\n")}\n\n`
  }
  return (piece: string): { readonly events: string; readonly rest: number | undefined } => {
    // The end of a line may be cut in two.
    const text = isAfterReturn && piece.startsWith("\n") ? piece.slice(1) : piece
    if (piece !== "") isAfterReturn = piece.endsWith("\r")
    let events = ""
    let from = 0
    let rest: number | undefined
    for (const { 0: ending, index } of text.matchAll(/\r\n|\r|\n/g)) {
      line += text.slice(from, index)
      from = index + ending.length
      if (line === "") {
        events += end()
        rest = from
      } else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""))
      else if (/^(?:event|id|retry|data$)/.test(line)) fields.push(line)
      line = ""
    }
    line += text.slice(from)
    return { events, rest: rest === undefined ? undefined : Buffer.byteLength(text.slice(rest)) }
  }
}
