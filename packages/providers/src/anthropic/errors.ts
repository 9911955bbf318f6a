/** Anthropic's Messages API: errors of responses and streams. In a stream the type is all there is. */
import { errorDecoders } from "../internal/errors.js"
import { errorIn, wordsOf } from "../internal/errorWords.js"
import { stringField } from "../internal/wireField.js"
import { table } from "./format.js"

export const { decodeError, streamError } = errorDecoders(table, (body) => {
  // Bedrock's and Vertex AI's gateways answer some errors themselves, with a message only.
  const error = errorIn(body)
  const { parameter, words } = wordsOf(error)
  const type = stringField(error, "type")
  return {
    codes: [type === "error" ? undefined : (type ?? stringField(error, "status"))],
    words,
    // The API begins with the place: `messages.1.content.0.tool_result: …`.
    parameter: /^([a-z_]+(?:\.[\w-]+)*): /.exec(words ?? "")?.[1] ?? parameter
  }
})
