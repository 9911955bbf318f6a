/**
 * A message as the fields of a row, and back. What these do not say (ids, images, several calls) is in the JSON of the
 * function call, beside what other programs read there.
 */
import * as Json from "@wield/core/Json"
import * as Message from "@wield/core/Message"
import * as ToolResult from "@wield/core/ToolResult"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Fields } from "./fields.js"

/** A message without what its provider sent, which no field is for. Fails on what JSON cannot say. */
export const fieldsOf = (message: Message.Message): Either.Either<Fields, string> =>
  Either.flatMap(textOf(message), (text) => {
    const { call, ...fields } = plainOf(message)
    const functionCall = call === undefined ? null : JSON.stringify(call)
    const again = messageOf({ ...fields, functionCall }, "")
    const isWhole = Either.isRight(again) && Either.getOrUndefined(textOf(again.right)) === text
    return Either.right({
      ...fields,
      // Parsed JSON is JSON.
      functionCall: isWhole ? functionCall : JSON.stringify({ ...call, message: JSON.parse(text) as Json.Json })
    })
  })

const encode = Schema.encodeEither(Schema.parseJson(Message.Message))
const decode = Schema.decodeUnknownEither(Message.Message)

const textOf = (message: Message.Message): Either.Either<string, string> =>
  Either.mapLeft(encode({ ...message, native: undefined }), () => "it holds what JSON cannot say")

type Plain = Omit<Fields, "functionCall"> & { readonly call: Json.JsonSchema | undefined }

const plainOf = (message: Message.Message): Plain => {
  switch (message._tag) {
    case "System":
      return { role: "system", content: message.text, name: null, call: undefined }
    case "User":
      return { role: "user", content: textIn(message.content), name: null, call: undefined }
    case "Assistant": {
      const first = message.parts.find((part) => part._tag === "Call")
      const content = textIn(message.parts)
      if (first === undefined) return { role: "assistant", content, name: null, call: undefined }
      const { arguments: given, id, name } = first.call
      return { role: "assistant", content, name, call: { id, name, arguments: given } }
    }
    case "Results": {
      const [first] = message.results
      const content = message.results.map(ToolResult.toText).join("\n")
      return { role: "function", content, name: first?.name ?? null, call: first && { id: first.id } }
    }
  }
}

const textIn = (parts: Message.User["content"] | Message.Assistant["parts"]): string =>
  parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("\n")

/** The message of a row, or why there is no message. A call or result without an id gets the one that is given. */
export const messageOf = (fields: Fields, id: string): Either.Either<Message.Message, string> => {
  const call = callOf(fields.functionCall)
  if (Either.isLeft(call)) return Either.left(call.left)
  const tag = Object.hasOwn(tags, fields.role.toLowerCase()) ? tags[fields.role.toLowerCase()] : undefined
  if (tag === undefined) return Either.left("its role is not one of system, user, assistant, function")
  const whole = call.right?.["message"]
  if (whole === undefined) return ofFields(tag, fields, call.right ?? {}, id)
  return Either.flatMap(
    Either.mapLeft(decode(whole), () => "its function call holds no message"),
    (message) =>
      message._tag === tag ? Either.right(message) : Either.left("its role is not that of its function call")
  )
}

const tags: { readonly [role: string]: Message.Message["_tag"] } = {
  system: "System",
  developer: "System",
  user: "User",
  assistant: "Assistant",
  function: "Results",
  tool: "Results"
}

const callOf = (text: string | null): Either.Either<Json.JsonSchema | undefined, string> => {
  if (text === null || text.trim() === "") return Either.right(undefined)
  return Either.flatMap(
    Either.try({
      try: (): unknown => Json.parse(text, { numbers: "rounded" }),
      catch: () => "its function call is no JSON"
    }),
    (call) =>
      call === null
        ? Either.right(undefined)
        : Json.isObject(call)
          ? Either.right(call)
          : Either.left("its function call is no object")
  )
}

const ofFields = (
  tag: Message.Message["_tag"],
  { content, name }: Fields,
  call: Json.JsonSchema,
  id: string
): Either.Either<Message.Message, string> => {
  const text = { _tag: "Text", text: content } as const
  const own = typeof call["id"] === "string" ? call["id"] : id
  switch (tag) {
    case "System":
      return Either.right({ _tag: "System", text: content, native: undefined })
    case "User":
      return Either.right({ _tag: "User", content: [text], native: undefined })
    case "Assistant": {
      const tool = call["name"]
      const said = content === "" ? [] : [text]
      if (typeof tool !== "string") return Either.right({ _tag: "Assistant", parts: said, native: undefined })
      const made = { id: own, name: tool, arguments: call["arguments"] ?? {} }
      const origin = { executedBy: "application", nativeName: tool, nativeId: undefined } as const
      const part = { _tag: "Call", call: made, ...origin } as const
      return Either.right({ _tag: "Assistant", parts: [...said, part], native: undefined })
    }
    case "Results":
      return name === null
        ? Either.left("a result has the name of no tool")
        : Either.right({
            _tag: "Results",
            results: [{ id: own, name, isError: false, content: [text] }],
            native: undefined
          })
  }
}
