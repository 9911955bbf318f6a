/**
 * The UI message stream of the AI SDK: what `useChat` of React, Vue, Svelte and Angular, and assistant-ui, send and read.
 */
import type { Content, Hidden, Json, Toolset } from "@wield/core"
import { aFunction, aText, type Checks, fields, holds, orThrow } from "@wield/core/Options"
import type * as AiTool from "@effect/ai/Tool"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Action, Chat, Past, Reading } from "./Chat.js"
import { Refused } from "./ChatError.js"
import { addressOf, type Encoder, json, orNew, respond, serve } from "./internal/http.js"
import { chaptersOf, urlOf } from "./internal/parts.js"
import { readAsked } from "./internal/ui-messages/body.js"
import { draw } from "./internal/ui-messages/draw.js"
import { MessageStream } from "./internal/ui-messages/MessageStream.js"
import type * as Show from "./Show.js"

/**
 * What a call asks of the page where the AI SDK has no chunk for it: input, with the JSON Schema that the reply has to
 * fit, and in version 5 an approval. Answer it by its `id`, in `answers` of the request's body.
 *
 * @category models
 */
export interface RequestData {
  readonly id: string
  readonly toolCallId: string
  readonly toolName: string
  readonly waitsFor: "approval" | "input"
  readonly why?: string
  readonly asks?: Json.Json
  readonly accepts?: Json.JsonSchema
}

/**
 * What a running call reports; the last report stands in place of the one before.
 *
 * @category models
 */
export interface ProgressData {
  readonly toolCallId: string
  readonly toolName: string
  readonly value: Json.Json
}

/**
 * The data parts of a page: `UIMessage<Metadata, Data, Tools<typeof toolset>>`.
 *
 * @category models
 */
export type Data = { request: RequestData; progress: ProgressData }

/**
 * What a page knows of an answer when it is complete: tokens.
 *
 * @category models
 */
export interface Metadata {
  readonly usage?: { readonly input?: number; readonly output?: number; readonly [kind: string]: number | undefined }
}

/**
 * The tools of a toolset, or of a toolkit, as the types of a page have them: `part.type === "tool-refund"` has the input
 * and the output of that tool.
 *
 * @category type-level
 */
export type Tools<T> =
  T extends Toolset.Toolset<infer ByName, infer _R, infer _E>
    ? ToolsOf<ByName>
    : T extends { readonly tools: infer ByName }
      ? ToolsOf<ByName>
      : never

type ToolsOf<ByName> = ByName extends Toolset.DynamicTools
  ? { [name: string]: { input: unknown; output: unknown } }
  : {
      -readonly [Name in keyof ByName & string]: ByName[Name] extends AiTool.Any
        ? {
            input: Omit<Schema.Schema.Encoded<ByName[Name]["parametersSchema"]>, Hidden.Names<ByName[Name]>>
            output: OutputOf<Schema.Schema.Encoded<ByName[Name]["successSchema"]>>
          }
        : never
    }

/** Of content, its text and JSON: images and files come as parts of their own. */
type OutputOf<Encoded> = [Encoded] extends [ReadonlyArray<typeof Content.Part.Encoded>] ? Json.Json : Encoded

/**
 * A chunk of the stream. They are those of `UIMessageChunk` of the AI SDK.
 *
 * @category models
 */
export type Chunk =
  | { readonly type: "start"; readonly messageId?: string }
  | { readonly type: "start-step" | "finish-step" }
  | { readonly type: "reset-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "tool-input-start"; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: "tool-input-delta"; readonly toolCallId: string; readonly inputTextDelta: string }
  | {
      readonly type: "tool-input-available"
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
    }
  | {
      readonly type: "tool-input-error"
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
      readonly errorText: string
    }
  | {
      readonly type: "tool-approval-request"
      readonly approvalId: string
      readonly toolCallId: string
      readonly reason?: string
    }
  | { readonly type: "tool-output-available"; readonly toolCallId: string; readonly output: unknown }
  | { readonly type: "tool-output-error"; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | { readonly type: "file"; readonly url: string; readonly mediaType: string }
  | { readonly type: "source-url"; readonly sourceId: string; readonly url: string; readonly title?: string }
  | { readonly type: "data-request"; readonly id: string; readonly data: RequestData }
  | { readonly type: "data-progress"; readonly id: string; readonly data: ProgressData }
  | {
      readonly type: "finish"
      readonly finishReason?: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other"
      readonly messageMetadata?: Metadata
    }
  /** Of version 7. */
  | { readonly type: "finish"; readonly finishReason: "interrupted"; readonly messageMetadata?: Metadata }
  | { readonly type: "abort"; readonly reason?: string }
  | { readonly type: "error"; readonly errorText: string }

/**
 * @category models
 */
export interface EncodeOptions {
  /**
   * The page's version of the AI SDK. 6 unless given, which 7 reads as well; 7 also takes back the text of a turn that
   * broke, and sends nothing by itself after a run that was stopped or reached a limit. 5 has no approvals: they come as `data-request`.
   */
  readonly version?: 5 | 6 | 7 | undefined
  readonly show?: Show.Show | undefined
  /** The message that the run goes on in, as after an answer. */
  readonly message?: string | undefined
}

/**
 * Makes chunks of the events of one run, in their order.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { UiMessages } from "@wield/chat"
 *
 * const { push } = UiMessages.encoder()
 * const started = push({ _tag: "TurnStarted", step: 1, entry: "e1", model: "m" })
 * assert.deepStrictEqual(started, [{ type: "start", messageId: "e1" }, { type: "start-step" }])
 * ```
 *
 * @category conversions
 */
export const encoder = (options: EncodeOptions = {}): Encoder<Chunk> => {
  orThrow(checkOptions(options), "What `UiMessages.encoder` takes")
  const stream = new MessageStream(options)
  return { push: (event) => stream.push(event) }
}

const aVersion = holds("5, 6 or 7", (version) => version === 5 || version === 6 || version === 7)

// Of a name that is misspelt, a page would see everything.
const checkOptions = fields({
  version: aVersion,
  show: aFunction,
  message: aText
} satisfies Checks<EncodeOptions>)

/**
 * A part of a message: a piece of text, a call, a file.
 *
 * @category models
 */
export type Part = { readonly type: string; readonly [field: string]: unknown }

/**
 * A message as a page draws it: `UIMessage` of the AI SDK. Give its own type of messages to a page that knows its tools.
 *
 * @category models
 */
export interface Message {
  readonly id: string
  readonly role: "user" | "assistant" | "system"
  readonly metadata?: Metadata
  readonly parts: ReadonlyArray<Part>
}

/**
 * The messages of a conversation, for a page that draws an old one: what the same run would have streamed.
 *
 * @category conversions
 */
export const fromPast = (past: Past, options: EncodeOptions = {}): ReadonlyArray<Message> => {
  orThrow(checkOptions(options), "What `UiMessages.fromPast` takes")
  return chaptersOf(past).flatMap(({ asked, events }): ReadonlyArray<Message> => {
    const answered = draw(events.flatMap(encoder(options).push))
    return [
      ...(asked === undefined ? [] : [{ id: asked.id, role: "user" as const, parts: asked.content.flatMap(userPart) }]),
      ...(answered === undefined ? [] : [answered])
    ]
  })
}

const userPart = (part: Content.Part): ReadonlyArray<Part> => {
  if (part._tag === "Text") return [{ type: "text", text: part.text }]
  if (part._tag === "JsonValue") return [{ type: "text", text: JSON.stringify(part.value) }]
  const filename = part._tag === "File" ? part.filename : undefined
  return [
    { type: "file", mediaType: part.mediaType, url: urlOf(part), ...(filename === undefined ? {} : { filename }) }
  ]
}

/**
 * What a page sends.
 *
 * @category models
 */
export interface Asked {
  /** The id of the conversation. */
  readonly id: string
  readonly action: Action
}

/**
 * Reads the body of a page's request: the conversation, and what is asked for. Of the messages it reads the last one
 * only: a message of the user, with the results of the page's own tools in the assistant's before it, or the answers in
 * the assistant's. What else a page says of the past is not looked at.
 *
 * Beside what `useChat` sends, the body may have `answers: [{ id, reply }]`, which count before those in the message, where a reply is `"approve"`,
 * `{ approve: arguments }`, `{ deny: reason }`, `{ input: value }`, `{ result: value }` or `{ failure: value }`:
 * `sendMessage(undefined, { body: { answers } })`.
 *
 * @category conversions
 */
export const decode = (body: unknown): Effect.Effect<Asked, Refused> => readAsked(body)

/**
 * What a web server gives the requests of a chat page to: `POST` runs, `GET …/<id>/stream` reads on with a run that goes
 * on, `DELETE …/<id>/stream` stops it, and `GET …/<id>` gives `{ messages }` for the first paint.
 *
 * It never rejects. A request that is refused gets a status of 4xx and `{ error, code }`; a run that fails later ends with
 * an `error` chunk.
 *
 * @example
 * ```ts
 * import { HttpApp, HttpRouter } from "@effect/platform"
 * import { Chat, UiMessages } from "@wield/chat"
 *
 * // In Next, Hono, a worker: `POST = handle`. In `@effect/platform`:
 * const router = (chat: Chat.Chat) => HttpRouter.empty.pipe(HttpRouter.mountApp("/api/chat", HttpApp.fromWebHandler(UiMessages.handler(chat))))
 * ```
 *
 * @category handlers
 */
export const handler = (
  chat: Chat,
  options: Pick<EncodeOptions, "version"> = {}
): ((request: Request) => Promise<Response>) => serve(chat, responder(chat, options))

/**
 * The same for a program that has read the body, which `POST` needs.
 *
 * @category handlers
 */
export const responder = (
  chat: Chat,
  options: Pick<EncodeOptions, "version"> = {}
): ((request: Request, body: unknown) => Effect.Effect<Response, Refused>) => {
  // What pages see, a chat decides.
  orThrow(fields({ version: aVersion })(options), "What a page's handler takes")
  const { version } = options
  return (request, body) =>
    Effect.gen(function* () {
      const { show } = chat
      const stream = (reading: Reading, encode = encoder({ version, show, message: reading.message })) =>
        respond<Chunk>(
          reading,
          encode,
          { type: "error", errorText: "This answer has become too long to follow. Reload the page" },
          {
            signal: request.signal,
            headers: { "x-vercel-ai-ui-message-stream": "v1" },
            last: "data: [DONE]\n\n"
          }
        )
      if (request.method === "POST") {
        const { action, id } = yield* decode(body)
        return stream(yield* chat.begin(request, id, action))
      }
      const { id, isStream } = yield* addressOf(request)
      if (request.method === "GET" && isStream) {
        const reading = yield* orNew(chat.join(request, id), undefined)
        return reading === undefined
          ? new Response(null, { status: 204 })
          : stream(reading, replay(encoder({ version, show }), reading))
      }
      if (request.method === "DELETE") {
        yield* chat.stop(request, id)
        return new Response(null, { status: 204 })
      }
      if (request.method === "GET") {
        const past = yield* orNew(chat.past(request, id), { entries: [], requests: [] })
        return json({ messages: fromPast(past, { version, show }) })
      }
      return yield* new Refused({ code: "UnknownAddress", detail: `There is no ${request.method} here` })
    })
}

/** A page that reads on draws the whole message again, also what stood before the run that goes on in it. */
const replay = (encode: ReturnType<typeof encoder>, { message, past }: Reading): ReturnType<typeof encoder> => {
  let before = message === undefined ? [] : (chaptersOf(past).at(-1)?.events ?? [])
  return {
    push: (event) => {
      const events = [...before, event]
      before = []
      return events.flatMap(encode.push)
    }
  }
}
