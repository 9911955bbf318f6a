/**
 * The messages of a request in Wield's words; what each was stays beside it.
 */
import type { Loss, Message, ToolResult, Turn } from "@wield/core"
import { Content, Json } from "@wield/core"
import * as Either from "effect/Either"
import type { Fields } from "../../internal/wireField.js"
import { stringField, wireError } from "../../internal/wireField.js"
import type { WireError } from "../../WireError.js"
import { applicationCalls } from "./assistantMessage.js"
import { callIds, sentId } from "./callIds.js"
import type { ChatDialect } from "./ChatDialect.js"
import { messageParts } from "./messageParts.js"

type Decoded = Either.Either<ReadonlyArray<Message.Message>, WireError>

export const decodeMessages = (
  dialect: ChatDialect,
  history: ReadonlyArray<unknown>,
  losses: Array<Loss.Loss>
): Decoded => {
  const out: Array<Message.Message> = []
  const open = new OpenCalls()
  for (const [index, message] of history.entries()) {
    if (!Json.isObject(message)) return Either.left(wireError(dialect.name, ["messages", index], "a message", message))
    // A message of a body that was parsed from JSON is JSON.
    const native = { format: dialect.name, json: [message as Json.JsonObject] }
    const subject = `message ${index}`
    switch (message["role"]) {
      case "system":
      case "developer":
        out.push({ _tag: "System", text: textOf(message["content"]), native })
        break
      case "user":
        out.push({ _tag: "User", content: userContent(dialect, message["content"], subject, losses), native })
        break
      case "assistant": {
        const parts = assistantParts(dialect, message, index)
        if (Either.isLeft(parts)) return Either.left(parts.left)
        open.add(parts.right, out.at(-1)?._tag === "Assistant")
        out.push({ _tag: "Assistant", parts: parts.right, native })
        break
      }
      case "tool":
      case "function": {
        const result = resultOf(dialect, message, open, subject, losses)
        const last = out.at(-1)
        // The results of one turn come one message each.
        if (last?._tag !== "Results") out.push({ _tag: "Results", results: [result], native })
        else {
          out[out.length - 1] = {
            _tag: "Results",
            results: [...last.results, result],
            native: { format: dialect.name, json: [...(last.native?.json ?? []), ...native.json] }
          }
        }
        break
      }
      default:
        losses.push({
          subject,
          path: ["role"],
          keyword: stringField(message, "role") ?? "role",
          reason: "There is no word for a message of this role; it is kept for this API only."
        })
        out.push({ _tag: "User", content: [], native })
    }
  }
  return Either.right(out)
}

/** As `decodeTurn` reads them; ids that the message leaves out are made of its place. */
const assistantParts = (dialect: ChatDialect, message: Fields, index: number) =>
  messageParts(
    dialect.name,
    message,
    {
      callId: callIds(dialect, `m${index}`),
      fromNative: (native) => native,
      readArguments: (_, sent) => sent,
      format: dialect.name
    },
    ["messages", index]
  )

/** The calls that wait for a result, in their order. */
class OpenCalls {
  #calls: Array<Turn.CallPart> = []

  /** Results follow their calls, so that those of earlier turns wait no more; a turn may be split over messages. */
  add(parts: ReadonlyArray<Turn.Part>, isSameTurn: boolean): void {
    this.#calls = [...(isSameTurn ? this.#calls : []), ...applicationCalls(parts)]
  }

  /** The call that a result belongs to: that of its id, of its tool's name, or the first. */
  take(id: string | undefined, name: string | undefined): Turn.CallPart | undefined {
    const at = this.#calls.findIndex(({ call, nativeName }) =>
      id !== undefined ? call.id === id : name === undefined || nativeName === name
    )
    return at === -1 ? undefined : this.#calls.splice(at, 1)[0]
  }
}

const resultOf = (
  dialect: ChatDialect,
  message: Fields,
  open: OpenCalls,
  subject: string,
  losses: Array<Loss.Loss>
): ToolResult.ToolResult => {
  const id = sentId(dialect, message["tool_call_id"])
  const name = stringField(message, "name")
  const part = open.take(id, name)
  return {
    id: id ?? part?.call.id ?? "",
    name: part?.call.name ?? name ?? "",
    isError: false,
    content: userContent(dialect, message["content"], subject, losses)
  }
}

/** Text, or a list of parts; a part without words here is a loss. */
const userContent = (
  dialect: ChatDialect,
  content: unknown,
  subject: string,
  losses: Array<Loss.Loss>
): ReadonlyArray<Content.Part> => {
  if (typeof content === "string") return [Content.text(content)]
  if (!Array.isArray(content)) return []
  return content.flatMap((item: unknown, index) => {
    if (typeof item === "string") return [Content.text(item)]
    const text = Json.isObject(item) ? stringField(item, "text") : undefined
    const part =
      text !== undefined ? Content.text(text) : Json.isObject(item) ? dialect.decodeUserPart(item) : undefined
    if (part !== undefined) return [part]
    losses.push({
      subject,
      path: ["content", index],
      keyword: (Json.isObject(item) ? stringField(item, "type") : undefined) ?? "content",
      reason: "There is no word for this part; it is kept for this API only."
    })
    return []
  })
}

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((item: unknown) =>
      typeof item === "string" ? item : Json.isObject(item) ? (stringField(item, "text") ?? "") : ""
    )
    .join("")
}
