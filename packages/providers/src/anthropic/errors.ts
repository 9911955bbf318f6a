/** Anthropic's Messages API: what an error response, or an error event of a stream, means. */
import { Json } from "@wield/core"
import type { ApiError } from "../ApiError.js"
import type { ErrorResponse } from "../WireFormat.js"
import { classifyError, retryAfter } from "../internal/errors.js"
import { objectField, stringField } from "../internal/wireField.js"
import { table } from "./format.js"

export const decodeError = ({ body, headers, status }: ErrorResponse): ApiError =>
  errorOf(body, status, retryAfter(headers))

/** An error event: the response began with the status 200, so the type is all there is. */
export const streamError = (event: unknown): ApiError => errorOf(event, undefined, undefined)

const errorOf = (body: unknown, status: number | undefined, wait: number | undefined): ApiError => {
  const fields = Json.isObject(body) ? body : {}
  // Bedrock's and Vertex AI's gateways answer some errors themselves, with a message only.
  const error = objectField(fields, "error") ?? fields
  const words = stringField(error, "message") ?? stringField(fields, "error")
  const type = stringField(error, "type")
  return classifyError(table.errors, {
    format: table.name,
    status,
    codes: [type === "error" ? undefined : (type ?? stringField(error, "status"))],
    words,
    body,
    // The API begins with the place: `messages.1.content.0.tool_result: …`.
    parameter: /^([a-z_]+(?:\.[\w-]+)*): /.exec(words ?? "")?.[1],
    wait
  })
}
