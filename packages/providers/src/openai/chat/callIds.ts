/**
 * Ids of the calls of one Chat Completions message.
 */
import type { ChatDialect } from "./ChatDialect.js"

export interface CallId {
  readonly id: string
  readonly nativeId: string | undefined
}

/** The id of the call at a place, from what the server sent as its id. */
export type CallIds = (sent: unknown, index: number) => CallId

/**
 * The server's own id is kept, also where two calls share it: they are one call
 * sent twice, or are told apart by their order. Where there is none (Google's
 * OpenAI-compatible endpoint sends `""`, some local servers nothing) one is made
 * of what names the message and of the call's place in it, so that it is the
 * same each time and another in every message of the conversation.
 */
export const callIds =
  (dialect: ChatDialect, message: string | undefined): CallIds =>
  (sent, index) => {
    const nativeId = sentId(dialect, sent)
    if (nativeId !== undefined) return { id: nativeId, nativeId }
    const made = message === undefined || message === "" ? `call_${index}` : `call_${message}_${index}`
    return { id: dialect.acceptedId(made), nativeId: undefined }
  }

export const sentId = (dialect: ChatDialect, sent: unknown): string | undefined =>
  typeof sent === "string" && sent !== "" && !dialect.missingIds.has(sent) ? sent : undefined
