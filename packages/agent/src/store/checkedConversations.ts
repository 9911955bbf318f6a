/** What a conversation is made of or changed to, in a program without types: a list could not be read with it. */
import * as Json from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import * as Effect from "effect/Effect"
import { StoreError } from "../ConversationError.js"
import type { Service } from "../ConversationStore.js"

const { anything, aText, fields, holds } = Options

const checkStated = fields({
  id: aText,
  title: aText,
  metadata: holds("an object", Json.isObject),
  entries: anything
})

const refuse = (operation: string, given: unknown): Effect.Effect<void, StoreError> => {
  const problem = given === undefined ? undefined : checkStated(given)
  return problem === undefined ? Effect.void : new StoreError({ operation, detail: Options.toText(problem) })
}

export const checkedConversations = (store: Service): Service => ({
  ...store,
  create: (conversation) => Effect.zipRight(refuse("create", conversation), store.create(conversation)),
  update: (id, changes) => Effect.zipRight(refuse("update", changes), store.update(id, changes))
})
