/**
 * A streamed message without its calls, put together as the response that does
 * not stream has it.
 */
import type { TurnEvent } from "@wield/core"
import { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { numberField } from "../../internal/wireField.js"
import { StreamedContent } from "./streamedContent.js"
import { StreamedDetails } from "./streamedDetails.js"
import { textParts } from "./textParts.js"

type Event = TurnEvent.TurnEvent

/** Text that comes in pieces. */
const growing: ReadonlySet<string> = new Set(["refusal", "reasoning_content", "reasoning"])

/** What belongs to the stream, or is put together elsewhere. `channel` is Groq's, of gpt-oss. */
const apart: ReadonlySet<string> = new Set(["tool_calls", "function_call", "content", "index", "channel"])

export class StreamedMessage {
  readonly #content = new StreamedContent()
  readonly #texts = new Map<string, Array<string>>()
  readonly #details = new StreamedDetails()
  readonly #executed = new Map<number, Json.JsonObject>()
  readonly #audio = new Map<string, Array<string>>()
  readonly #rest = new Map<string, Json.Json>()

  /** Takes a delta in, and gives what it says besides calls. */
  add(delta: Fields): ReadonlyArray<Event> {
    this.#content.add(delta["content"])
    for (const [key, value] of Object.entries(delta)) {
      if (apart.has(key)) continue
      // A field of a message that was parsed from JSON is JSON.
      this.#addField(key, value as Json.Json)
    }
    return textParts(delta).flatMap(eventOf)
  }

  /** The message; a field of which only `null` came is `null`. */
  json(): Json.JsonObject {
    const content = this.#content.json()
    const details = this.#details.json()
    return {
      role: "assistant",
      ...(content === undefined ? {} : { content }),
      ...Object.fromEntries(this.#rest),
      ...joined(this.#texts),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...(this.#executed.size === 0 ? {} : { executed_tools: [...this.#executed.values()] }),
      ...this.#audioJson()
    }
  }

  #addField(key: string, value: Json.Json): void {
    if (value === null) {
      if (!this.#rest.has(key)) this.#rest.set(key, null)
    } else if (growing.has(key) && typeof value === "string") push(this.#texts, key, value)
    else if (key === "reasoning_details" && Array.isArray(value)) this.#details.add(value)
    else if (key === "executed_tools" && Array.isArray(value)) this.#addExecuted(value)
    else if (key === "audio" && isJsonObject(value)) this.#addAudio(value)
    else {
      const before = this.#rest.get(key)
      // Lists such as OpenRouter's `annotations` and `images` come item by item.
      this.#rest.set(key, Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value)
    }
  }

  /** Groq states a tool that it runs, and states it again with its output. */
  #addExecuted(items: ReadonlyArray<Json.Json>): void {
    for (const item of items) {
      if (!isJsonObject(item)) continue
      const index = numberField(item, "index") ?? this.#executed.size
      this.#executed.set(index, { ...this.#executed.get(index), ...item })
    }
  }

  #addAudio(audio: Json.JsonObject): void {
    for (const [key, value] of Object.entries(audio)) {
      if ((key === "transcript" || key === "data") && typeof value === "string") push(this.#audio, key, value)
      else if (value !== null) this.#rest.set("audio", { ...this.#audioRest(), [key]: value })
    }
  }

  #audioRest(): Json.JsonObject {
    const audio = this.#rest.get("audio")
    return audio !== undefined && isJsonObject(audio) ? audio : {}
  }

  #audioJson(): Json.JsonObject {
    return this.#audio.size === 0 ? {} : { audio: { ...this.#audioRest(), ...joined(this.#audio) } }
  }
}

const push = (texts: Map<string, Array<string>>, key: string, piece: string): void => {
  const pieces = texts.get(key)
  if (pieces === undefined) texts.set(key, [piece])
  else pieces.push(piece)
}

const joined = (texts: ReadonlyMap<string, ReadonlyArray<string>>): { readonly [key: string]: string } =>
  Object.fromEntries(Array.from(texts, ([key, pieces]) => [key, pieces.join("")]))

const isJsonObject = (json: Json.Json): json is Json.JsonObject => Json.isObject(json)

const eventOf = (part: ReturnType<typeof textParts>[number]): ReadonlyArray<Event> => {
  if (part._tag === "Call" || part.text === "") return []
  return [{ _tag: `${part._tag}Delta`, text: part.text }]
}
