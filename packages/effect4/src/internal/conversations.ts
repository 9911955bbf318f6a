/** The conversations and stores that those of an application on Effect 4 stand for. */
import type { Conversation as Conversation3, ConversationStore as ConversationStore3 } from "@wield/effect3"
import * as Effect from "effect/Effect"
import type { Conversation, Service } from "../Conversation.js"
import { into4 } from "./seam.js"

const conversations = new WeakMap<Conversation<unknown>, Conversation3.Conversation<unknown>>()

export const conversationFrom3 = <E>(conversation: Conversation3.Conversation<E>): Conversation<E> => {
  const { id, isDurable } = conversation
  // The mark exists in the type only.
  const own = { id, isDurable, entries: into4(conversation.entries) } as unknown as Conversation<E>
  conversations.set(own, conversation)
  return own
}

export const conversationTo3 = <E>(conversation: Conversation<E>): Conversation3.Conversation<E> => {
  const own = conversations.get(conversation)
  if (own === undefined) throw new TypeError("A conversation must be one of @wield/effect4/Conversation")
  // `conversationFrom3` keeps the one of its own errors.
  return own as Conversation3.Conversation<E>
}

export const storeFrom3 = (store: ConversationStore3.Service): Service => ({
  create: (options) => Effect.map(into4(store.create(options)), conversationFrom3),
  open: (id) => Effect.map(into4(store.open(id)), conversationFrom3),
  openOrCreate: (id) => Effect.map(into4(store.openOrCreate(id)), conversationFrom3),
  list: (options) => into4(store.list(options)),
  delete: (id) => into4(store.delete(id))
})
