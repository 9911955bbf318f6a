/** What AG-UI makes of the events between the start and the end of a run. */
import * as JsonValue from "@wield/core/Json"
import type { Chunk, ContentPart, Message } from "../../AgUi.js"
import type { Event } from "../../Chat.js"
import * as Show from "../../Show.js"
import {
  argumentsOf,
  isMistake,
  isOfSubAgent,
  type Outcome,
  shownError,
  shownOfSubAgent,
  shownSources,
  withoutFiles
} from "../parts.js"

type StoryEvent = Exclude<Event, { readonly _tag: "Failed" | "Done" }>

type Draft =
  | {
      -readonly [Key in keyof Extract<Message, { readonly role: "assistant" }>]: Extract<
        Message,
        { readonly role: "assistant" }
      >[Key]
    }
  | Exclude<Message, { readonly role: "assistant" }>

/** What a run, or one within it, does, but for its own start and end. */
export class Story {
  readonly #show: Show.Show
  /** The calls that the page has run itself. */
  readonly #answered: ReadonlyArray<string>
  /** Whether the page has the thread: what it was shown of a turn that broke can be taken back. */
  readonly #isThread: boolean
  readonly #tag: { readonly subagentRunId?: string }
  readonly #messages: Array<Draft>
  #turn = ""
  #step: string | undefined
  /** How many messages stood before the turn. */
  #stood = 0
  #block: { readonly kind: "TEXT" | "REASONING"; readonly id: string } | undefined
  #blocks = 0
  readonly #written = new Map<number, string>()
  readonly #calls = new Map<string, { name: string; text: string; state: "open" | "whole" | "over" }>()
  readonly #agents = new Map<string, Story>()

  constructor({
    answered = [],
    run,
    show,
    thread
  }: {
    readonly show: Show.Show
    /** The messages before it, where the page has them. */
    readonly thread?: ReadonlyArray<Message> | undefined
    readonly answered?: ReadonlyArray<string>
    /** The run within another. */
    readonly run?: string
  }) {
    this.#show = show
    this.#answered = answered
    this.#isThread = thread !== undefined
    this.#tag = run === undefined ? {} : { subagentRunId: run }
    this.#messages = [...(thread ?? [])]
    // What the past has called is not said again, only how it ended.
    for (const message of this.#messages) {
      if (message.role !== "assistant") continue
      for (const { function: made, id } of message.toolCalls ?? []) {
        this.#calls.set(id, { name: made.name, text: made.arguments, state: "whole" })
      }
    }
  }

  /** The thread so far. */
  get messages(): ReadonlyArray<Message> {
    return this.#messages
  }

  /** Ends what is still being written. */
  end(): ReadonlyArray<Chunk> {
    const agents = [...this.#agents.keys()]
    return [
      ...agents.flatMap((id) => this.#endAgent({ id, name: this.#calls.get(id)?.name ?? "" })),
      ...this.#endStep()
    ]
  }

  push(event: StoryEvent): ReadonlyArray<Chunk> {
    switch (event._tag) {
      case "TurnStarted": {
        const ended = this.#endStep()
        this.#turn = event.entry
        this.#step = `turn ${event.step}`
        this.#stood = this.#messages.length
        this.#blocks = 0
        this.#written.clear()
        return [...ended, { type: "STEP_STARTED", stepName: this.#step, ...this.#tag }]
      }
      case "TextDelta":
      case "RefusalDelta":
        return this.#piece("TEXT", event.text)
      case "ReasoningDelta": {
        const text = this.#show({ _tag: "Reasoning", value: event.text })
        return typeof text === "string" ? this.#piece("REASONING", text) : []
      }
      case "CallAnnounced":
        this.#written.set(event.index, event.id)
        return this.#announce(event.id, event.name)
      case "ArgumentsDelta": {
        const id = this.#written.get(event.index)
        const call = id === undefined ? undefined : this.#calls.get(id)
        // Where the program chooses what is seen of arguments, pieces of them say too much.
        if (id === undefined || call?.state !== "open" || this.#show !== Show.everything || event.text === "") return []
        call.text += event.text
        return [{ type: "TOOL_CALL_ARGS", toolCallId: id, delta: event.text, ...this.#tag }]
      }
      case "CallStarted":
        return this.#tell(event.call)
      case "CallProgress":
        return this.#progress(event.call, event.value)
      case "CallFinished":
        return this.#finish(event.call, event.outcome)
      case "TurnBroken": {
        const ended = this.#endStep()
        // Calls that have run stay, with what was said before them, in the conversation too.
        if (
          this.#messages
            .slice(this.#stood)
            .some((message) => message.role === "assistant" && message.toolCalls !== undefined)
        ) {
          return ended
        }
        const hasSeen = this.#messages.length > this.#stood || [...this.#written.values()].length > 0
        this.#messages.splice(this.#stood)
        // Of a run within another, the thread has nothing.
        return hasSeen && this.#isThread
          ? [...ended, { type: "MESSAGES_SNAPSHOT", messages: [...this.#messages] }]
          : ended
      }
      case "TurnFinished": {
        const sources = shownSources(this.#show, event)
        return sources.length === 0
          ? this.#endStep()
          : [
              ...this.#endStep(),
              { type: "CUSTOM", name: "sources", value: sources.map((source) => ({ ...source })), ...this.#tag }
            ]
      }
      case "MessageTaken":
      case "ModelGaveWay":
      case "UsageKnown":
        return []
    }
  }

  #endBlock(): ReadonlyArray<Chunk> {
    const ended = this.#block
    this.#block = undefined
    if (ended === undefined) return []
    const { id: messageId } = ended
    return ended.kind === "TEXT"
      ? [{ type: "TEXT_MESSAGE_END", messageId, ...this.#tag }]
      : [
          { type: "REASONING_MESSAGE_END", messageId, ...this.#tag },
          { type: "REASONING_END", messageId, ...this.#tag }
        ]
  }

  /** The turn's own message, for its first text and its calls. */
  #assistant(id: string): Extract<Draft, { role: "assistant" }> {
    const known = this.#messages.findLast((message) => message.id === id && message.role === "assistant")
    if (known?.role === "assistant") return known
    const made = { id, role: "assistant" as const, ...this.#tag }
    this.#messages.push(made)
    return made
  }

  #piece(kind: "TEXT" | "REASONING", delta: string): ReadonlyArray<Chunk> {
    // A protocol without empty pieces.
    if (delta === "") return []
    const isNew = this.#block?.kind !== kind
    const opened: Array<Chunk> = isNew ? [...this.#endBlock()] : []
    if (isNew) {
      const isFirst = kind === "TEXT" && !this.#messages.slice(this.#stood).some(({ id }) => id === this.#turn)
      const id = isFirst ? this.#turn : `${this.#turn}:${++this.#blocks}`
      this.#block = { kind, id }
      if (kind === "TEXT") opened.push({ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant", ...this.#tag })
      else {
        opened.push({ type: "REASONING_START", messageId: id, ...this.#tag })
        opened.push({ type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning", ...this.#tag })
        this.#messages.push({ id, role: "reasoning", content: "", ...this.#tag })
      }
    }
    const messageId = this.#block?.id ?? this.#turn
    if (kind === "TEXT") {
      const message = this.#assistant(messageId)
      message.content = (message.content ?? "") + delta
    } else {
      const place = this.#messages.findLastIndex(({ id, role }) => id === messageId && role === "reasoning")
      const message = this.#messages[place]
      if (message?.role === "reasoning") this.#messages[place] = { ...message, content: message.content + delta }
    }
    return [...opened, { type: `${kind}_MESSAGE_CONTENT`, messageId, delta, ...this.#tag }]
  }

  #announce(id: string, name: string): ReadonlyArray<Chunk> {
    if (this.#calls.has(id)) return []
    this.#calls.set(id, { name, text: "", state: "open" })
    const parent = this.#turn === "" ? {} : { parentMessageId: this.#turn }
    return [
      ...this.#endBlock(),
      { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, ...parent, ...this.#tag }
    ]
  }

  /** Tells a call whole, as far as the page does not have it yet. */
  #tell(call: Call): ReadonlyArray<Chunk> {
    const started = this.#announce(call.id, call.name)
    const known = this.#calls.get(call.id)
    if (known === undefined || known.state !== "open") return started
    known.state = "whole"
    const isWhole = known.text !== ""
    if (!isWhole) {
      const shown = this.#show({ _tag: "Arguments", tool: call.name, value: argumentsOf(call) })
      known.text = JSON.stringify(shown ?? {})
    }
    const message = this.#assistant(this.#turn)
    message.toolCalls = [
      ...(message.toolCalls ?? []),
      { id: call.id, type: "function", function: { name: call.name, arguments: known.text } }
    ]
    return [
      ...started,
      ...(isWhole ? [] : [{ type: "TOOL_CALL_ARGS", toolCallId: call.id, delta: known.text, ...this.#tag } as const]),
      { type: "TOOL_CALL_END", toolCallId: call.id, ...this.#tag }
    ]
  }

  #finish(call: Call, outcome: Outcome): ReadonlyArray<Chunk> {
    if (this.#calls.get(call.id)?.state === "over") return []
    const before = this.#tell(call)
    if (outcome._tag === "Deferred") return before
    const known = this.#calls.get(call.id)
    if (known !== undefined) known.state = "over"
    const messageId = `${call.id}:result`
    const content = contentOf(this.#show, call.name, outcome)
    this.#messages.push({ id: messageId, role: "tool", toolCallId: call.id, content, ...this.#tag })
    return [
      ...before,
      ...this.#endAgent(call, outcome),
      // A second message with the result would stand beside the page's own.
      ...(this.#answered.includes(call.id)
        ? []
        : [{ type: "TOOL_CALL_RESULT", messageId, toolCallId: call.id, role: "tool", content, ...this.#tag } as const])
    ]
  }

  #endAgent({ id, name }: Pick<Call, "id" | "name">, outcome?: Outcome): ReadonlyArray<Chunk> {
    const agent = this.#agents.get(id)
    if (agent === undefined) return []
    this.#agents.delete(id)
    return [
      ...agent.end(),
      outcome?._tag === "Success"
        ? { type: "SUBAGENT_FINISHED", subagentRunId: id }
        : {
            type: "SUBAGENT_ERROR",
            subagentRunId: id,
            message: shownError(this.#show, name, outcome?.text ?? "It was stopped")
          }
    ]
  }

  #progress(call: Call, value: unknown): ReadonlyArray<Chunk> {
    // Here `show` chooses whether anything of a sub-agent is seen; what of each thing, where the event is pushed.
    const seen = isOfSubAgent(value) ? shownOfSubAgent(Show.everything, value) : value
    if (seen === undefined) return []
    const given = this.#show({ _tag: "Progress", tool: call.name, value: seen })
    if (given === undefined) return []
    if (isOfSubAgent(given)) {
      // Of a sub-agent's own events `show` has made one that is the end of a run.
      if (given._tag === "Done") return []
      const known = this.#agents.get(call.id)
      const agent = known ?? new Story({ show: this.#show, run: call.id })
      this.#agents.set(call.id, agent)
      const started = {
        type: "SUBAGENT_STARTED",
        subagentRunId: call.id,
        name: call.name,
        parentToolCallId: call.id
      } as const
      return [...(known === undefined ? [started] : []), ...agent.push(callWithin(call.id, given))]
    }
    const about = { toolCallId: call.id, toolName: call.name, value: JsonValue.attempt(given) }
    return [{ type: "CUSTOM", name: "progress", value: about, ...this.#tag }]
  }

  #endStep(): ReadonlyArray<Chunk> {
    const stepName = this.#step
    this.#step = undefined
    const open = [...this.#calls].filter(([, { state }]) => state === "open")
    const ends = open.map(([toolCallId, call]): Chunk => {
      call.state = "whole"
      return { type: "TOOL_CALL_END", toolCallId, ...this.#tag }
    })
    return [
      ...this.#endBlock(),
      ...ends,
      ...(stepName === undefined ? [] : [{ type: "STEP_FINISHED", stepName, ...this.#tag } as const])
    ]
  }
}

type Call = Extract<Event, { readonly _tag: "CallStarted" }>["call"]

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

export const filePart = (mediaType: string, source: Source): ContentPart => ({
  type: mediaType.startsWith("image/") ? "image" : "document",
  source
})
