/**
 * How Chat Completions is called over HTTP.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
import { openAi } from "../openai/endpoint.js"
import type { Endpoint } from "../WireFormat.js"

export const endpoint: Endpoint = {
  ...openAi,
  path: () => "/chat/completions",
  // Without `include_usage` a stream says nothing of tokens.
  body: (model, isStreaming) =>
    isStreaming ? { model, stream: true, stream_options: { include_usage: true } } : { model }
}
