/**
 * The UI message stream of the AI SDK: what `useChat` of React, Vue, Svelte and Angular, and assistant-ui, send and read.
 */
import type { Hidden, Json, Toolset } from "@wield/core"
import type * as AiTool from "@effect/ai/Tool"
import * as JsonValue from "@wield/core/Json"
import * as Content from "@wield/core/Content"
import * as Response_ from "@wield/core/Response"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Action, Answer, Chat, Event, Past, Reading } from "./Chat.js"
import { Refused } from "./ChatError.js"
import { decodeSegment, json, orNew, respond, serve } from "./internal/http.js"
import {
  argumentsOf,
  chaptersOf,
  deferredOutcome,
  fileOf,
  isMistake,
  isOfSubAgent,
  type Outcome,
  shownError,
  shownOfSubAgent,
  shownSources,
  urlOf,
  withoutFiles
} from "./internal/parts.js"
import * as Show from "./Show.js"

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
export const encoder = ({ message, show = Show.everything, version = 6 }: EncodeOptions = {}): {
  readonly push: (event: Event) => ReadonlyArray<Chunk>
} => {
  let isStarted = false
  let isInStep = false
  let turns = 0
  let turn = ""
  /** Whether calls of the turn have run: what broke off behind them stays, in the conversation too. */
  let hasRun = false
  let blocks = 0
  let block: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined
  /** The calls of the response that is being written, by their place. */
  const written = new Map<number, { readonly id: string; readonly name: string }>()
  /** What the page knows of each call. */
  const calls = new Map<string, "written" | "known" | "over">()
  /** The calls whose sub-agents have gone on after what was answered. */
  const goneOn = new Set<string>()
  let usage: Metadata["usage"]
  // Without it a page takes calls that are over for a request to go on, and sends it by itself.
  const interrupted: ReadonlyArray<Chunk> = version === 7 ? [{ type: "finish", finishReason: "interrupted" }] : []

  const end = (): ReadonlyArray<Chunk> => {
    const ended = block
    block = undefined
    return ended === undefined ? [] : [{ type: `${ended.kind}-end`, id: ended.id }]
  }
  const piece = (kind: "text" | "reasoning", delta: string): ReadonlyArray<Chunk> => {
    if (block?.kind === kind) return [{ type: `${kind}-delta`, id: block.id, delta }]
    const before = end()
    const id = `${turn}:${blocks++}`
    block = { kind, id }
    return [...before, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }]
  }
  const start = (messageId: string | undefined): ReadonlyArray<Chunk> => {
    if (isStarted) return []
    isStarted = true
    return [{ type: "start", ...(messageId === undefined ? {} : { messageId }) }]
  }
  const finishStep = (): ReadonlyArray<Chunk> => {
    if (!isInStep) return end()
    isInStep = false
    return [...end(), { type: "finish-step" }]
  }
  const shown = (tool: string, value: unknown): unknown => show({ _tag: "Arguments", tool, value })
  const available = (call: Call): ReadonlyArray<Chunk> => {
    const known = calls.get(call.id)
    // What was called before this run began is known to the page.
    if (known === "known" || known === "over" || turns === 0) return []
    calls.set(call.id, "known")
    hasRun = true
    return [
      ...end(),
      {
        type: "tool-input-available",
        toolCallId: call.id,
        toolName: call.name,
        input: shown(call.name, argumentsOf(call)) ?? {}
      }
    ]
  }
  /** A call of a sub-agent that waits is a part of its own, of a tool that the page need not know. */
  const availableWithin = ({ call, name }: WaitingCall): ReadonlyArray<Chunk> => {
    calls.set(call.id, "known")
    const input = shown(name, argumentsOf(call)) ?? {}
    return [...end(), { type: "tool-input-available", toolCallId: call.id, toolName: name, input }]
  }
  const defer = (call: Call, outcome: Outcome): ReadonlyArray<Chunk> => {
    const { input, requestId = "", waitsFor, why } = outcome
    if (waitsFor === undefined || waitsFor === "client") return []
    if (waitsFor === "approval" && version > 5) {
      return [
        {
          type: "tool-approval-request",
          approvalId: requestId,
          toolCallId: call.id,
          ...(why === undefined ? {} : { reason: why })
        }
      ]
    }
    const data: RequestData = {
      id: requestId,
      toolCallId: call.id,
      toolName: call.name,
      waitsFor,
      ...(why === undefined ? {} : { why }),
      // They are JSON already.
      ...(input === undefined ? {} : { asks: JsonValue.attempt(input.asks), accepts: input.accepts as Json.JsonSchema })
    }
    return [{ type: "data-request", id: requestId, data }]
  }
  const finished = (call: Call, outcome: Outcome): ReadonlyArray<Chunk> => {
    const toolCallId = call.id
    if (outcome._tag === "Deferred") return [...available(call), ...defer(call, outcome)]
    if (calls.get(call.id) === "over") return []
    if (isMistake(outcome)) {
      const input = shown(call.name, argumentsOf(call)) ?? {}
      calls.set(call.id, "over")
      hasRun = true
      const errorText = shownError(show, call.name, outcome.text ?? "")
      return [...end(), { type: "tool-input-error", toolCallId, toolName: call.name, input, errorText }]
    }
    const before = available(call)
    calls.set(call.id, "over")
    if (outcome._tag === "Success") {
      const files = (outcome.images ?? []).map(({ data, mediaType }): Chunk => ({
        type: "file",
        mediaType,
        url: `data:${mediaType};base64,${data}`
      }))
      const output = show({ _tag: "Result", tool: call.name, value: withoutFiles(outcome.value) })
      return [
        ...before,
        { type: "tool-output-available", toolCallId, output: output === undefined ? null : output },
        ...(output === undefined ? [] : files)
      ]
    }
    if (outcome._tag === "Denied" && version > 5) return [...before, { type: "tool-output-denied", toolCallId }]
    return [
      ...before,
      { type: "tool-output-error", toolCallId, errorText: shownError(show, call.name, outcome.text ?? "") }
    ]
  }

  /** A call that waited within a sub-agent ends before the sub-agent's model is asked again. */
  const endWithin = (call: Call, value: unknown): ReadonlyArray<Chunk> => {
    if (turns > 0 || goneOn.has(call.id) || !isOfSubAgent(value)) return []
    if (value._tag === "TurnStarted") goneOn.add(call.id)
    if (value._tag !== "CallProgress" && value._tag !== "CallFinished") return []
    const inner = { ...value.call, id: `${call.id}/${value.call.id}` }
    if (value._tag === "CallProgress") return endWithin(inner, value.value)
    return value.outcome._tag === "Deferred" ? [] : finished(inner, value.outcome)
  }

  const push = (event: Event): ReadonlyArray<Chunk> => {
    // It ends a call of a message before this one, which a killed process has left; the page has no such call here.
    if (turns === 0 && message === undefined && "call" in event) return []
    switch (event._tag) {
      case "TurnStarted": {
        const before = [...start(message ?? event.entry), ...finishStep()]
        turns++
        turn = event.entry
        hasRun = false
        isInStep = true
        written.clear()
        return [...before, { type: "start-step" }]
      }
      case "TextDelta":
      case "RefusalDelta":
        return piece("text", event.text)
      case "ReasoningDelta": {
        const text = show({ _tag: "Reasoning", value: event.text })
        return typeof text === "string" ? piece("reasoning", text) : []
      }
      case "CallAnnounced":
        written.set(event.index, event)
        calls.set(event.id, "written")
        return [...end(), { type: "tool-input-start", toolCallId: event.id, toolName: event.name }]
      case "ArgumentsDelta": {
        const call = written.get(event.index)
        // Where the program chooses what is seen of arguments, pieces of them say too much.
        return call === undefined || show !== Show.everything || calls.get(call.id) !== "written"
          ? []
          : [{ type: "tool-input-delta", toolCallId: call.id, inputTextDelta: event.text }]
      }
      case "CallStarted":
        return [...start(message), ...available(event.call)]
      case "CallProgress": {
        const { call, value } = event
        // Of a sub-agent, each step and not each piece.
        if (isOfSubAgent(value) && /Delta$|^CallAnnounced$|^UsageKnown$|^Done$/.test(value._tag)) return []
        const inner = isOfSubAgent(value) ? shownOfSubAgent(show, value) : value
        const given = inner === undefined ? undefined : show({ _tag: "Progress", tool: call.name, value: inner })
        const data = { toolCallId: call.id, toolName: call.name, value: JsonValue.attempt(given) }
        return [
          ...start(message),
          ...(given === undefined ? [] : [{ type: "data-progress", id: call.id, data } as const]),
          ...endWithin(call, value)
        ]
      }
      case "CallFinished":
        return [...start(message), ...finished(event.call, event.outcome)]
      case "TurnBroken": {
        const unfinished = [...calls].filter(([, known]) => known === "written")
        const names = new Map([...written.values()].map(({ id, name }) => [id, name]))
        for (const [id] of unfinished) calls.set(id, "over")
        if (version === 7 && isInStep && !hasRun) return [...end(), { type: "reset-step" }, ...finishStep()]
        const errors = unfinished.map(([toolCallId]): Chunk => ({
          type: "tool-input-error",
          toolCallId,
          toolName: names.get(toolCallId) ?? "",
          input: {},
          errorText: "The model's answer broke off"
        }))
        return [...end(), ...errors, ...finishStep()]
      }
      case "TurnFinished": {
        const sources = shownSources(show, event)
        const chunks = sources.map((source, index): Chunk => ({
          type: "source-url",
          sourceId: `${event.entry}-${index + 1}`,
          ...source
        }))
        return chunks.length === 0 ? finishStep() : [...start(message), ...end(), ...chunks, ...finishStep()]
      }
      case "UsageKnown":
        usage = event.total
        return []
      case "MessageTaken":
      case "ModelGaveWay":
        return []
      case "Failed":
        return [
          ...start(message),
          ...finishStep(),
          ...(event.code === "Stopped"
            ? [...interrupted, { type: "abort", reason: event.message } as const]
            : [{ type: "error", errorText: event.message } as const])
        ]
      case "Done": {
        const { result } = event
        // A run that only asks again has named no call.
        const again =
          result._tag === "Paused" ? result.requests.filter(({ call }) => calls.get(call.id) !== "known") : []
        const known = usage ?? (Object.keys(result.usage).length === 0 ? undefined : result.usage)
        return [
          ...start(message),
          ...finishStep(),
          ...again.flatMap((request) => [
            ...(request.within === undefined ? [] : availableWithin(request)),
            ...finished(request.call, deferredOutcome(request))
          ]),
          {
            type: "finish",
            finishReason: finishReasonOf(result, version),
            ...(known === undefined ? {} : { messageMetadata: { usage: known } })
          }
        ]
      }
    }
  }
  return { push }
}

type Call = Extract<Event, { readonly _tag: "CallStarted" }>["call"]

type Done = Extract<Event, { readonly _tag: "Done" }>["result"]

type WaitingCall = Extract<Done, { readonly _tag: "Paused" }>["requests"][number]

const finishReasonOf = (
  result: Done,
  version: EncodeOptions["version"]
): NonNullable<Extract<Chunk, { readonly type: "finish" }>["finishReason"]> => {
  if (result._tag === "Finished") return "stop"
  if (result._tag === "Paused") return "tool-calls"
  if (result.by === "filter") return "content-filter"
  if (result.by === "length" || result.by === "error") return result.by
  // As behind a stop.
  return version === 7 ? "interrupted" : "other"
}

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
export const fromPast = (past: Past, options: EncodeOptions = {}): ReadonlyArray<Message> =>
  chaptersOf(past).flatMap(({ asked, events }): ReadonlyArray<Message> => {
    const answered = draw(events.flatMap(encoder(options).push))
    return [
      ...(asked === undefined ? [] : [{ id: asked.id, role: "user" as const, parts: asked.content.flatMap(userPart) }]),
      ...(answered === undefined ? [] : [answered])
    ]
  })

const userPart = (part: Content.Part): ReadonlyArray<Part> => {
  if (part._tag === "Text") return [{ type: "text", text: part.text }]
  if (part._tag === "JsonValue") return [{ type: "text", text: JSON.stringify(part.value) }]
  const filename = part._tag === "File" ? part.filename : undefined
  return [
    { type: "file", mediaType: part.mediaType, url: urlOf(part), ...(filename === undefined ? {} : { filename }) }
  ]
}

/** What the AI SDK makes of these chunks. */
const draw = (chunks: ReadonlyArray<Chunk>): Message | undefined => {
  const parts: Array<{ type: string; [field: string]: unknown }> = []
  const blocks = new Map<string, { text: string; state?: string }>()
  let id: string | undefined
  const call = (toolCallId: string) => parts.findLast((part) => part["toolCallId"] === toolCallId) ?? {}
  for (const chunk of chunks) {
    switch (chunk.type) {
      case "start":
        id = chunk.messageId
        break
      case "start-step":
        parts.push({ type: "step-start" })
        break
      case "text-start":
      case "reasoning-start": {
        const part = { type: chunk.type.slice(0, -"-start".length), text: "", state: "done" }
        blocks.set(chunk.id, part)
        parts.push(part)
        break
      }
      case "text-delta":
      case "reasoning-delta": {
        const part = blocks.get(chunk.id)
        if (part !== undefined) part.text += chunk.delta
        break
      }
      case "tool-input-available": {
        const { input, toolCallId, toolName } = chunk
        parts.push({ type: `tool-${toolName}`, toolCallId, state: "input-available", input })
        break
      }
      case "tool-approval-request":
        Object.assign(call(chunk.toolCallId), {
          state: "approval-requested",
          approval: { id: chunk.approvalId, ...(chunk.reason === undefined ? {} : { requestReason: chunk.reason }) }
        })
        break
      case "tool-output-available":
        Object.assign(call(chunk.toolCallId), { state: "output-available", output: chunk.output })
        break
      case "tool-output-error":
        Object.assign(call(chunk.toolCallId), { state: "output-error", errorText: chunk.errorText })
        break
      case "file":
        parts.push({ type: "file", mediaType: chunk.mediaType, url: chunk.url })
        break
      case "source-url":
        parts.push({ ...chunk })
        break
      case "data-request":
        parts.push({ type: chunk.type, id: chunk.id, data: chunk.data })
        break
      default:
      // The recorded past has no pieces, and nothing that broke.
    }
  }
  return id === undefined ? undefined : { id, role: "assistant", parts }
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
 * only: a message of the user, or the answers in the assistant's. What a page says of the past is not looked at.
 *
 * Beside what `useChat` sends, the body may have `answers: [{ id, reply }]`, which count before those in the message, where a reply is `"approve"`,
 * `{ approve: arguments }`, `{ deny: reason }`, `{ input: value }`, `{ result: value }` or `{ failure: value }`:
 * `sendMessage(undefined, { body: { answers } })`.
 *
 * @category conversions
 */
export const decode = (body: unknown): Effect.Effect<Asked, Refused> => {
  if (!JsonValue.isObject(body)) return invalid("the body is no object")
  const { answers, id, message, messageId, messages, trigger } = body
  if (typeof id !== "string") return invalid("`id` must be the text that names the chat")
  if (messages !== undefined && !Array.isArray(messages)) return invalid("`messages` must be an array")
  const last: unknown = message ?? messages?.at(-1)
  if (answers !== undefined) {
    return Effect.map(decodeAnswers(answers), (given) => {
      const requests = new Set(given.flatMap((one) => ("request" in one ? [one.request] : [])))
      const isGiven = (answer: Answer) => "request" in answer && requests.has(answer.request)
      // With what the page has noted in its message and not sent yet: one of two that wait was denied, say.
      const others = answersOfMessage(last).filter((answer) => !isGiven(answer))
      return { id, action: { _tag: "Answers", answers: [...given, ...others] } }
    })
  }
  if (trigger === "regenerate-message") {
    const to =
      JsonValue.isObject(last) && last["role"] === "user" && typeof last["id"] === "string" ? last["id"] : undefined
    return Effect.succeed({ id, action: { _tag: "Again", to } })
  }
  if (!JsonValue.isObject(last)) return invalid("there is no message")
  const { parts, role } = last
  if (!Array.isArray(parts)) return invalid("`parts` of the last message must be an array")
  if (role === "assistant") {
    return Effect.succeed({ id, action: { _tag: "Answers", answers: answersOfMessage(last) } })
  }
  if (role !== "user") return invalid("the last message is neither the user's nor the assistant's")
  const own = last["id"]
  if (own !== undefined && (typeof own !== "string" || own === "" || own.length > 255)) {
    return invalid("the id of a message is a text of 1 to 255 characters")
  }
  const content: Array<Content.Part> = []
  for (const part of parts) {
    if (!JsonValue.isObject(part)) return invalid("a part of a message must be an object")
    if (part["type"] === "text" && typeof part["text"] === "string") content.push(Content.text(part["text"]))
    else if (part["type"] === "file") {
      const { filename, mediaType, url } = part
      const file =
        typeof url === "string" && typeof mediaType === "string"
          ? fileOf(mediaType, url, typeof filename === "string" ? filename : undefined)
          : undefined
      if (file === undefined) return invalid("a file needs a `mediaType`, and a data URL or one of https in `url`")
      content.push(file)
    }
  }
  if (content.length === 0) return invalid("the message is empty")
  return Effect.succeed({
    id,
    action: { _tag: "Prompt", id: own, content, replaces: own !== undefined && own === messageId }
  })
}

const invalid = (detail: string): Effect.Effect<never, Refused> =>
  Effect.fail(new Refused({ code: "InvalidRequest", detail: `This is no request of a chat page: ${detail}` }))

const decodeAnswers = (answers: unknown): Effect.Effect<ReadonlyArray<Answer>, Refused> => {
  if (!Array.isArray(answers) || answers.length === 0) return invalid("`answers` must be an array of { id, reply }")
  const read = answers.map((one: unknown): Answer | undefined => {
    if (!JsonValue.isObject(one) || typeof one["id"] !== "string") return undefined
    const response = responseOf(one["reply"])
    return response === undefined ? undefined : { request: one["id"], response }
  })
  return read.includes(undefined)
    ? invalid(
        '`answers` must be an array of { id, reply }, where a reply is "approve", { approve: arguments }, { deny: reason }, { input: value }, { result: value } or { failure: value }'
      )
    : Effect.succeed(read.filter((one) => one !== undefined))
}

/** A reply as JSON of a page. */
const responseOf = (reply: unknown): Answer["response"] | undefined => {
  if (reply === "approve") return Response_.approve
  if (!JsonValue.isObject(reply)) return undefined
  const { approve, deny, failure, input, result } = reply
  if (typeof deny === "string") return Response_.deny(deny)
  if (JsonValue.isObject(approve)) return Response_.approveWith(JsonValue.fromObject(approve))
  if (input !== undefined) return Response_.reply(JsonValue.attempt(input))
  if (result !== undefined) return Response_.result(result)
  return failure === undefined ? undefined : Response_.failure(failure)
}

const answersOfMessage = (message: unknown): ReadonlyArray<Answer> =>
  JsonValue.isObject(message) && message["role"] === "assistant" && Array.isArray(message["parts"])
    ? message["parts"].flatMap(answersOf)
    : []

/** What a part of the assistant's message answers. Outputs of the server's own tools are among them, and answer nothing. */
const answersOf = (part: unknown): ReadonlyArray<Answer> => {
  if (!JsonValue.isObject(part)) return []
  const { approval, errorText, output, state, toolCallId, type } = part
  if (typeof type !== "string" || !(type.startsWith("tool-") || type === "dynamic-tool")) return []
  if (state === "approval-responded" && JsonValue.isObject(approval) && typeof approval["id"] === "string") {
    const { approved, id, reason } = approval
    // Only a clear yes is one.
    const response =
      approved === true
        ? Response_.approve
        : Response_.deny(typeof reason === "string" && reason !== "" ? reason : "the user said no")
    return [{ request: id, response }]
  }
  if (typeof toolCallId !== "string") return []
  if (state === "output-available") return [{ call: toolCallId, response: Response_.result(output ?? null) }]
  if (state === "output-error" && typeof errorText === "string") {
    return [{ call: toolCallId, response: Response_.failure(errorText) }]
  }
  return []
}

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
export const responder =
  (
    chat: Chat,
    { version }: Pick<EncodeOptions, "version"> = {}
  ): ((request: Request, body: unknown) => Effect.Effect<Response, Refused>) =>
  (request, body) =>
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
      if (request.method === "DELETE" && isStream) {
        yield* chat.stop(request, id)
        return new Response(null, { status: 204 })
      }
      if (request.method === "GET") {
        const past = yield* orNew(chat.past(request, id), { entries: [], requests: [] })
        return json({ messages: fromPast(past, { version, show }) })
      }
      return yield* new Refused({ code: "UnknownAddress", detail: `There is no ${request.method} here` })
    })

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

/** `…/<id>` or `…/<id>/stream`. */
const addressOf = (request: Request): Effect.Effect<{ readonly id: string; readonly isStream: boolean }, Refused> => {
  const segments = new URL(request.url).pathname.split("/").filter((segment) => segment !== "")
  const isStream = segments.at(-1) === "stream"
  return Effect.map(decodeSegment(segments.at(isStream ? -2 : -1) ?? ""), (id) => ({ id, isStream }))
}
