/**
 * How Bedrock's Converse API is called over HTTP.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html
 */
import type { Endpoint } from "../WireFormat.js"

export const endpoint: Endpoint = {
  // Each region has its own; a default one would send data where nobody chose to.
  url: undefined,
  key: { header: "authorization", prefix: "Bearer ", variable: "AWS_BEARER_TOKEN_BEDROCK" },
  headers: {},
  // The model may be an ARN, with colons and slashes.
  path: (model, isStreaming) => `/model/${encodeURIComponent(model)}/${isStreaming ? "converse-stream" : "converse"}`,
  body: () => ({})
}

/** China's regions have a domain of their own. */
export const regionUrl = (region: string): string =>
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`
