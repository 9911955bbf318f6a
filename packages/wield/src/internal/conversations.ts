/** Questions about conversations, loaded at the first of them. */
import * as Audit from "@wield/agent/Audit"
import type { Conversation } from "@wield/agent"
import * as ConversationStore from "@wield/agent/ConversationStore"
import { isPlain } from "@wield/core/Json"
import { aCount, aName, aText, holds } from "@wield/core/Options"
import * as Effect from "effect/Effect"
import type { Conversations } from "../conversations.js"
import { checkKind, checkOptions } from "./checkNames.js"
import type { Running } from "./Running.js"

export const conversationsOf = (running: Running): Conversations => {
  const ask = <A, E>(question: (store: ConversationStore.Service) => Effect.Effect<A, E>) =>
    running.run(Effect.flatMap(ConversationStore.ConversationStore, question))
  const checkId = (id: unknown) => checkKind("The id of a conversation", id ?? null, "a text", typeof id === "string")
  return {
    list: async (options) => {
      checkOptions("`list`", options, { limit: aCount, from: aText, query: aText })
      return ask((store) => store.list(options))
    },
    read: async (id) => {
      checkId(id)
      return ask((store) =>
        Effect.gen(function* () {
          const { entries }: Conversation.Conversation<unknown> = yield* store.open(id)
          const all = yield* entries
          return { ...(yield* store.summary(id)), length: all.length, entries: all }
        })
      )
    },
    audit: async (id) => {
      checkId(id)
      return ask((store) => Audit.ofConversation(store, id))
    },
    learnRequests: async (options = {}) => {
      checkOptions("`learnRequests`", options, { conversations: aCount, perTool: aCount })
      // It knows the loop's tools, which no other question needs.
      const { ofStore } = await import("@wield/agent/ToolRequests")
      return ask((store) => ofStore(store, options))
    },
    fork: async (id, options) => {
      checkId(id)
      checkOptions("`fork`", options, { id: aName, at: aText })
      return ask((store) => Effect.map(store.fork(id, options), (fork) => fork.id))
    },
    update: async (id, changes) => {
      checkId(id)
      checkOptions("`update`", changes ?? null, { title: aText, metadata: holds("an object", isPlain) })
      return ask((store) => store.update(id, changes))
    },
    delete: async (id) => {
      checkId(id)
      return ask((store) => store.delete(id))
    }
  }
}
