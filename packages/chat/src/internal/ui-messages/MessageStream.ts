/** What the UI message stream makes of the events of a run. */
import type { Json } from "@wield/core"
import * as JsonValue from "@wield/core/Json"
import type { Event } from "../../Chat.js"
import * as Show from "../../Show.js"
import type { Chunk, EncodeOptions, Metadata, RequestData } from "../../UiMessages.js"
import {
  argumentsOf,
  deferredOutcome,
  isMistake,
  isOfSubAgent,
  isPiece,
  type Outcome,
  shownError,
  shownOfSubAgent,
  shownSources,
  withoutFiles
} from "../parts.js"

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

/** The message that one run draws, or goes on in. */
export class MessageStream {
  readonly #show: Show.Show
  readonly #version: 5 | 6 | 7
  readonly #message: string | undefined
  #isStarted = false
  #isInStep = false
  #turns = 0
  #turn = ""
  /** Whether calls of the turn have run: what broke off behind them stays, in the conversation too. */
  #hasRun = false
  #blocks = 0
  #block: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined
  /** The calls of the response that is being written, by their place. */
  readonly #written = new Map<number, { readonly id: string; readonly name: string }>()
  /** What the page knows of each call. */
  readonly #calls = new Map<string, "written" | "known" | "over">()
  /** The calls whose sub-agents have gone on after what was answered. */
  readonly #goneOn = new Set<string>()
  #usage: Metadata["usage"]

  constructor({ message, show = Show.everything, version = 6 }: EncodeOptions) {
    this.#show = show
    this.#version = version
    this.#message = message
  }

  push(event: Event): ReadonlyArray<Chunk> {
    // It ends a call of a message before this one, which a killed process has left; the page has no such call here.
    if (this.#turns === 0 && this.#message === undefined && "call" in event) return []
    switch (event._tag) {
      case "TurnStarted": {
        const before = [...this.#start(this.#message ?? event.entry), ...this.#finishStep()]
        this.#turns++
        this.#turn = event.entry
        this.#hasRun = false
        this.#isInStep = true
        this.#written.clear()
        return [...before, { type: "start-step" }]
      }
      case "TextDelta":
      case "RefusalDelta":
        return this.#piece("text", event.text)
      case "ReasoningDelta": {
        const text = this.#show({ _tag: "Reasoning", value: event.text })
        return typeof text === "string" ? this.#piece("reasoning", text) : []
      }
      case "CallAnnounced":
        this.#written.set(event.index, event)
        this.#calls.set(event.id, "written")
        return [...this.#end(), { type: "tool-input-start", toolCallId: event.id, toolName: event.name }]
      case "ArgumentsDelta": {
        const call = this.#written.get(event.index)
        // Where the program chooses what is seen of arguments, pieces of them say too much.
        return call === undefined || this.#show !== Show.everything || this.#calls.get(call.id) !== "written"
          ? []
          : [{ type: "tool-input-delta", toolCallId: call.id, inputTextDelta: event.text }]
      }
      case "CallStarted":
        return [...this.#start(), ...this.#available(event.call)]
      case "CallProgress": {
        const { call, value } = event
        // Of a sub-agent, each step and not each piece.
        if (isPiece(value)) return []
        const inner = isOfSubAgent(value) ? shownOfSubAgent(this.#show, value) : value
        const given = inner === undefined ? undefined : this.#show({ _tag: "Progress", tool: call.name, value: inner })
        const data = { toolCallId: call.id, toolName: call.name, value: JsonValue.attempt(given) }
        return [
          ...this.#start(),
          ...(given === undefined ? [] : [{ type: "data-progress", id: call.id, data } as const]),
          ...this.#endWithin(call, value)
        ]
      }
      case "CallFinished":
        return [...this.#start(), ...this.#finished(event.call, event.outcome)]
      case "TurnBroken": {
        const unfinished = [...this.#calls].filter(([, known]) => known === "written")
        const names = new Map([...this.#written.values()].map(({ id, name }) => [id, name]))
        for (const [id] of unfinished) this.#calls.set(id, "over")
        if (this.#version === 7 && this.#isInStep && !this.#hasRun)
          return [...this.#end(), { type: "reset-step" }, ...this.#finishStep()]
        const errors = unfinished.map(([toolCallId]): Chunk => ({
          type: "tool-input-error",
          toolCallId,
          toolName: names.get(toolCallId) ?? "",
          input: {},
          errorText: "The model's answer broke off"
        }))
        return [...this.#end(), ...errors, ...this.#finishStep()]
      }
      case "TurnFinished": {
        const sources = shownSources(this.#show, event)
        const chunks = sources.map((source, index): Chunk => ({
          type: "source-url",
          sourceId: `${event.entry}-${index + 1}`,
          ...source
        }))
        return chunks.length === 0
          ? this.#finishStep()
          : [...this.#start(), ...this.#end(), ...chunks, ...this.#finishStep()]
      }
      case "UsageKnown":
        this.#usage = event.total
        return []
      case "MessageTaken":
      case "ModelGaveWay":
        return []
      case "Failed": {
        // Without it a page takes calls that are over for a request to go on, and sends it by itself.
        const interrupted: ReadonlyArray<Chunk> =
          this.#version === 7 ? [{ type: "finish", finishReason: "interrupted" }] : []
        return [
          ...this.#start(),
          ...this.#finishStep(),
          ...(event.code === "Stopped"
            ? [...interrupted, { type: "abort", reason: event.message } as const]
            : [{ type: "error", errorText: event.message } as const])
        ]
      }
      case "Done":
        return this.#done(event.result)
    }
  }

  #end(): ReadonlyArray<Chunk> {
    const ended = this.#block
    this.#block = undefined
    return ended === undefined ? [] : [{ type: `${ended.kind}-end`, id: ended.id }]
  }

  #piece(kind: "text" | "reasoning", delta: string): ReadonlyArray<Chunk> {
    if (this.#block?.kind === kind) return [{ type: `${kind}-delta`, id: this.#block.id, delta }]
    const before = this.#end()
    const id = `${this.#turn}:${this.#blocks++}`
    this.#block = { kind, id }
    return [...before, { type: `${kind}-start`, id }, { type: `${kind}-delta`, id, delta }]
  }

  #start(messageId = this.#message): ReadonlyArray<Chunk> {
    if (this.#isStarted) return []
    this.#isStarted = true
    return [{ type: "start", ...(messageId === undefined ? {} : { messageId }) }]
  }

  #finishStep(): ReadonlyArray<Chunk> {
    if (!this.#isInStep) return this.#end()
    this.#isInStep = false
    return [...this.#end(), { type: "finish-step" }]
  }

  #shown(tool: string, value: unknown): unknown {
    return this.#show({ _tag: "Arguments", tool, value })
  }

  #available(call: Call): ReadonlyArray<Chunk> {
    const known = this.#calls.get(call.id)
    // What was called before this run began is known to the page.
    if (known === "known" || known === "over" || this.#turns === 0) return []
    this.#calls.set(call.id, "known")
    this.#hasRun = true
    return [
      ...this.#end(),
      {
        type: "tool-input-available",
        toolCallId: call.id,
        toolName: call.name,
        input: this.#shown(call.name, argumentsOf(call)) ?? {}
      }
    ]
  }

  /** A call of a sub-agent that waits is a part of its own, of a tool that the page need not know. */
  #availableWithin({ call, name }: WaitingCall): ReadonlyArray<Chunk> {
    this.#calls.set(call.id, "known")
    const input = this.#shown(name, argumentsOf(call)) ?? {}
    return [...this.#end(), { type: "tool-input-available", toolCallId: call.id, toolName: name, input }]
  }

  #defer(call: Call, outcome: Outcome): ReadonlyArray<Chunk> {
    const { input, requestId = "", waitsFor, why } = outcome
    if (waitsFor === undefined || waitsFor === "client") return []
    if (waitsFor === "approval" && this.#version > 5) {
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

  #finished(call: Call, outcome: Outcome): ReadonlyArray<Chunk> {
    const toolCallId = call.id
    if (outcome._tag === "Deferred") {
      const before = this.#available(call)
      // The end of the run asks for what was not asked here.
      this.#calls.set(call.id, "known")
      return [...before, ...this.#defer(call, outcome)]
    }
    if (this.#calls.get(call.id) === "over") return []
    if (isMistake(outcome)) {
      const input = this.#shown(call.name, argumentsOf(call)) ?? {}
      this.#calls.set(call.id, "over")
      this.#hasRun = true
      const errorText = shownError(this.#show, call.name, outcome.text ?? "")
      return [...this.#end(), { type: "tool-input-error", toolCallId, toolName: call.name, input, errorText }]
    }
    const before = this.#available(call)
    this.#calls.set(call.id, "over")
    if (outcome._tag === "Success") {
      const files = (outcome.images ?? []).map(({ data, mediaType }): Chunk => ({
        type: "file",
        mediaType,
        url: `data:${mediaType};base64,${data}`
      }))
      const output = this.#show({ _tag: "Result", tool: call.name, value: withoutFiles(outcome.value) })
      return [
        ...before,
        { type: "tool-output-available", toolCallId, output: output === undefined ? null : output },
        ...(output === undefined ? [] : files)
      ]
    }
    if (outcome._tag === "Denied" && this.#version > 5) return [...before, { type: "tool-output-denied", toolCallId }]
    return [
      ...before,
      { type: "tool-output-error", toolCallId, errorText: shownError(this.#show, call.name, outcome.text ?? "") }
    ]
  }

  /** A call that waited within a sub-agent ends before the sub-agent's model is asked again. */
  #endWithin(call: Call, value: unknown): ReadonlyArray<Chunk> {
    if (this.#turns > 0 || this.#goneOn.has(call.id) || !isOfSubAgent(value)) return []
    if (value._tag === "TurnStarted") this.#goneOn.add(call.id)
    if (value._tag !== "CallProgress" && value._tag !== "CallFinished") return []
    const inner = { ...value.call, id: `${call.id}/${value.call.id}` }
    if (value._tag === "CallProgress") return this.#endWithin(inner, value.value)
    return value.outcome._tag === "Deferred" ? [] : this.#finished(inner, value.outcome)
  }

  #done(result: Done): ReadonlyArray<Chunk> {
    // A run that only asks again has named no call.
    const again =
      result._tag === "Paused" ? result.requests.filter(({ call }) => this.#calls.get(call.id) !== "known") : []
    const known = this.#usage ?? (Object.keys(result.usage).length === 0 ? undefined : result.usage)
    return [
      ...this.#start(),
      ...this.#finishStep(),
      ...again.flatMap((request) => [
        ...(request.within === undefined ? [] : this.#availableWithin(request)),
        ...this.#finished(request.call, deferredOutcome(request))
      ]),
      {
        type: "finish",
        finishReason: finishReasonOf(result, this.#version),
        ...(known === undefined ? {} : { messageMetadata: { usage: known } })
      }
    ]
  }
}
