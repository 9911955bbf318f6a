/**
 * The items of a request's input as messages. Items in a row that are one turn
 * are one message, and so are results in a row.
 */
import type { Json, Loss, Message, ToolResult } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"
import { decodeContent } from "./decodeContent.js"
import { decodeResult } from "./decodeResult.js"
import type { ItemKind } from "./itemKind.js"
import { itemKind } from "./itemKind.js"
import { name } from "./name.js"
import type { ItemReader } from "./parts.js"
import { callPart, partsOf } from "./parts.js"
import type { Tools } from "./responseTurn.js"
import { itemReader } from "./responseTurn.js"

/** Items in a row that are one message. `from` is the place of the first. */
interface Group {
  readonly kind: ItemKind
  readonly from: number
  readonly items: Array<Fields>
}

interface Called {
  readonly id: string
  readonly name: string
  readonly executedBy: "application" | "provider"
}

/** The calls of the conversation so far. */
interface Calls {
  readonly byId: Map<string, Called>
  /** Those that came without an id, whose results are told by their order. */
  readonly nameless: Array<Called>
}

export const decodeInput = (
  items: ReadonlyArray<Fields>,
  tools: Tools,
  losses: Array<Loss.Loss>
): ReadonlyArray<Message.Message> => {
  const calls: Calls = { byId: new Map(), nameless: [] }
  const groups = grouped(items, itemReader({}, [], tools), calls, losses)
  return groups.map((group) => messageOf(group, tools, calls, losses))
}

const grouped = (
  items: ReadonlyArray<Fields>,
  reader: ItemReader,
  calls: Calls,
  losses: Array<Loss.Loss>
): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  /** Items without words before the first message. */
  let loose: Array<Fields> = []
  items.forEach((item, index) => {
    const part = callPart(item, index, reader)
    if (part !== undefined) {
      const { call, executedBy, nativeId } = part
      const called = { id: call.id, name: call.name, executedBy }
      calls.byId.set(call.id, called)
      if (nativeId === undefined && executedBy === "application") calls.nameless.push(called)
    }
    const kind = itemKind(item, (id) => calls.byId.get(id)?.executedBy)
    const last = groups.at(-1)
    if (kind === undefined) {
      losses.push(wordless(item, index))
      if (last === undefined) loose.push(item)
      else last.items.push(item)
    } else if (last !== undefined && last.kind === kind && (kind === "Assistant" || kind === "Results")) {
      last.items.push(item)
    } else {
      groups.push({ kind, from: index - loose.length, items: [...loose, item] })
      loose = []
    }
  })
  return loose.length === 0 ? groups : [...groups, { kind: "Assistant", from: 0, items: loose }]
}

const messageOf = (
  { from, items, kind }: Group,
  tools: Tools,
  calls: Calls,
  losses: Array<Loss.Loss>
): Message.Message => {
  // The items of a request's body are JSON.
  const native: Message.Native = { format: name, json: items as ReadonlyArray<Json.JsonObject> }
  const subject = `input ${from}`
  switch (kind) {
    case "System":
      return { _tag: "System", text: textOf(items, subject, losses), native }
    case "User":
      return {
        _tag: "User",
        content: items.flatMap((item) => decodeContent(item["content"], subject, losses)),
        native
      }
    case "Assistant": {
      const reader = itemReader({}, items, tools)
      for (const [place, item] of items.entries()) {
        if (item["type"] === "item_reference") losses.push(referenced(from + place))
      }
      return { _tag: "Assistant", parts: partsOf(items, (_, place) => from + place, reader), native }
    }
    case "Results":
      return {
        _tag: "Results",
        results: items.flatMap((item, place) => resultOf(item, `input ${from + place}`, calls, losses)),
        native
      }
  }
}

const textOf = (items: ReadonlyArray<Fields>, subject: string, losses: Array<Loss.Loss>): string =>
  items
    .flatMap((item) => decodeContent(item["content"], subject, losses))
    .map((part) => (part._tag === "Text" ? part.text : ""))
    .join("\n\n")

const resultOf = (
  item: Fields,
  subject: string,
  calls: Calls,
  losses: Array<Loss.Loss>
): ReadonlyArray<ToolResult.ToolResult> => {
  const type = stringField(item, "type") ?? ""
  if (!type.endsWith("_output")) {
    if (type === "mcp_approval_response") losses.push(approval(subject))
    return []
  }
  const sent = stringField(item, "call_id") ?? ""
  const called = sent === "" ? calls.nameless.shift() : calls.byId.get(sent)
  return [decodeResult(item, called?.id ?? sent, called?.name ?? "", subject, losses)]
}

const wordless = (item: Fields, index: number): Loss.Loss => ({
  subject: `input ${index}`,
  path: [],
  keyword: stringField(item, "type") ?? "item",
  reason: "There are no words for this item; it is kept for the Responses API only."
})

const referenced = (index: number): Loss.Loss => ({
  subject: `input ${index}`,
  path: [],
  keyword: "item_reference",
  reason: "It refers to an item that only the API holds."
})

const approval = (subject: string): Loss.Loss => ({
  subject,
  path: [],
  keyword: "mcp_approval_response",
  reason: "It allows or forbids a call of the API's own, and is kept for the Responses API only."
})
