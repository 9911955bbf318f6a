/** The same answer; `onEnd` is called once when there is no more of it, or no one reads on. */
export const watchEnd = (response: Response, onEnd: () => void): Response => {
  const reader = response.body?.getReader()
  if (reader === undefined) return response
  let hasEnded = false
  const end = () => {
    if (!hasEnded) onEnd()
    hasEnded = true
  }
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      end()
    },
    cancel: (reason) => {
      end()
      return reader.cancel(reason)
    }
  })
  return new Response(body, response)
}
