/** The Responses API: its name and address. */
import type { Endpoint } from "../WireFormat.js"
import { openAi } from "../openai-chat/format.js"

/** The name of the wire format, in turns and errors. */
export const formatName = "openai-responses"

export const endpoint: Endpoint = {
  ...openAi,
  path: () => "/responses",
  body: (model, isStreaming) => (isStreaming ? { model, stream: true } : { model })
}
