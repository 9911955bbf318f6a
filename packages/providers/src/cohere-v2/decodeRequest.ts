/**
 * Cohere's Chat API: a request body in Wield's words.
 */
import type { Loss, Message } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import { decodeFunctionEntry, functionEntries } from "../internal/functionEntry.js"
import { nameMap } from "../internal/nameMap.js"
import { wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import type { Request, ToolChoice, ToolsOptions } from "../WireFormat.js"
import type { Reading } from "./decodeMessage.js"
import { decodeMessage } from "./decodeMessage.js"
import { formatName, nameRule } from "./names.js"

export const decodeRequest = (body: unknown): Either.Either<Request, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "an object with messages", body))
  const { messages: sent, ...others } = body
  if (!Array.isArray(sent)) return Either.left(wireError(formatName, ["messages"], "an array of messages", sent))
  // The body is parsed JSON.
  const { definitions, options, settings } = decodeTools(others as Json.JsonObject)
  const losses: Array<Loss.Loss> = []
  const reading: Reading = { names: nameMap(definitions, nameRule), called: new Map(), losses }
  const messages: Array<Message.Message> = []
  for (let index = 0; index < sent.length; index++) {
    const decoded = decodeMessage(sent[index], index, reading)
    if (Either.isLeft(decoded)) return Either.left(decoded.left)
    const message = decoded.right
    const last = messages.at(-1)
    // One message a result; those of one turn belong together.
    if (message._tag === "Results" && last?._tag === "Results") messages[messages.length - 1] = joined(last, message)
    else messages.push(message)
  }
  return Either.right({ messages, definitions, options, settings: { format: formatName, json: settings }, losses })
}

const joined = (left: Message.Results, right: Message.Results): Message.Results => ({
  _tag: "Results",
  results: [...left.results, ...right.results],
  native: { format: formatName, json: [...(left.native?.json ?? []), ...(right.native?.json ?? [])] }
})

const decodeTools = (
  body: Json.JsonObject
): Pick<Request, "definitions" | "options"> & { readonly settings: Json.JsonObject } => {
  const { tools, tool_choice: choice, strict_tools: strict, ...others } = body
  const entries = functionEntries(tools)
  // Without tools there is nothing that the options could be about.
  if (entries === undefined) return { definitions: [], options: {}, settings: body }
  const known = choices.get(choice)
  const options: ToolsOptions = {
    ...(known === undefined ? {} : { choice: known }),
    ...(strict === true ? { isStrict: true } : {})
  }
  return {
    definitions: entries.map(decodeFunctionEntry(formatName)),
    options,
    settings: {
      ...others,
      ...(choice === undefined || known !== undefined ? {} : { tool_choice: choice }),
      ...(strict === undefined || strict === true ? {} : { strict_tools: strict })
    }
  }
}

const choices: ReadonlyMap<unknown, ToolChoice> = new Map<unknown, ToolChoice>([
  ["REQUIRED", { _tag: "Required" }],
  ["NONE", { _tag: "None" }]
])
