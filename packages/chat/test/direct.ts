/** Requests to a handler without a server between, for what happens at one moment. */
import type { Message } from "./page.js"

type Handle = (request: Request) => Promise<Response>

export interface Direct {
  readonly say: (id: string, words: string) => Promise<Response>
  readonly answer: (id: string, reply: unknown) => Promise<Response>
  readonly stop: () => Promise<Response>
  readonly past: () => Promise<ReadonlyArray<Message>>
}

/** What the page of a user sends to a chat in the UI message stream. */
export const direct = (handle: Handle, user = "ada", id = "chat 1"): Direct => {
  const send = (method: string, path: string, body?: object) =>
    handle(
      new Request(`http://localhost/api/chat${path}`, {
        method,
        headers: { "x-user": user, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify({ id, ...body }) })
      })
    )
  const address = `/${encodeURIComponent(id)}`
  return {
    say: (message, words) =>
      send("POST", "", { message: { id: message, role: "user", parts: [{ type: "text", text: words }] } }),
    answer: (request, reply) => send("POST", "", { answers: [{ id: request, reply }] }),
    stop: () => send("DELETE", `${address}/stream`),
    past: async () => {
      const response = await send("GET", address)
      // What the handler writes.
      return ((await response.json()) as { readonly messages: ReadonlyArray<Message> }).messages
    }
  }
}

/** The chunks of a stream. */
export const chunksOf = async (
  response: Response | Promise<Response>
): Promise<ReadonlyArray<{ readonly type: string; readonly [field: string]: unknown }>> =>
  (await (await response).text())
    .split("\n\n")
    .filter((line) => line.startsWith("data: {"))
    // A chunk is an object with a type.
    .map((line) => JSON.parse(line.slice("data: ".length)) as { readonly type: string })

/** Reads a stream until it has these words. */
export const readUntil = async (response: Response, words: string) => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  while (!text.includes(words)) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) throw new Error(`the stream ended without ${words}: ${text}`)
    text += value
  }
  return { text, reader }
}
