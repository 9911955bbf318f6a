/**
 * The wire format of OpenAI's Responses API, which Azure, xAI, DeepSeek and
 * others speak too.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 */
import { serverSentEvents } from "./framing/serverSentEvents.js"
import { makeFormat } from "./internal/format.js"
import { makeErrorDecoders } from "./openai-shared/errors.js"
import { table } from "./openai-responses/format.js"
import * as messages from "./openai-responses/messages.js"
import * as results from "./openai-responses/results.js"
import * as streams from "./openai-responses/stream.js"
import * as tools from "./openai-responses/tools.js"
import * as turns from "./openai-responses/turn.js"
import type { WireFormat } from "./internal/contract.js"

/**
 * The Responses API as a wire format, to be held beside others.
 *
 * What it remembers of the definitions it has encoded is a memo by identity
 * of what is derived from them, and holds none of them back.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolDefinition, Turn } from "@wield/core"
 * import { OpenAiResponses } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = OpenAiResponses.encodeTools([now], { choice: { _tag: "OneOf", names: ["now"] } })
 * assert.deepStrictEqual(body["tool_choice"], { type: "function", name: "now" })
 *
 * const item = { type: "function_call", call_id: "call_1", name: "now", arguments: "{}" }
 * const turn = Effect.runSync(OpenAiResponses.decodeTurn({ object: "response", output: [item] }))
 * const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, 12))
 * assert.deepStrictEqual(OpenAiResponses.encodeResults(turn, outcomes).messages, [
 *   item,
 *   { type: "function_call_output", call_id: "call_1", output: "12" }
 * ])
 * ```
 *
 * @category formats
 */
export const format: WireFormat = makeFormat(table, serverSentEvents, {
  tools,
  turns,
  streams,
  messages: { ...messages, ...results },
  errors: makeErrorDecoders(table)
})

/**
 * The part of a request body that offers these tools: `tools`, `tool_choice`
 * and `parallel_tool_calls`. Equal definitions give equal bytes.
 *
 * In strict mode each schema is rewritten to the part of JSON Schema that the
 * API accepts; what that cannot say is a loss, and a tool whose schema has no
 * strict form is sent without. `strict` is always stated, since this API
 * otherwise rewrites schemas by itself. Names that the API refuses are mapped,
 * and mapped back by `decodeTurn`.
 *
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * Reads a response body. Never throws; a body that holds no response, the
 * API's own error object included, is a `WireError`. A response that failed is
 * a turn whose `finish` is `error`.
 *
 * The output items are kept verbatim in `native`. Calls that the API has run
 * (web search, code interpreter, MCP servers, …) are `executedBy: "provider"`.
 * Calls of the computer, the local shell and of patches are the application's
 * to run, under the name of the tool that was offered; their arguments are the
 * item's own fields, such as `{ operation }`. The input of a custom tool, which
 * is free text, becomes the arguments `{ input }`.
 *
 * @category decoding
 */
export const decodeTurn: WireFormat["decodeTurn"] = format.decodeTurn

/**
 * The turn's own items and one item per result, to append to the request's
 * `input`. A request that names its predecessor by `previous_response_id` needs
 * only those after the turn's own.
 *
 * Results of this API carry no error flag. A JSON value is its JSON text, a
 * string is sent as it is; a typed failure is `{"error": …}`, any other error
 * begins with `Error: `. Images and files are sent beside the text.
 *
 * A request to approve the call of an MCP server stays pending until it has an
 * outcome under its id: a `Success` allows the call, anything else forbids it.
 *
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults

/**
 * Reads a streamed response body (server-sent events).
 *
 * - A call is announced once its item is done; its arguments stream as they
 *   come, the free text of a custom tool included. Calls that the API runs
 *   itself have no events of calls; they are in the turn.
 * - The last event holds the whole response, which is the turn. Where it leaves
 *   items out, as some servers and proxies do, those that came one by one stand.
 * - In a turn that broke off stand the items that are done, and text as far as
 *   it came; reasoning that led to nothing is left out of `native`, since the
 *   API refuses it.
 * - A response that fails is a turn whose `finish` is `error`, and the stream's
 *   `failure` says what a program can do about it.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 *
 * @category streaming
 */
export const streamDecoder: WireFormat["streamDecoder"] = format.streamDecoder

/**
 * Reads a request body. Items in a row that are one turn are one message, and
 * so are results in a row; `instructions` are the first message. What there are
 * no words for (tools added within the conversation, files by id, references to
 * stored items) is kept for this API, and reported as a loss.
 *
 * A request that goes on from `previous_response_id` or a `conversation` holds
 * only what is new: that too is a loss.
 *
 * @category decoding
 */
export const decodeRequest: WireFormat["decodeRequest"] = format.decodeRequest

/**
 * A request body. What came from a body of this API is put back as it stood;
 * what came from another is re-encoded:
 *
 * - instructions become items of the role `system`: the key `instructions` holds
 *   for one request only, and xAI refuses it together with `previous_response_id`;
 * - reasoning, and calls that another provider ran itself, are left out;
 * - ids longer than the API takes are shortened, for a call and its result alike;
 * - a call without a result, or the reverse, is left out, unless the request
 *   goes on from `previous_response_id`.
 *
 * @category encoding
 */
export const encodeRequest: WireFormat["encodeRequest"] = format.encodeRequest

/**
 * What an error response means, by its code; where it has none that is known,
 * by its status, and for context overflow by its words, since compatible
 * servers have no code for it.
 *
 * @see https://platform.openai.com/docs/guides/error-codes
 *
 * @category decoding
 */
export const decodeError: WireFormat["decodeError"] = format.decodeError
