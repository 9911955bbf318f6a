/** The wire format of Gemini's `generateContent`, of the developer API and of Vertex AI. */
import * as errors from "./gemini/errors.js"
import { table } from "./gemini/format.js"
import * as messages from "./gemini/messages.js"
import { decodeBody, streamAssembler, streamFraming } from "./gemini/stream.js"
import { makeEncodeTools } from "./gemini/tools.js"
import { asSent, isFormatOf, restoring } from "./gemini/turn.js"
import { makeFormat } from "./internal/format.js"
import type { WireFormat } from "./internal/contract.js"

/**
 * The format with a choice of how it says schemas:
 *
 * - `json-schema` (as `Gemini.format`): whole, in `parametersJsonSchema`.
 * - `openapi`: in `parameters`, the subset of OpenAPI 3.0 that older models and
 *   other servers of this API take (`Dialect.rewrite` with `gemini-subset`).
 *   References are put in place; a type that contains itself is cut off. What
 *   the subset cannot say stands in a description or is asked for as text, and
 *   is reported as a loss; `decodeTurn` and `streamDecoder` read such text back
 *   by the definitions.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolDefinition } from "@wield/core"
 * import { Gemini } from "@wield/providers"
 *
 * const properties = { limit: { type: ["integer", "null"] } }
 * const find = ToolDefinition.make({ name: "find", inputSchema: { type: "object", properties } })
 * const { body } = Gemini.make({ schema: "openapi" }).encodeTools([find])
 * const parameters = { type: "OBJECT", properties: { limit: { type: "INTEGER", nullable: true } } }
 * assert.deepStrictEqual(body, { tools: [{ functionDeclarations: [{ name: "find", parameters }] }] })
 * ```
 *
 * @category constructors
 */
export const make = (options: { readonly schema: "json-schema" | "openapi" }): WireFormat => {
  const encode = makeEncodeTools(options.schema)
  const readFor = options.schema === "openapi" ? restoring : () => asSent
  return makeFormat(table, streamFraming, {
    tools: { encodeTools: encode },
    turns: { decodeTurn: (body, offered) => decodeBody(body, offered, readFor(offered)), isFormatOf },
    messages: {
      encodeResults: messages.encodeResults,
      decodeRequest: messages.makeDecodeRequest(encode),
      encodeRequest: messages.makeEncodeRequest(encode)
    },
    streams: { streamAssembler: (offered) => streamAssembler(offered, readFor(offered)) },
    errors
  })
}

/**
 * Gemini's `generateContent` as a value.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolDefinition, Turn } from "@wield/core"
 * import { Gemini } from "@wield/providers"
 * import { Effect } from "effect"
 *
 * const now = ToolDefinition.make({ name: "now", description: "The current time" })
 * const { body } = Gemini.encodeTools([now], { choice: { _tag: "Required" } })
 * assert.deepStrictEqual(body["toolConfig"], { functionCallingConfig: { mode: "ANY" } })
 *
 * const content = { role: "model", parts: [{ functionCall: { name: "now", args: {} } }] }
 * const turn = Effect.runSync(Gemini.decodeTurn({ candidates: [{ content, finishReason: "STOP" }] }))
 * const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, 12))
 * assert.deepStrictEqual(Gemini.encodeResults(turn, outcomes).messages, [
 *   content,
 *   { role: "user", parts: [{ functionResponse: { name: "now", response: { output: 12 } } }] }
 * ])
 * ```
 *
 * @category formats
 */
export const format: WireFormat = make({ schema: "json-schema" })

/**
 * The `tools` and `toolConfig` of a request.
 *
 * - Schemas go into `parametersJsonSchema`, whole; keywords that Gemini takes
 *   without enforcing them are reported as losses.
 * - `isStrict` selects the calling mode `VALIDATED`.
 * - The API cannot be asked for one call at a time: a loss.
 * - A definition that came out of a request of this API is put back as it stood.
 * - Google's own tools (`google.googleSearch` and the like) are entries beside
 *   the function declarations, named as the API names them.
 *
 * @see https://ai.google.dev/api/caching#FunctionDeclaration
 *
 * @category encoding
 */
export const encodeTools: WireFormat["encodeTools"] = format.encodeTools

/**
 * A response body as a turn: its first candidate. The content is kept as it
 * was sent (thought signatures) in `turn.native`. The body may also be the
 * array of chunks that `streamGenerateContent` answers without `alt=sse`.
 *
 * Where Gemini sends a call without an id, the call gets one that is made of
 * the response's id and the call's position: the same each time the body is
 * decoded, and another in every turn.
 *
 * @category decoding
 */
export const decodeTurn: WireFormat["decodeTurn"] = format.decodeTurn

/**
 * The model's content as it was sent, then one `user` content with a
 * `functionResponse` for every call that has an outcome, in the order of the
 * calls.
 *
 * A result that is an object is the response; anything else stands under
 * `output`, an error under `error`. Gemini 3 gets images and files inside the
 * response where it takes their type; otherwise they follow in a content of
 * their own.
 *
 * @category encoding
 */
export const encodeResults: WireFormat["encodeResults"] = format.encodeResults

/**
 * Reads a streamed response body: server-sent events (`alt=sse`), or the array
 * of chunks that the API streams without it.
 *
 * - Calls come whole and are complete at once, with one `ArgumentsDelta` that
 *   holds their JSON text; so do those whose arguments Vertex AI streams leaf by
 *   leaf, when the last of them is there.
 * - Text that goes on from chunk to chunk is one part. One with a thought
 *   signature stays apart in `turn.native`, as Google asks.
 * - Tools that Google runs itself have no events of calls; they are in the turn.
 *
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 *
 * @category streaming
 */
export const streamDecoder: WireFormat["streamDecoder"] = format.streamDecoder

/**
 * A request body in Wield's words, in camel case or snake case. Calls without
 * ids get some, unique in the conversation; each response is paired with its
 * call by id, or by name in the order of the calls.
 *
 * @category decoding
 */
export const decodeRequest: WireFormat["decodeRequest"] = format.decodeRequest

/**
 * A request body. What came from a body of this API is put back as it stood;
 * what came from another is re-encoded:
 *
 * - instructions become `systemInstruction`, wherever they stand;
 * - reasoning and calls that another provider ran itself are left out;
 * - the first call of a turn carries the signature that Google documents for
 *   history from elsewhere, without which Gemini 3 refuses it.
 *
 * @category encoding
 */
export const encodeRequest: WireFormat["encodeRequest"] = format.encodeRequest

/**
 * What an error response means, by its status and the details that Google's
 * APIs add: how long to wait, whether a day's quota is used up, which field of
 * the request is wrong.
 *
 * @see https://ai.google.dev/gemini-api/docs/troubleshooting
 *
 * @category decoding
 */
export const decodeError: WireFormat["decodeError"] = format.decodeError
