/**
 * How the Responses API is called over HTTP.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 */
import { openAi } from "../openai/endpoint.js"
import type { Endpoint } from "../WireFormat.js"

export const endpoint: Endpoint = {
  ...openAi,
  path: () => "/responses",
  body: (model, isStreaming) => (isStreaming ? { model, stream: true } : { model })
}
