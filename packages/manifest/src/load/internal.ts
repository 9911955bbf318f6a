/**
 * Entries that keep a conversation's messages. No model is offered them.
 */
export const saveMessage = "InternalSaveChatMessage"
export const getMessages = "InternalGetChatMessages"

const names: ReadonlySet<string> = new Set([saveMessage, getMessages].map((name) => name.toLowerCase()))

export const isInternal = (entry: { readonly function: { readonly name: string } }): boolean =>
  names.has(entry.function.name.toLowerCase())
