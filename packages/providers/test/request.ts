/** Requests as tests need them. */
import type { Request } from "../src/WireFormat.js"

export const emptyRequest: Request = { messages: [], definitions: [], options: {}, settings: undefined, losses: [] }

/** A request without what it was read from, so that it has to be said anew. */
export const withoutNative = (request: Request): Request => ({
  ...request,
  messages: request.messages.map((message) => ({ ...message, native: undefined })),
  definitions: request.definitions.map((definition) => ({ ...definition, native: undefined }))
})
