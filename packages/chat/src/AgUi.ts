/**
 * AG-UI 1.0: what CopilotKit and every client of `@ag-ui/client` send and read, as server-sent events.
 */
import type { Json } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as JsonValue from "@wield/core/Json"
import * as Response_ from "@wield/core/Response"
import * as Effect from "effect/Effect"
import type { Action, Answer, Chat, Event, PageTool, Past, Reading } from "./Chat.js"
import { Refused } from "./ChatError.js"
import { decodeSegment, type Encoder, orNew, respond, serve } from "./internal/http.js"
import {
  argumentsOf,
  chaptersOf,
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
export const encoder = ({
  answered = [],
  past,
  runId,
  show = Show.everything,
  threadId
}: EncodeOptions): Encoder<Chunk> => {
  const before = past === undefined ? [] : fromPast(past, { show })
  const story = makeStory(show, before, past, answered)
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
  required: ["approved"]
}

type Draft =
  | {
      -readonly [Key in keyof Extract<Message, { readonly role: "assistant" }>]: Extract<
        Message,
        { readonly role: "assistant" }
      >[Key]
    }
  | Exclude<Message, { readonly role: "assistant" }>

interface Story {
  readonly push: (event: Exclude<Event, { readonly _tag: "Failed" | "Done" }>) => ReadonlyArray<Chunk>
  /** Ends what is still being written. */
  readonly end: () => ReadonlyArray<Chunk>
  /** The thread so far. */
  readonly messages: () => ReadonlyArray<Message>
}

/** What a run, or one within it, does, but for its own start and end. */
const makeStory = (
  show: Show.Show,
  before: ReadonlyArray<Message>,
  past: Past | undefined,
  answered: ReadonlyArray<string> = [],
  subagentRunId?: string
): Story => {
  const tag = subagentRunId === undefined ? {} : { subagentRunId }
  const messages: Array<Draft> = [...before]
  let turn = ""
  let step: string | undefined
  /** How many messages stood before the turn. */
  let stood = 0
  let block: { readonly kind: "TEXT" | "REASONING"; readonly id: string } | undefined
  let blocks = 0
  const written = new Map<number, string>()
  const calls = new Map<string, { name: string; text: string; state: "open" | "whole" | "over" }>()
  const agents = new Map<string, Story>()
  // What the past has called is not said again, only how it ended.
  for (const message of before) {
    if (message.role !== "assistant") continue
    for (const { function: made, id } of message.toolCalls ?? []) {
      calls.set(id, { name: made.name, text: made.arguments, state: "whole" })
    }
  }

  const endBlock = (): ReadonlyArray<Chunk> => {
    const ended = block
    block = undefined
    if (ended === undefined) return []
    const { id: messageId } = ended
    return ended.kind === "TEXT"
      ? [{ type: "TEXT_MESSAGE_END", messageId, ...tag }]
      : [
          { type: "REASONING_MESSAGE_END", messageId, ...tag },
          { type: "REASONING_END", messageId, ...tag }
        ]
  }
  /** The turn's own message, for its first text and its calls. */
  const assistant = (id: string): Extract<Draft, { role: "assistant" }> => {
    const known = messages.findLast((message) => message.id === id && message.role === "assistant")
    if (known?.role === "assistant") return known
    const made = { id, role: "assistant" as const, ...tag }
    messages.push(made)
    return made
  }
  const piece = (kind: "TEXT" | "REASONING", delta: string): ReadonlyArray<Chunk> => {
    // A protocol without empty pieces.
    if (delta === "") return []
    const isNew = block?.kind !== kind
    const opened: Array<Chunk> = isNew ? [...endBlock()] : []
    if (isNew) {
      const isFirst = kind === "TEXT" && !messages.slice(stood).some(({ id }) => id === turn)
      const id = isFirst ? turn : `${turn}:${++blocks}`
      block = { kind, id }
      if (kind === "TEXT") opened.push({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant", ...tag })
      else {
        opened.push({ type: "REASONING_START", messageId: id, ...tag })
        opened.push({ type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning", ...tag })
        messages.push({ id, role: "reasoning", content: "", ...tag })
      }
    }
    const messageId = block?.id ?? turn
    if (kind === "TEXT") {
      const message = assistant(messageId)
      message.content = (message.content ?? "") + delta
    } else {
      const place = messages.findLastIndex(({ id, role }) => id === messageId && role === "reasoning")
      const message = messages[place]
      if (message?.role === "reasoning") messages[place] = { ...message, content: message.content + delta }
    }
    return [...opened, { type: `${kind}_MESSAGE_CONTENT`, messageId, delta, ...tag }]
  }
  const announce = (id: string, name: string): ReadonlyArray<Chunk> => {
    if (calls.has(id)) return []
    calls.set(id, { name, text: "", state: "open" })
    const parent = turn === "" ? {} : { parentMessageId: turn }
    return [...endBlock(), { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, ...parent, ...tag }]
  }
  /** Tells a call whole, as far as the page does not have it yet. */
  const tell = (call: Call): ReadonlyArray<Chunk> => {
    const started = announce(call.id, call.name)
    const known = calls.get(call.id)
    if (known === undefined || known.state !== "open") return started
    known.state = "whole"
    const isWhole = known.text !== ""
    if (!isWhole) {
      const shown = show({ _tag: "Arguments", tool: call.name, value: argumentsOf(call) })
      known.text = JSON.stringify(shown ?? {})
    }
    const message = assistant(turn)
    message.toolCalls = [
      ...(message.toolCalls ?? []),
      { id: call.id, type: "function", function: { name: call.name, arguments: known.text } }
    ]
    return [
      ...started,
      ...(isWhole ? [] : [{ type: "TOOL_CALL_ARGS", toolCallId: call.id, delta: known.text, ...tag } as const]),
      { type: "TOOL_CALL_END", toolCallId: call.id, ...tag }
    ]
  }
  const finish = (call: Call, outcome: Outcome): ReadonlyArray<Chunk> => {
    if (calls.get(call.id)?.state === "over") return []
    const before = tell(call)
    if (outcome._tag === "Deferred") return before
    const known = calls.get(call.id)
    if (known !== undefined) known.state = "over"
    const messageId = `${call.id}:result`
    const content = contentOf(show, call.name, outcome)
    messages.push({ id: messageId, role: "tool", toolCallId: call.id, content, ...tag })
    return [
      ...before,
      ...endAgent(call, outcome),
      // A second message with the result would stand beside the page's own.
      ...(answered.includes(call.id)
        ? []
        : [{ type: "TOOL_CALL_RESULT", messageId, toolCallId: call.id, role: "tool", content, ...tag } as const])
    ]
  }
  const endAgent = ({ id, name }: Pick<Call, "id" | "name">, outcome?: Outcome): ReadonlyArray<Chunk> => {
    const agent = agents.get(id)
    if (agent === undefined) return []
    agents.delete(id)
    return [
      ...agent.end(),
      outcome?._tag === "Success"
        ? { type: "SUBAGENT_FINISHED", subagentRunId: id }
        : {
            type: "SUBAGENT_ERROR",
            subagentRunId: id,
            message: shownError(show, name, outcome?.text ?? "It was stopped")
          }
    ]
  }
  const progress = (call: Call, value: unknown): ReadonlyArray<Chunk> => {
    // Here `show` chooses whether anything of a sub-agent is seen; what of each thing, where the event is pushed.
    const seen = isOfSubAgent(value) ? shownOfSubAgent(Show.everything, value) : value
    const given = show({ _tag: "Progress", tool: call.name, value: seen })
    if (given === undefined) return []
    if (isOfSubAgent(given)) {
      if (given._tag === "Done") return []
      const known = agents.get(call.id)
      const agent = known ?? makeStory(show, [], undefined, [], call.id)
      agents.set(call.id, agent)
      const started = {
        type: "SUBAGENT_STARTED",
        subagentRunId: call.id,
        name: call.name,
        parentToolCallId: call.id
      } as const
      return [...(known === undefined ? [started] : []), ...agent.push(callWithin(call.id, given))]
    }
    const about = { toolCallId: call.id, toolName: call.name, value: JsonValue.attempt(given) }
    return [{ type: "CUSTOM", name: "progress", value: about, ...tag }]
  }
  const endStep = (): ReadonlyArray<Chunk> => {
    const stepName = step
    step = undefined
    const open = [...calls].filter(([, { state }]) => state === "open")
    const ends = open.map(([toolCallId, call]): Chunk => {
      call.state = "whole"
      return { type: "TOOL_CALL_END", toolCallId, ...tag }
    })
    return [
      ...endBlock(),
      ...ends,
      ...(stepName === undefined ? [] : [{ type: "STEP_FINISHED", stepName, ...tag } as const])
    ]
  }

  return {
    messages: () => messages,
    end: () => [...[...agents.keys()].flatMap((id) => endAgent({ id, name: calls.get(id)?.name ?? "" })), ...endStep()],
    push: (event) => {
      switch (event._tag) {
        case "TurnStarted": {
          const ended = endStep()
          turn = event.entry
          step = `turn ${event.step}`
          stood = messages.length
          blocks = 0
          written.clear()
          return [...ended, { type: "STEP_STARTED", stepName: step, ...tag }]
        }
        case "TextDelta":
        case "RefusalDelta":
          return piece("TEXT", event.text)
        case "ReasoningDelta": {
          const text = show({ _tag: "Reasoning", value: event.text })
          return typeof text === "string" ? piece("REASONING", text) : []
        }
        case "CallAnnounced":
          written.set(event.index, event.id)
          return announce(event.id, event.name)
        case "ArgumentsDelta": {
          const id = written.get(event.index)
          const call = id === undefined ? undefined : calls.get(id)
          // Where the program chooses what is seen of arguments, pieces of them say too much.
          if (id === undefined || call?.state !== "open" || show !== Show.everything || event.text === "") return []
          call.text += event.text
          return [{ type: "TOOL_CALL_ARGS", toolCallId: id, delta: event.text, ...tag }]
        }
        case "CallStarted":
          return tell(event.call)
        case "CallProgress":
          return progress(event.call, event.value)
        case "CallFinished":
          return finish(event.call, event.outcome)
        case "TurnBroken": {
          const ended = endStep()
          // Calls that have run stay, with what was said before them, in the conversation too.
          if (
            messages.slice(stood).some((message) => message.role === "assistant" && message.toolCalls !== undefined)
          ) {
            return ended
          }
          const hasSeen = messages.length > stood || [...written.values()].length > 0
          messages.splice(stood)
          // Of a run within another, the thread has nothing.
          return hasSeen && past !== undefined
            ? [...ended, { type: "MESSAGES_SNAPSHOT", messages: [...messages] }]
            : ended
        }
        case "TurnFinished": {
          const sources = shownSources(show, event)
          return sources.length === 0
            ? endStep()
            : [
                ...endStep(),
                { type: "CUSTOM", name: "sources", value: sources.map((source) => ({ ...source })), ...tag }
              ]
        }
        case "MessageTaken":
        case "ModelGaveWay":
        case "UsageKnown":
          return []
      }
    }
  }
}

type Call = Extract<Event, { readonly _tag: "CallStarted" }>["call"]

type StoryEvent = Parameters<Story["push"]>[0]

/** An event of a sub-agent, with an id of its call that no call of another run has: models count from 1 in each. */
const callWithin = (run: string, event: StoryEvent): StoryEvent => {
  if (event._tag === "CallAnnounced") return { ...event, id: `${run}/${event.id}` }
  return "call" in event ? { ...event, call: { ...event.call, id: `${run}/${event.call.id}` } } : event
}

/** A result as the page reads it. */
const contentOf = (show: Show.Show, tool: string, outcome: Outcome): string | ReadonlyArray<ContentPart> => {
  if (isMistake(outcome) || outcome._tag !== "Success") return shownError(show, tool, outcome.text ?? "")
  const value = show({ _tag: "Result", tool, value: withoutFiles(outcome.value) })
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null)
  if (value === undefined || outcome.images === undefined) return text
  return [
    { type: "text", text },
    ...outcome.images.map(({ data, mediaType }) =>
      filePart(mediaType, { type: "data", value: data, mimeType: mediaType })
    )
  ]
}

type Source = Extract<ContentPart, { readonly source: unknown }>["source"]

const filePart = (mediaType: string, source: Source): ContentPart => ({
  type: mediaType.startsWith("image/") ? "image" : "document",
  source
})

/**
 * The messages of a thread, for a page that draws an old one.
 *
 * @category conversions
 */
export const fromPast = (
  past: Past,
  { show = Show.everything }: { readonly show?: Show.Show | undefined } = {}
): ReadonlyArray<Message> => {
  const messages: Array<Message> = []
  for (const { asked, events } of chaptersOf(past)) {
    if (asked !== undefined) messages.push({ id: asked.id, role: "user", content: userContent(asked.content) })
    const story = makeStory(show, [], undefined)
    for (const event of events) if (event._tag !== "Done" && event._tag !== "Failed") story.push(event)
    messages.push(...story.messages())
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
 * Reads `RunAgentInput`: answers in `resume`, results of client tools behind the last message of the assistant, or the
 * user's messages behind it. What the page says of the past is not looked at.
 *
 * @category conversions
 */
export const decode = (body: unknown): Effect.Effect<Asked, Refused> => {
  if (!JsonValue.isObject(body)) return invalid("the body is no object")
  const { messages, resume, runId, threadId, tools = [] } = body
  if (typeof threadId !== "string" || typeof runId !== "string") return invalid("`threadId` and `runId` must be texts")
  if (messages !== undefined && !Array.isArray(messages)) return invalid("`messages` must be an array")
  const own = toolsOf(tools)
  if (own === undefined) return invalid("`tools` must be an array of { name, description, parameters }")
  const asked = (action: Action | undefined): Effect.Effect<Asked> =>
    Effect.succeed({ threadId, runId, action, tools: own })
  if (resume !== undefined) {
    const answers = Array.isArray(resume) && resume.length > 0 ? resume.map(answerOf) : [undefined]
    return answers.includes(undefined)
      ? invalid("`resume` must be an array of one or more { interruptId, status, payload }")
      : asked({ _tag: "Answers", answers: answers.filter((one) => one !== undefined), isWhole: true })
  }
  const all: ReadonlyArray<unknown> = messages ?? []
  const since = all.slice(
    all.findLastIndex((message) => JsonValue.isObject(message) && message["role"] === "assistant") + 1
  )
  const last = since.at(-1)
  if (!JsonValue.isObject(last)) return asked(undefined)
  if (last["role"] === "tool") return asked({ _tag: "Answers", answers: since.flatMap(resultOf) })
  if (last["role"] !== "user") return invalid("the last message is neither the user's nor the result of a tool")
  const { id } = last
  if (typeof id !== "string" || id === "" || id.length > 255)
    return invalid("a message needs an id of 1 to 255 characters")
  const content: Array<Content.Part> = []
  for (const message of since) {
    if (!JsonValue.isObject(message) || message["role"] !== "user") continue
    const parts = partsOf(message["content"])
    if (parts === undefined)
      return invalid("the content of a message is a text, or parts of text, images and documents")
    content.push(...parts)
  }
  if (content.length === 0) return invalid("the message is empty")
  return asked({ _tag: "Prompt", id, content, replaces: false })
}

const invalid = (detail: string): Effect.Effect<never, Refused> =>
  Effect.fail(new Refused({ code: "InvalidRequest", detail: `This is no RunAgentInput: ${detail}` }))

const toolsOf = (tools: unknown): ReadonlyArray<PageTool> | undefined => {
  if (!Array.isArray(tools) || tools.length > 200) return undefined
  const all = tools.map((tool: unknown): PageTool | undefined => {
    if (!JsonValue.isObject(tool) || typeof tool["name"] !== "string") return undefined
    const { description, name, parameters } = tool
    return {
      name,
      ...(typeof description === "string" ? { description } : {}),
      // A body is JSON.
      ...(JsonValue.isObject(parameters) ? { parameters: parameters as Json.JsonObject } : {})
    }
  })
  return all.includes(undefined) ? undefined : all.filter((tool) => tool !== undefined)
}

const answerOf = (entry: unknown): Answer | undefined => {
  if (!JsonValue.isObject(entry) || typeof entry["interruptId"] !== "string") return undefined
  const { interruptId: request, payload, status } = entry
  if (status === "cancelled") return { request, response: Response_.deny("the user cancelled it") }
  // A body is JSON.
  return status === "resolved"
    ? { request, response: { _tag: "Payload", value: (payload ?? null) as Json.Json } }
    : undefined
}

/** The result of a client tool: JSON where it looks like it, as pages write what their tools gave. */
const resultOf = (message: unknown): ReadonlyArray<Answer> => {
  if (!JsonValue.isObject(message) || message["role"] !== "tool" || typeof message["toolCallId"] !== "string") return []
  const { content, error, toolCallId: call } = message
  if (typeof error === "string" && error !== "") return [{ call, response: Response_.failure(error) }]
  const value = typeof content === "string" && /^\s*[[{"]/.test(content) ? (parse(content) ?? content) : content
  return [{ call, response: Response_.result(value ?? null) }]
}

const parse = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

const partsOf = (content: unknown): ReadonlyArray<Content.Part> | undefined => {
  if (typeof content === "string") return content === "" ? [] : [Content.text(content)]
  if (!Array.isArray(content)) return undefined
  const parts = content.map((part: unknown): Content.Part | undefined => {
    if (!JsonValue.isObject(part)) return undefined
    if (part["type"] === "text" && typeof part["text"] === "string") return Content.text(part["text"])
    const { source } = part
    if (!JsonValue.isObject(source) || typeof source["value"] !== "string") return undefined
    const type = typeof source["mimeType"] === "string" ? source["mimeType"] : part["type"] === "image" ? "image/*" : ""
    const url = source["type"] === "data" ? `data:${type};base64,${source["value"]}` : source["value"]
    return fileOf(type, url)
  })
  return parts.includes(undefined) ? undefined : parts.filter((part) => part !== undefined)
}

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
        const id = pathname.split("/").findLast((segment) => segment !== "") ?? ""
        yield* chat.stop(request, yield* decodeSegment(id))
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
          action._tag === "Answers" ? action.answers.flatMap((one) => ("call" in one ? [one.call] : [])) : []
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
