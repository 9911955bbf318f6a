/** How OpenAI is called over HTTP, and those that imitate it. */
import type { Endpoint } from "../WireFormat.js"

export const openAi: Pick<Endpoint, "url" | "key" | "headers"> = {
  url: "https://api.openai.com/v1",
  key: { header: "authorization", prefix: "Bearer ", variable: "OPENAI_API_KEY" },
  headers: {}
}
