/** Bodies of streams, in the framings that APIs send them in. */
import { EventStreamCodec } from "@smithy/eventstream-codec"

/** Server-sent events; one whose message has a type bears it as its name too. */
export const serverSentEvents = (messages: ReadonlyArray<object>): Uint8Array =>
  new TextEncoder().encode(
    messages
      .map((message) => {
        const name = "type" in message && typeof message.type === "string" ? `event: ${message.type}\n` : ""
        return `${name}data: ${JSON.stringify(message)}\n\n`
      })
      .join("")
  )

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes)),
  (text) => new TextEncoder().encode(text)
)

/** Of the type and the payload of an event. */
export type Event = readonly [type: string, payload: object]

/** One frame of an AWS event stream. */
export const eventFrame = ([type, payload]: Event, kind: "event" | "exception" = "event"): Uint8Array =>
  codec.encode({
    headers: {
      [`:${kind}-type`]: { type: "string", value: type },
      ":content-type": { type: "string", value: "application/json" },
      ":message-type": { type: "string", value: kind }
    },
    // Bedrock pads its payloads so that their length tells nothing.
    body: new TextEncoder().encode(JSON.stringify({ ...payload, p: "abcdef" }))
  })

/** An AWS event stream. */
export const eventStream = (events: ReadonlyArray<Event>): Uint8Array =>
  Buffer.concat(events.map((event) => eventFrame(event)))
