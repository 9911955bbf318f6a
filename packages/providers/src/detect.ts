/**
 * The formats there are, and which of them a response body is in.
 */
import * as Arr from "effect/Array"
import type * as Option from "effect/Option"
import * as Anthropic from "./Anthropic.js"
import * as BedrockConverse from "./BedrockConverse.js"
import * as CohereV2 from "./CohereV2.js"
import * as Gemini from "./Gemini.js"
import * as Mistral from "./Mistral.js"
import * as Ollama from "./Ollama.js"
import * as OpenAiChat from "./OpenAiChat.js"
import * as OpenAiResponses from "./OpenAiResponses.js"
import type { WireFormat } from "./WireFormat.js"

/**
 * Every wire format there is, by name. What one of them takes for its own body,
 * none of the others does.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { WireFormat } from "@wield/providers"
 *
 * assert.ok(WireFormat.all.some((format) => format.name === "openai-chat"))
 * ```
 *
 * @category guards
 */
export const all: ReadonlyArray<WireFormat> = [
  Anthropic.format,
  BedrockConverse.format,
  CohereV2.format,
  Gemini.format,
  Mistral.format,
  Ollama.format,
  OpenAiChat.format,
  OpenAiResponses.format
]

/**
 * The format of a response body (already parsed JSON), by its look; none where
 * it looks like no known format. Error bodies are recognised too, where their
 * shape is one API's alone.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { WireFormat } from "@wield/providers"
 * import { Option } from "effect"
 *
 * const nameOf = (body: unknown) => WireFormat.detect(body).pipe(Option.map((format) => format.name))
 * assert.deepStrictEqual(nameOf({ type: "message", role: "assistant", content: [] }), Option.some("anthropic"))
 * assert.deepStrictEqual(nameOf({ candidates: [] }), Option.some("gemini"))
 * assert.deepStrictEqual(nameOf({ hello: "world" }), Option.none())
 * ```
 *
 * @category guards
 */
export const detect = (body: unknown): Option.Option<WireFormat> =>
  Arr.findFirst(all, (format) => format.isFormatOf(body))
