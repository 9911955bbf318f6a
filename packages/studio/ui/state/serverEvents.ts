/** Reads server-sent events from the bytes of an answer: `EventSource` could not send the token. */

export interface ServerEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

export async function* readServerEvents(bytes: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = bytes.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let rest = ""
  let fields: { id?: string; event?: string; data: Array<string> } = { data: [] }
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop()!
      for (const line of lines) {
        if (line === "") {
          if (fields.data.length > 0) {
            yield { id: fields.id, event: fields.event ?? "message", data: fields.data.join("\n") }
          }
          fields = { data: [] }
          continue
        }
        const colon = line.indexOf(":")
        const name = colon < 0 ? line : line.slice(0, colon)
        const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
        if (name === "id") fields.id = text
        else if (name === "event") fields.event = text
        else if (name === "data") fields.data.push(text)
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
