/**
 * Ids of the calls of one response.
 */
import { shortHash } from "../internal/shortHash.js"

export interface CallId {
  readonly id: string
  readonly nativeId: string | undefined
}

/** The id of the call at a place, from what the server sent as its id. */
export type CallIds = (sent: unknown, index: number) => CallId

/**
 * The server's own id is kept, also where two calls share it: two equal calls
 * are one call sent twice, others are told apart by their order (seen from
 * Bedrock's endpoint, which uses an id again in a later response). Where there
 * is none, one is made of the response's id and the place of the item, so that
 * it is the same each time and another in every response of the conversation.
 */
export const callIds =
  (responseId: string | undefined): CallIds =>
  (sent, index) => {
    if (typeof sent === "string" && sent !== "") return { id: sent, nativeId: sent }
    const made = responseId === undefined || responseId === "" ? `call_${index}` : `call_${responseId}_${index}`
    return { id: acceptedId(made), nativeId: undefined }
  }

/** The API refuses a `call_id` of more than 64 characters. */
export const acceptedId = (id: string): string => (id.length <= 64 && id !== "" ? id : `call_${shortHash(id)}`)
