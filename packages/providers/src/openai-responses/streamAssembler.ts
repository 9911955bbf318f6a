/**
 * The events of a streamed response as turn events, and the turn that they add
 * up to.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
import type { TurnEvent } from "@wield/core"
import { Json } from "@wield/core"
import type { ApiError } from "../ApiError.js"
import { objectField, stringField, wireError } from "../internal/wireField.js"
import type { Fields } from "../internal/wireField.js"
import type { Assembler, Pushed } from "../StreamDecoder.js"
import { streamedError } from "./decodeError.js"
import { mergeItems } from "./mergeItems.js"
import { name } from "./name.js"
import type { Tools } from "./responseTurn.js"
import { responseTurn } from "./responseTurn.js"
import { withoutLooseReasoning } from "./sayParts.js"
import { partialItem } from "./streamItem.js"
import { makeStreamItems } from "./streamItems.js"
import { usageOf } from "./usage.js"

type Events = Array<TurnEvent.TurnEvent>

export const streamAssembler = (tools: Tools): Assembler => {
  let response: Fields = {}
  let isEnded = false
  let error: ApiError | undefined
  const items = makeStreamItems(tools, () => response)

  const failed = (event: Fields, events: Events): Pushed => {
    error = streamedError(event)
    return { events, failure: error }
  }

  /** The response as the event has it; its last state ends the stream. */
  const readResponse = (state: string, event: Fields, events: Events): Pushed => {
    // Some servers leave out of the last event what the first one has said.
    response = { ...response, ...objectField(event, "response") }
    if (Json.isObject(response["usage"])) events.push({ _tag: "UsageKnown", usage: usageOf(response["usage"]) })
    if (!endings.has(state)) return { events }
    isEnded = true
    const output: ReadonlyArray<unknown> = Array.isArray(response["output"]) ? response["output"] : []
    const merged = mergeItems(output.filter(Json.isObject), items.all())
    items.finishAll(merged, events)
    response = { status: state, ...response, output: merged.map(({ item }) => item) }
    return state === "failed" ? failed(response, events) : { events }
  }

  return {
    push: (message, eventName) => {
      const events: Events = []
      if (!Json.isObject(message)) return { events, failure: wireError(name, [], "an event object", message) }
      // What comes after the end of the response is none of it.
      if (isEnded) return { events }
      const type = stringField(message, "type") ?? eventName ?? ""
      if (type === "error" || (type === "" && message["error"] !== undefined)) return failed(message, events)
      const [, state = ""] = /^response\.([a-z_]+)$/.exec(type) ?? []
      if (states.has(state)) return readResponse(state, message, events)
      items.read(type, message, events)
      return { events }
    },
    end: (isWhole) => {
      const events: Events = []
      if (isEnded) {
        // All of them are objects: they were put there by `readResponse`.
        return {
          events,
          turn: responseTurn(response, response["output"] as ReadonlyArray<Fields>, tools, items.placeOf)
        }
      }
      items.finishHeld(events)
      const partial = items
        .all()
        .map((each) => (each.isDone ? each.item : partialItem(each)))
        .filter((item) => item !== undefined)
      const turn = responseTurn(response, partial, tools, items.placeOf)
      // In background mode the API goes on after the stream, and is asked for the rest.
      const isBackground = isWhole && response["background"] === true
      return {
        events,
        turn: {
          ...turn,
          ...(isBackground
            ? { finish: "background" }
            : { finish: isWhole ? "other" : "error", nativeFinish: error?.code, isComplete: false }),
          native: withoutLooseReasoning(turn.native)
        }
      }
    }
  }
}

const endings: ReadonlySet<string> = new Set(["completed", "incomplete", "failed", "cancelled"])
const states: ReadonlySet<string> = new Set([...endings, "created", "queued", "in_progress"])
