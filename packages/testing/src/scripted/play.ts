/** Plays a scripted turn as the events of a streamed response, in a provider's order. */
import type { ModelError } from "@wield/agent"
import type { Json, TurnEvent } from "@wield/core"
import { aCount, anything, aText, type Checks, fields } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as Turn from "@wield/core/Turn"
import * as Stream from "effect/Stream"
import type { Options, Part, ScriptedTurn } from "../ScriptedModel.js"

/** The place of a turn among those of its model. */
interface Place {
  /** From 1. */
  readonly turn: number
  /** The number of its first call, from 1. */
  readonly firstCall: number
}

export const checkOptions = fields({
  id: aText,
  format: aText,
  deltaCharacters: aCount,
  usage: anything
} satisfies Checks<Options>)

const defaultUsage: Turn.Usage = { ...Turn.unknownUsage, input: 100, output: 10 }

export const play = (
  scripted: ScriptedTurn,
  place: Place,
  options: Options
): Stream.Stream<TurnEvent.TurnEvent, ModelError.ModelError> => {
  const { error } = scripted
  if (error !== undefined && scripted.parts.length === 0) return Stream.fail(error)
  const parts = numberCalls(scripted.parts, place.firstCall)
  const events = eventsOf(parts, options.deltaCharacters ?? 8)
  // The tokens of a turn that breaks off are unknown, unless the script has them.
  const usual = error === undefined ? (options.usage ?? defaultUsage) : Turn.unknownUsage
  const usage = parts.findLast((part) => part._tag === "Usage")?.usage ?? usual
  const turn = endTurn(parts, { scripted, place, options, usage })
  const ending: ReadonlyArray<TurnEvent.TurnEvent> = [
    ...(error === undefined ? [{ _tag: "UsageKnown", usage } as const] : []),
    { _tag: "Finished", turn }
  ]
  const all = Stream.concat(events, Stream.fromIterable(ending))
  // One event in each chunk, so that no reader is ahead of the model.
  const whole = Stream.rechunk(all, 1)
  return error === undefined ? whole : Stream.concat(whole, Stream.fail(error))
}

type NumberedPart = Exclude<Part, { readonly _tag: "Call" }> | CallPart

interface CallPart {
  readonly _tag: "Call"
  /** The index among the calls for the application. */
  readonly index: number
  readonly isPartial: boolean
  /** The arguments as they stream. */
  readonly text: string
  readonly part: Turn.CallPart
}

const numberCalls = (parts: ReadonlyArray<Part>, firstCall: number): ReadonlyArray<NumberedPart> => {
  let number = firstCall
  let index = 0
  return parts.map((part): NumberedPart => {
    if (part._tag !== "Call") return part
    const id = part.id ?? `call_${number}`
    number++
    return {
      _tag: "Call",
      index: part.executedBy === "application" ? index++ : -1,
      isPartial: part.isPartial,
      text: typeof part.arguments === "string" ? part.arguments : (JSON.stringify(part.arguments) ?? ""),
      part: {
        _tag: "Call",
        call: ToolCall.make(id, part.name, part.arguments),
        executedBy: part.executedBy,
        nativeName: part.name,
        nativeId: id
      }
    }
  })
}

const eventsOf = (parts: ReadonlyArray<NumberedPart>, deltaCharacters: number): Stream.Stream<TurnEvent.TurnEvent> =>
  parts.reduce<Stream.Stream<TurnEvent.TurnEvent>>((before, part) => {
    if (part._tag === "Wait") return Stream.concat(before, Stream.execute(part.effect))
    const events = eventsOfPart(part, deltaCharacters)
    return events.length === 0 ? before : Stream.concat(before, Stream.fromIterable(events))
  }, Stream.empty)

const eventsOfPart = (part: NumberedPart, deltaCharacters: number): ReadonlyArray<TurnEvent.TurnEvent> => {
  switch (part._tag) {
    case "Text":
    case "Reasoning":
    case "Refusal":
      return deltas(part.text, deltaCharacters).map((text) => ({ _tag: `${part._tag}Delta`, text }) as const)
    case "Call": {
      // A call that the provider runs has no events.
      if (part.part.executedBy === "provider") return []
      const { index } = part
      const { id, name } = part.part.call
      return [
        { _tag: "CallStarted", index, id, name },
        ...deltas(part.text, deltaCharacters).map((text) => ({ _tag: "ArgumentsDelta", index, text }) as const),
        ...(part.isPartial ? [] : [{ _tag: "CallComplete", index, part: part.part } as const])
      ]
    }
    default:
      return []
  }
}

/** No delta splits a surrogate pair. */
const deltas = (text: string, characters: number): ReadonlyArray<string> => {
  const points = [...text]
  const length = Math.max(1, Math.trunc(characters))
  return Array.from({ length: Math.ceil(points.length / length) }, (_, index) =>
    points.slice(index * length, (index + 1) * length).join("")
  )
}

const endTurn = (
  numbered: ReadonlyArray<NumberedPart>,
  from: {
    readonly scripted: ScriptedTurn
    readonly place: Place
    readonly options: Options
    readonly usage: Turn.Usage
  }
): Turn.Turn => {
  const { options, place, scripted } = from
  const parts = numbered.flatMap((part): ReadonlyArray<Turn.Part> => {
    if (part._tag === "Call") return part.isPartial ? [] : [part.part]
    return part._tag === "Text" || part._tag === "Reasoning" || part._tag === "Refusal" ? [part] : []
  })
  const isComplete = scripted.error === undefined
  const stated = numbered.findLast((part) => part._tag === "Finish")?.finish
  const waits = parts.some((part) => part._tag === "Call" && part.executedBy === "application")
  const finish = !isComplete ? "error" : (stated ?? (waits ? "calls" : "stop"))
  return {
    format: options.format ?? "scripted",
    id: `turn_${place.turn}`,
    model: options.id ?? "scripted",
    parts,
    usage: from.usage,
    finish,
    nativeFinish: isComplete ? finish : undefined,
    native: [nativeOf(parts, place)],
    isComplete
  }
}

/** A message that differs from every other turn's, so that a test recognises it. */
const nativeOf = (parts: ReadonlyArray<Turn.Part>, place: Place): Json.JsonObject => ({
  role: "assistant",
  turn: place.turn,
  text: parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join(""),
  calls: parts.flatMap((part) => (part._tag === "Call" ? [part.call.id] : []))
})

/** Makes a turn of one part from a part. */
export const turnOf = (step: Part | ScriptedTurn | ReadonlyArray<Part>): ScriptedTurn =>
  "_tag" in step
    ? step._tag === "ScriptedTurn"
      ? step
      : { _tag: "ScriptedTurn", parts: [step], error: undefined }
    : { _tag: "ScriptedTurn", parts: step, error: undefined }

/** The number of ids that a turn uses. */
export const callCount = (turn: ScriptedTurn): number => turn.parts.filter((part) => part._tag === "Call").length
