/** What both protocols read of events and messages. */
import * as AgentEvent from "@wield/agent/AgentEvent"
import type { DeferredCall } from "@wield/agent"
import * as Content from "@wield/core/Content"
import type { Turn } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Schema from "effect/Schema"
import type { Event, Past } from "../Chat.js"
import * as Show from "../Show.js"

export type Outcome = Extract<Event, { readonly _tag: "CallFinished" }>["outcome"]

/** The arguments as JSON, where the model sent them as text. */
export const argumentsOf = (call: { readonly arguments?: unknown }): unknown => {
  if (typeof call.arguments !== "string") return call.arguments ?? {}
  try {
    const parsed: unknown = JSON.parse(call.arguments)
    return parsed
  } catch {
    return call.arguments
  }
}

/** What the page sees of an item; text that is cut short says why. */
export const shownError = (show: Show.Show, tool: string, text: string): string => {
  const value = show({ _tag: "Error", tool, value: text })
  return typeof value === "string" ? value : "The call has no result"
}

/** Whether the calls ended before they began: the model has to send them otherwise. */
export const isMistake = ({ _tag }: Outcome): boolean =>
  _tag === "InvalidArguments" || _tag === "UnknownTool" || _tag === "Unavailable"

/** A result without the bytes of images and files, which come by themselves. */
export const withoutFiles = (value: unknown): unknown => {
  // No other result has the mark: the runner refuses it.
  const parts = Json.isObject(value) && value["_tag"] === Content.Answer._tag ? value["parts"] : value
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every(isPart)) return value
  const left = parts.flatMap((part) =>
    part._tag === "Text" ? [part.text] : part._tag === "JsonValue" ? [part.value] : []
  )
  return left.length === 1 ? left[0] : left.every((part) => typeof part === "string") ? left.join("\n") : left
}

/** A part of content, in the program or as JSON. */
const isPart = (value: unknown): value is Content.Part =>
  Json.isObject(value) && ["Text", "JsonValue", "Image", "File"].some((tag) => value["_tag"] === tag)

/** An event of a sub-agent, where a call reports one. */
export const isOfSubAgent = Schema.is(AgentEvent.Json)

/** An event of a sub-agent as the page sees it: of each thing in it what is shown of such a thing, and nothing of the inside. */
export const shownOfSubAgent = (show: Show.Show, event: AgentEvent.Json): AgentEvent.Json | undefined => {
  switch (event._tag) {
    case "ReasoningDelta": {
      const text = show({ _tag: "Reasoning", value: event.text })
      return typeof text === "string" ? { ...event, text } : undefined
    }
    case "CallStarted":
      return { _tag: "CallStarted", call: shownCall(show, event.call) }
    case "CallProgress": {
      const { call, value } = event
      const inner = isOfSubAgent(value) ? shownOfSubAgent(show, value) : value
      const given = inner === undefined ? undefined : show({ _tag: "Progress", tool: call.name, value: inner })
      return given === undefined ? undefined : { _tag: "CallProgress", call: shownCall(show, call), value: given }
    }
    case "CallFinished": {
      const { call, outcome } = event
      const { _tag, images, isError, text, value } = outcome
      const result =
        _tag === "Success" ? show({ _tag: "Result", tool: call.name, value: withoutFiles(value) }) : undefined
      const shown =
        _tag === "Success"
          ? { value: result ?? null, ...(result === undefined || images === undefined ? {} : { images }) }
          : text === undefined
            ? {}
            : { text: shownError(show, call.name, text) }
      return { _tag: "CallFinished", call: shownCall(show, call), outcome: { _tag, isError, notes: [], ...shown } }
    }
    case "TurnFinished": {
      const { sources: _, ...rest } = event
      const sources = shownSources(show, event)
      return sources.length === 0 ? rest : { ...rest, sources }
    }
    case "TurnBroken":
      return { ...event, message: "The model's answer broke off" }
    case "ArgumentsDelta":
      // Where the program chooses what is seen of arguments, pieces of them say too much.
      return show === Show.everything ? event : undefined
    // What the sub-agent asks stands in the outcome of the call; what its provider or another person said to it is inside.
    case "Done":
    case "ModelGaveWay":
    case "MessageTaken":
      return undefined
    default:
      return event
  }
}

/** Whether it is a piece of what a sub-agent says, however deep it stands. */
export const isPiece = (value: unknown): boolean =>
  isOfSubAgent(value) &&
  (value._tag === "CallProgress" ? isPiece(value.value) : /Delta$|^CallAnnounced$|^UsageKnown$/.test(value._tag))

/** A page makes links of them: what `show` gives has to be an address of the web, too. */
export const shownSources = (
  show: Show.Show,
  { sources = [] }: { readonly sources?: ReadonlyArray<Turn.Source> }
): ReadonlyArray<Turn.Source> =>
  sources.flatMap((source) => {
    const shown = show({ _tag: "Source", value: source })
    if (!Json.isObject(shown) || typeof shown["url"] !== "string" || !/^https?:\/\//i.test(shown["url"])) return []
    const { title, url } = shown
    return [{ url, ...(typeof title === "string" ? { title } : {}) }]
  })

type Call = Extract<AgentEvent.Json, { readonly _tag: "CallStarted" }>["call"]

const shownCall = (show: Show.Show, call: Call): Call => {
  const shown = show({ _tag: "Arguments", tool: call.name, value: argumentsOf(call) })
  return { id: call.id, name: call.name, ...(shown === undefined ? {} : { arguments: shown }) }
}

/** A message of the user, and what was done then, as events. */
export interface Chapter {
  readonly asked: { readonly id: string; readonly content: ReadonlyArray<Content.Part> } | undefined
  readonly events: ReadonlyArray<Event>
}

/** The recorded past, with what waits at its end. */
export const chaptersOf = ({ entries, requests }: Past): ReadonlyArray<Chapter> => {
  const chapters: Array<Chapter> = []
  for (let place = 0; place < entries.length;) {
    const entry = entries[place]
    const asked = entry?.message._tag === "User" ? { id: entry.id, content: entry.message.content } : undefined
    const from = asked === undefined ? place : place + 1
    let end = from
    while (end < entries.length && entries[end]?.message._tag !== "User") end++
    const events: Array<Event> = AgentEvent.fromEntries(entries.slice(from, end)).map(AgentEvent.toJson)
    if (end === entries.length) {
      events.push(
        ...requests.map((request): Event => ({
          _tag: "CallFinished",
          call: request.call,
          outcome: deferredOutcome(request)
        }))
      )
    }
    chapters.push({ asked, events })
    place = end
  }
  return chapters
}

/** A request as the outcome of its call. */
export const deferredOutcome = (
  request: typeof DeferredCall.DeferredCall.Encoded | DeferredCall.DeferredCall
): Outcome => ({
  _tag: "Deferred",
  isError: false,
  notes: [],
  waitsFor: request.waitsFor,
  requestId: request.id,
  digest: request.digest,
  ...Json.withoutUndefined({ why: request.why, input: request.input })
})

/** A file that a page sends or gets: a data URL carries its bytes. */
export const fileOf = (mediaType: string, url: string, filename?: string): Content.Part | undefined => {
  const data = /^data:([^;,]*)(?:;[^;,]*)*;base64,(.*)$/s.exec(url)
  const type = mediaType === "" ? (data?.[1] ?? "") : mediaType
  if (type === "") return undefined
  if (data === null) {
    if (!/^https:\/\//i.test(url)) return undefined
    const source = { _tag: "Url", url } as const
    return type.startsWith("image/")
      ? new Content.Image({ mediaType: type, source })
      : new Content.File({ mediaType: type, source, ...(filename === undefined ? {} : { filename }) })
  }
  const bytes = data[2] ?? ""
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(bytes)) return undefined
  return type.startsWith("image/") ? Content.image(type, bytes) : Content.file(type, bytes, filename)
}

export const urlOf = (part: Content.Image | Content.File): string =>
  part.source._tag === "Url" ? part.source.url : `data:${part.mediaType};base64,${part.source.data}`
