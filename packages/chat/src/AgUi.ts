/**
 * AG-UI 1.0: what CopilotKit and every client of `@ag-ui/client` send and read, as server-sent events.
 */
import type { Content, Json } from "@wield/core"
import * as JsonValue from "@wield/core/Json"
import { aFunction, anything, aText, type Checks, fields, orThrow, texts } from "@wield/core/Options"
import * as Effect from "effect/Effect"
import type { Action, Chat, Event, PageTool, Past, Reading } from "./Chat.js"
import { Refused } from "./ChatError.js"
import { readAsked } from "./internal/ag-ui/body.js"
import { filePart, Story } from "./internal/ag-ui/Story.js"
import { addressOf, type Encoder, orNew, respond, serve } from "./internal/http.js"
import { chaptersOf, urlOf } from "./internal/parts.js"
import * as Show from "./Show.js"

/**
 * A part of a message's content.
 *
 * @category models
 */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "document"
      readonly source:
        | { readonly type: "data"; readonly value: string; readonly mimeType: string }
        | { readonly type: "url"; readonly value: string; readonly mimeType?: string }
    }

/**
 * A message of a thread.
 *
 * @category models
 */
export type Message =
  | { readonly id: string; readonly role: "user"; readonly content: string | ReadonlyArray<ContentPart> }
  | { readonly id: string; readonly role: "reasoning"; readonly content: string; readonly subagentRunId?: string }
  | {
      readonly id: string
      readonly role: "assistant"
      readonly content?: string
      readonly toolCalls?: ReadonlyArray<{
        readonly id: string
        readonly type: "function"
        readonly function: { readonly name: string; readonly arguments: string }
      }>
      readonly subagentRunId?: string
    }
  | {
      readonly id: string
      readonly role: "tool"
      readonly toolCallId: string
      readonly content: string | ReadonlyArray<ContentPart>
      readonly subagentRunId?: string
    }

/**
 * What a paused run asks. An approval takes `{ approved, editedArgs?, reason? }`, input what `responseSchema` says.
 *
 * @category models
 */
export interface Interrupt {
  readonly id: string
  readonly reason: "tool_call" | "input_required"
  readonly message: string
  readonly toolCallId: string
  readonly responseSchema: Json.JsonObject
  /** ISO 8601. */
  readonly expiresAt?: string
}

type Tagged<T> = T & { readonly subagentRunId?: string }

/**
 * An event. They are those of `Event` of `@ag-ui/core`.
 *
 * @category models
 */
export type Chunk =
  | { readonly type: "RUN_STARTED"; readonly threadId: string; readonly runId: string; readonly protocolVersion: "1.0" }
  | {
      readonly type: "RUN_FINISHED"
      readonly threadId: string
      readonly runId: string
      readonly result?: Json.Json
      readonly outcome:
        | { readonly type: "success"; readonly pendingToolCallIds?: ReadonlyArray<string> }
        | { readonly type: "interrupt"; readonly interrupts: ReadonlyArray<Interrupt> }
        | { readonly type: "cancelled" }
      readonly usage?: ReadonlyArray<{ readonly inputTokens?: number; readonly outputTokens?: number }>
    }
  | { readonly type: "RUN_ERROR"; readonly message: string; readonly code: string }
  | Tagged<{ readonly type: "STEP_STARTED" | "STEP_FINISHED"; readonly stepName: string }>
  | Tagged<{ readonly type: "TEXT_MESSAGE_START"; readonly messageId: string; readonly role: "assistant" }>
  | Tagged<{
      readonly type: "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT"
      readonly messageId: string
      readonly delta: string
    }>
  | Tagged<{
      readonly type: "TEXT_MESSAGE_END" | "REASONING_START" | "REASONING_MESSAGE_END" | "REASONING_END"
      readonly messageId: string
    }>
  | Tagged<{ readonly type: "REASONING_MESSAGE_START"; readonly messageId: string; readonly role: "reasoning" }>
  | Tagged<{
      readonly type: "TOOL_CALL_START"
      readonly toolCallId: string
      readonly toolCallName: string
      readonly parentMessageId?: string
    }>
  | Tagged<{ readonly type: "TOOL_CALL_ARGS"; readonly toolCallId: string; readonly delta: string }>
  | Tagged<{ readonly type: "TOOL_CALL_END"; readonly toolCallId: string }>
  | Tagged<{
      readonly type: "TOOL_CALL_RESULT"
      readonly messageId: string
      readonly toolCallId: string
      readonly role: "tool"
      readonly content: string | ReadonlyArray<ContentPart>
    }>
  | Tagged<{ readonly type: "CUSTOM"; readonly name: "progress" | "sources"; readonly value: Json.Json }>
  | {
      readonly type: "SUBAGENT_STARTED"
      readonly subagentRunId: string
      readonly name: string
      readonly parentToolCallId: string
    }
  | { readonly type: "SUBAGENT_FINISHED"; readonly subagentRunId: string }
  | { readonly type: "SUBAGENT_ERROR"; readonly subagentRunId: string; readonly message: string }
  | { readonly type: "MESSAGES_SNAPSHOT"; readonly messages: ReadonlyArray<Message> }

/**
 * @category models
 */
export interface EncodeOptions {
  readonly threadId: string
  readonly runId: string
  readonly show?: Show.Show | undefined
  /** What the thread had before: the page is given it again where a turn broke whose text it has seen. */
  readonly past?: Past | undefined
  /** The calls that the page has run itself: it has their results. */
  readonly answered?: ReadonlyArray<string> | undefined
}

/**
 * Makes events of AG-UI of those of one run, in their order.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { AgUi } from "@wield/chat"
 *
 * const { push } = AgUi.encoder({ threadId: "t1", runId: "r1" })
 * const [started] = push({ _tag: "TurnStarted", step: 1, entry: "e1", model: "m" })
 * assert.deepStrictEqual(started, { type: "RUN_STARTED", threadId: "t1", runId: "r1", protocolVersion: "1.0" })
 * ```
 *
 * @category conversions
 */
export const encoder = (options: EncodeOptions): Encoder<Chunk> => {
  orThrow(checkOptions(options), "What `AgUi.encoder` takes")
  const { answered = [], past, runId, show = Show.everything, threadId } = options
  const story = new Story({ show, answered, thread: past === undefined ? undefined : fromPast(past, { show }) })
  let isStarted = false
  const start = (): ReadonlyArray<Chunk> => {
    if (isStarted) return []
    isStarted = true
    return [{ type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" }]
  }
  const push = (event: Event): ReadonlyArray<Chunk> => {
    if (event._tag === "Failed") {
      const ended = [...start(), ...story.end()]
      return event.code === "Stopped"
        ? [...ended, { type: "RUN_FINISHED", threadId, runId, outcome: { type: "cancelled" } }]
        : [...ended, { type: "RUN_ERROR", message: event.message, code: event.code }]
    }
    if (event._tag !== "Done") return [...start(), ...story.push(event)]
    const { result } = event
    const requests = result._tag === "Paused" ? result.requests : []
    const interrupts = requests.filter(({ waitsFor }) => waitsFor !== "client").map(interruptOf)
    const pending = requests.filter(({ waitsFor }) => waitsFor === "client").map(({ call }) => call.id)
    const { input, output } = result.usage
    return [
      ...start(),
      ...story.end(),
      {
        type: "RUN_FINISHED",
        threadId,
        runId,
        ...(result._tag === "Finished" && typeof result.output !== "string"
          ? { result: JsonValue.attempt(result.output) }
          : {}),
        outcome:
          interrupts.length > 0
            ? { type: "interrupt", interrupts }
            : { type: "success", ...(pending.length === 0 ? {} : { pendingToolCallIds: pending }) },
        ...(input === undefined && output === undefined
          ? {}
          : {
              usage: [
                {
                  ...(input === undefined ? {} : { inputTokens: input }),
                  ...(output === undefined ? {} : { outputTokens: output })
                }
              ]
            })
      }
    ]
  }
  return { push }
}

// Of a name that is misspelt, a page would see everything.
const checkOptions = fields(
  { threadId: aText, runId: aText, show: aFunction, past: anything, answered: texts } satisfies Checks<EncodeOptions>,
  ["threadId", "runId"]
)

type Request = Extract<
  Extract<Event, { readonly _tag: "Done" }>["result"],
  { readonly _tag: "Paused" }
>["requests"][number]

const interruptOf = (
  request: Pick<Request, "id" | "name" | "call" | "waitsFor" | "input" | "why" | "expiresAt">
): Interrupt => ({
  id: request.id,
  reason: request.waitsFor === "input" ? "input_required" : "tool_call",
  message:
    request.input === undefined
      ? (request.why ?? `May ${request.name} run?`)
      : typeof request.input.asks === "string"
        ? request.input.asks
        : JSON.stringify(request.input.asks),
  toolCallId: request.call.id,
  // A JSON Schema is JSON.
  responseSchema: request.input === undefined ? approvalSchema : (request.input.accepts as Json.JsonObject),
  ...(request.expiresAt === undefined ? {} : { expiresAt: new Date(request.expiresAt).toISOString() })
})

/** `editedArgs` tells a page that it may offer to change the arguments. */
const approvalSchema: Json.JsonObject = {
  type: "object",
  properties: { approved: { type: "boolean" }, editedArgs: { type: "object" }, reason: { type: "string" } },
  required: ["approved"],
  additionalProperties: false
}

/**
 * The messages of a thread, for a page that draws an old one.
 *
 * @category conversions
 */
export const fromPast = (
  past: Past,
  options: { readonly show?: Show.Show | undefined } = {}
): ReadonlyArray<Message> => {
  orThrow(fields({ show: aFunction })(options), "What `AgUi.fromPast` takes")
  const { show = Show.everything } = options
  const messages: Array<Message> = []
  for (const { asked, events } of chaptersOf(past)) {
    if (asked !== undefined) messages.push({ id: asked.id, role: "user", content: userContent(asked.content) })
    const story = new Story({ show })
    for (const event of events) if (event._tag !== "Done" && event._tag !== "Failed") story.push(event)
    messages.push(...story.messages)
  }
  return messages
}

const userContent = (content: ReadonlyArray<Content.Part>): string | ReadonlyArray<ContentPart> => {
  const [first] = content
  if (content.length === 1 && first?._tag === "Text") return first.text
  return content.map((part): ContentPart => {
    if (part._tag === "Text") return { type: "text", text: part.text }
    if (part._tag === "JsonValue") return { type: "text", text: JSON.stringify(part.value) }
    const { mediaType, source } = part
    return filePart(
      mediaType,
      source._tag === "Url"
        ? { type: "url", value: urlOf(part), mimeType: mediaType }
        : { type: "data", value: source.data, mimeType: mediaType }
    )
  })
}

/**
 * What a page sends.
 *
 * @category models
 */
export interface Asked {
  readonly threadId: string
  readonly runId: string
  /** `undefined` where the page only asks for what there is. */
  readonly action: Action | undefined
  /** The page's own tools. */
  readonly tools: ReadonlyArray<PageTool>
}

/**
 * Reads `RunAgentInput`: answers in `resume`, or, behind the last message of the assistant, results of client tools and
 * the user's messages. What else the page says of the past is not looked at.
 *
 * @category conversions
 */
export const decode = (body: unknown): Effect.Effect<Asked, Refused> => readAsked(body)

/**
 * What a web server gives the requests of AG-UI's clients to: `POST` runs; `POST …/connect`, or a thread without a new
 * message, gives the thread and what goes on in it; `DELETE …/<threadId>` stops that.
 *
 * It never rejects. A request that is refused gets a status of 4xx and `{ error, code }`; a run that fails later ends with
 * RUN_ERROR.
 *
 * @category handlers
 */
export const handler = (chat: Chat): ((request: globalThis.Request) => Promise<globalThis.Response>) =>
  serve(chat, responder(chat))

/**
 * The same for a program that has read the body, which `POST` needs.
 *
 * @category handlers
 */
export const responder =
  (chat: Chat): ((request: globalThis.Request, body: unknown) => Effect.Effect<globalThis.Response, Refused>) =>
  (request, body) =>
    Effect.gen(function* () {
      const { show } = chat
      const { pathname } = new URL(request.url)
      if (request.method === "DELETE") {
        const { id } = yield* addressOf(request)
        yield* chat.stop(request, id)
        return new globalThis.Response(null, { status: 204 })
      }
      if (request.method !== "POST") {
        return yield* new Refused({ code: "UnknownAddress", detail: `There is no ${request.method} here` })
      }
      const { action, runId, threadId, tools } = yield* decode(body)
      const stream = (reading: Reading, encode: Encoder<Chunk>) =>
        respond<Chunk>(
          reading,
          encode,
          { type: "RUN_ERROR", code: "TooLong", message: "This run has become too long to follow. Connect again" },
          { signal: request.signal }
        )
      if (action !== undefined && !pathname.endsWith("/connect")) {
        const reading = yield* chat.begin(request, threadId, action, tools)
        const answered =
          action._tag === "Again" ? [] : (action.answers ?? []).flatMap((one) => ("call" in one ? [one.call] : []))
        return stream(reading, encoder({ threadId, runId, show, past: reading.past, answered }))
      }
      const past = yield* orNew(chat.past(request, threadId), { entries: [], requests: [] })
      const reading = yield* orNew(chat.join(request, threadId), undefined)
      const encode = encoder({ threadId, runId, show, past })
      const snapshot: Chunk = { type: "MESSAGES_SNAPSHOT", messages: fromPast(past, { show }) }
      let isFirst = true
      // The thread comes behind the start, before anything else.
      const connected: Encoder<Chunk> = {
        push: (event) => {
          const [start, ...rest] = encode.push(event)
          if (!isFirst || start === undefined) return start === undefined ? [] : [start, ...rest]
          isFirst = false
          return [start, snapshot, ...rest]
        }
      }
      return stream(reading ?? readingOf(past, threadId), connected)
    })

/** Nothing goes on: what waits is asked again. */
const readingOf = (past: Past, conversation: string): Reading => {
  const ended = { conversation, text: "", steps: 0, usage: {} }
  const done: Event = {
    _tag: "Done",
    result:
      past.requests.length === 0
        ? { _tag: "Finished", ...ended, output: "" }
        : // They were encoded once, and read again: `undefined` stands for what is absent.
          { _tag: "Paused", ...ended, requests: past.requests as ReadonlyArray<Request> }
  }
  return { message: undefined, past, read: (number) => (number === 0 ? done : "over"), leave: () => {} }
}
