/** Recordings whose client did not send back what the model had said. */
import type { Json } from "@wield/core"
import { eachOf, isList, isObject } from "../wire/normalisations/items.js"
import type { Said } from "./said.js"

export interface Oddity {
  /** The last exchange of the conversation. */
  readonly file: string
  readonly name: string
  readonly why: string
  readonly apply: (said: Said) => Said
  readonly applyToBody: (body: Json.JsonObject) => Json.JsonObject
}

const withoutText = (said: Said): Said => ({
  ...said,
  messages: said.messages.map((message) =>
    typeof message === "object" && message !== null && "calls" in message ? { ...message, text: "" } : message
  )
})

const straight = <A extends Said | Json.JsonObject>(said: A): A =>
  // The same shape, with other quotes in its texts.
  JSON.parse(
    JSON.stringify(said)
      .replace(/[\u2018\u2019]/g, "'")
      .replace(/[\u201c\u201d]/g, '\\"')
  ) as A

export const oddities: ReadonlyArray<Oddity> = [
  {
    file: "bedrock-converse/test_agent_loop_streaming_v0_.1.7357eb5c.json",
    name: "text before a call, left out",
    why: "the client sends only the call back of what the model said",
    apply: withoutText,
    applyToBody: eachOf("messages", (message) => {
      const { content } = message
      if (message["role"] !== "assistant" || !isList(content)) return [message]
      return [{ ...message, content: content.filter((block) => !isObject(block) || block["text"] === undefined) }]
    })
  },
  {
    file: "openai-responses/test_openai_responses_phase_streamed_on_part_start.1.2c5ecb34.json",
    name: "typographic quotes",
    why: "the recorder straightened them in requests, not in the text of streams",
    apply: straight,
    applyToBody: straight
  }
]
