/** A chat's side of HTTP: bodies that end, streams of server-sent events, refusals. */
import * as Json from "@wield/core/Json"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type { Chat, Event, Reading } from "../Chat.js"
import { Refused } from "../ChatError.js"
import { internal } from "./refuse.js"

/** What a protocol makes of the events of a run. */
export interface Encoder<Chunk> {
  /** Of the first event, and of each that follows. */
  readonly push: (event: Event) => ReadonlyArray<Chunk>
}

/** Who asks is known before a body is read. */
export const serve =
  (
    chat: Chat,
    respondTo: (request: Request, body: unknown) => Effect.Effect<Response, Refused>
  ): ((request: Request) => Promise<Response>) =>
  (request) =>
    answer(
      chat,
      request.method === "POST"
        ? chat.admit(request).pipe(
            Effect.zipRight(readBody(request, chat.maxBytes)),
            Effect.flatMap((body) => respondTo(request, body))
          )
        : respondTo(request, undefined)
    )

/** Answers a request; a refusal becomes a response too. */
const answer = (chat: Chat, effect: Effect.Effect<Response, Refused>): Promise<Response> =>
  Runtime.runPromiseExit(chat.runtime)(
    Effect.catchAllDefect(effect, (defect) => internal("a request could not be answered", Cause.die(defect)))
  ).then((exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.failureOption(exit.cause)
    return refusal(
      Option.isSome(error) ? error.value : new Refused({ code: "Internal", detail: "The server has stopped" })
    )
  })

/** `{ error, code }`: pages show the whole text of a response that is no success. */
const refusal = (error: Refused): Response => json({ error: error.detail, code: error.code }, error.status)

export const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json", ...private_ } })

/** Pages make ids, and ask for what there is before they have said anything; of another's they learn no more. */
export const orNew = <A, B>(effect: Effect.Effect<A, Refused>, empty: B): Effect.Effect<A | B, Refused> =>
  Effect.catchIf(
    effect,
    ({ code }) => code === "UnknownConversation",
    () => Effect.succeed(empty)
  )

/** `…/<id>` or `…/<id>/stream`. */
export const addressOf = (
  request: Request
): Effect.Effect<{ readonly id: string; readonly isStream: boolean }, Refused> => {
  const segments = new URL(request.url).pathname.split("/").filter((segment) => segment !== "")
  const isStream = segments.at(-1) === "stream"
  return Effect.try({
    try: () => ({ id: decodeURIComponent(segments.at(isStream ? -2 : -1) ?? ""), isStream }),
    catch: () => new Refused({ code: "UnknownAddress", detail: "The address names no conversation" })
  })
}

const private_ = { "cache-control": "no-cache, no-store", "x-content-type-options": "nosniff" }

/** The JSON of a body of at most so many bytes, sent as JSON: another page's form cannot send that. */
const readBody = (request: Request, maxBytes: number): Effect.Effect<unknown, Refused> =>
  Effect.gen(function* () {
    const type = request.headers.get("content-type") ?? ""
    if (!/^application\/([^;]+\+)?json\s*(;|$)/i.test(type)) {
      return yield* new Refused({ code: "NotJson", detail: "Send JSON, with content-type: application/json" })
    }
    const tooLarge = new Refused({ code: "TooLarge", detail: `A request has at most ${maxBytes} bytes` })
    if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return yield* tooLarge
    const text = yield* Effect.tryPromise({
      try: () => readText(request.body, maxBytes),
      catch: () => new Refused({ code: "InvalidRequest", detail: "The body broke off" })
    })
    if (text === undefined) return yield* tooLarge
    if (Json.isDeep(text)) return yield* new Refused({ code: "InvalidRequest", detail: "The JSON is nested too deep" })
    return yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => new Refused({ code: "InvalidRequest", detail: "The body is no JSON" })
    })
  })

const readText = async (body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string | undefined> => {
  if (body === null) return ""
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ""
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => {})
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** How often a stream says that it is there, for proxies that end what is silent. */
const heartbeat = 15_000

/**
 * The response to a page that reads a run: an event at a time, as fast as the page takes them. `last` comes behind them.
 */
export const respond = <Chunk>(
  reading: Reading,
  encoder: Encoder<Chunk>,
  gone: Chunk,
  options: {
    readonly signal: AbortSignal
    readonly headers?: { readonly [name: string]: string }
    readonly last?: string
  }
): Response => {
  const { headers, last, signal } = options
  const text = new TextEncoder()
  const line = (chunk: Chunk) => `data: ${JSON.stringify(chunk)}\n\n`
  let next = 0
  let hasLeft = false
  let wake: () => void = () => {}
  /**
   * A reader waits for more of the run, the next sign of life, or that the page has gone. No race of promises: one that
   * outlives the wait keeps all who have waited for it.
   */
  const waitFor = async (more: Promise<void>): Promise<"more" | "silent"> => {
    let what: "more" | "silent" = "more"
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        what = "silent"
        resolve()
      }, heartbeat)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      void more.then(wake)
    })
    return what
  }
  const onAbort = () => {
    hasLeft = true
    wake()
    reading.leave()
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener("abort", onAbort, { once: true })
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>, words: string) => {
    signal.removeEventListener("abort", onAbort)
    reading.leave()
    if (words !== "") controller.enqueue(text.encode(words))
    controller.close()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (true) {
          let words = ""
          // What is there already goes in one piece.
          for (let count = 0; count < 200; count++) {
            const event = reading.read(next)
            if (event instanceof Promise) {
              if (words !== "") break
              const what = await waitFor(event)
              if (hasLeft) return finish(controller, "")
              if (what === "silent") return controller.enqueue(text.encode(": still here\n\n"))
              continue
            }
            if (event === "gone") return finish(controller, words + line(gone) + (last ?? ""))
            if (event === "over") return finish(controller, words + (last ?? ""))
            next++
            try {
              words += encoder.push(event).map(line).join("")
            } catch (error) {
              onAbort()
              throw error
            }
          }
          if (words !== "") return controller.enqueue(text.encode(words))
        }
      },
      cancel() {
        signal.removeEventListener("abort", onAbort)
        onAbort()
      }
    },
    { highWaterMark: 1 }
  )
  return new Response(body, {
    headers: {
      ...private_,
      "content-type": "text/event-stream",
      "x-accel-buffering": "no",
      ...headers
    }
  })
}
