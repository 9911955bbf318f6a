/** A `fetch` that answers with scripted responses and keeps the requests. */
export const scriptedFetch = (responses: ReadonlyArray<object>) => {
  const requests: Array<any> = []
  return {
    requests,
    fetch: async (input: unknown, init: { readonly body?: unknown; readonly signal?: AbortSignal | null } = {}) => {
      init.signal?.throwIfAborted()
      const body = input instanceof Request ? await input.text() : String(init.body)
      requests.push(JSON.parse(body))
      return Response.json(responses[Math.min(requests.length, responses.length) - 1])
    }
  }
}

export const textOf = (content: unknown): string => (typeof content === "string" ? content : JSON.stringify(content))
