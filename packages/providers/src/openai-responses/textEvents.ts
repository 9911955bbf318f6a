/**
 * The events of a stream that carry text of an item, and where in the item it
 * belongs.
 */
import { Json } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { numberField, stringField } from "../internal/wireField.js"
import type { Streamed } from "./streamItem.js"

interface TextPlace {
  readonly kind: Streamed["kind"]
  readonly list: Streamed["list"]
  readonly place: number
}

export interface TextEvent extends TextPlace {
  /** The kind of item that it is of, where the item was never announced. */
  readonly itemType: string
  readonly delta: string
  /** The whole text, in the event that ends it. */
  readonly whole: string | undefined
}

interface Known extends Omit<TextPlace, "place"> {
  readonly itemType: string
  /** The field of the last event that has the whole text. */
  readonly whole: string
}

const content = { list: "content", itemType: "message" } as const
const reasoning = { kind: "reasoning", list: "content", itemType: "reasoning", whole: "text" } as const
const summary = { kind: "reasoning", list: "summary", itemType: "reasoning", whole: "text" } as const

/** Deltas of the API's own calls (code, patches, MCP servers) are left out: only their whole items count. */
const known: ReadonlyMap<string, Known> = new Map<string, Known>([
  ["response.output_text", { kind: "text", ...content, whole: "text" }],
  ["response.refusal", { kind: "refusal", ...content, whole: "refusal" }],
  ["response.reasoning_text", reasoning],
  // So named by the open-responses specification.
  ["response.reasoning", reasoning],
  ["response.reasoning_summary_text", summary],
  [
    "response.function_call_arguments",
    { kind: "arguments", list: undefined, itemType: "function_call", whole: "arguments" }
  ],
  [
    "response.custom_tool_call_input",
    { kind: "arguments", list: undefined, itemType: "custom_tool_call", whole: "input" }
  ]
])

export const textEvent = (type: string, event: Fields): TextEvent | undefined => {
  const dot = type.lastIndexOf(".")
  const ending = type.slice(dot + 1)
  const read = known.get(type.slice(0, dot))
  if (read === undefined || (ending !== "delta" && ending !== "done")) return undefined
  const { itemType, kind, list, whole } = read
  return {
    itemType,
    kind,
    list,
    place: numberField(event, list === "summary" ? "summary_index" : "content_index") ?? 0,
    delta: stringField(event, "delta") ?? "",
    whole: ending === "done" ? (stringField(event, whole) ?? "") : undefined
  }
}

/** The texts of a whole item, for what its deltas have not told. */
export const wholeTexts = (item: Fields): ReadonlyArray<TextPlace & { readonly text: string }> => {
  switch (item["type"]) {
    case "message":
      return listTexts(item["content"], "content", (piece) =>
        typeof piece["refusal"] === "string" ? "refusal" : "text"
      )
    case "reasoning": {
      const own = listTexts(item["content"], "content", () => "reasoning")
      return own.some(({ text }) => text !== "") ? own : listTexts(item["summary"], "summary", () => "reasoning")
    }
    case "function_call":
      return text("arguments", undefined, 0, item["arguments"])
    case "custom_tool_call":
      return text("arguments", undefined, 0, item["input"])
    default:
      return []
  }
}

const listTexts = (
  value: unknown,
  list: "content" | "summary",
  kindOf: (piece: Fields) => Streamed["kind"]
): ReadonlyArray<TextPlace & { readonly text: string }> => {
  if (typeof value === "string") return text("text", list, 0, value)
  if (!Array.isArray(value)) return []
  return value.flatMap((piece, place) => {
    if (!Json.isObject(piece)) return []
    const kind = kindOf(piece)
    return text(kind, list, place, kind === "refusal" ? piece["refusal"] : piece["text"])
  })
}

const text = (kind: Streamed["kind"], list: Streamed["list"], place: number, value: unknown) =>
  typeof value === "string" ? [{ kind, list, place, text: value }] : []
