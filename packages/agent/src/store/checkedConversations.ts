/** What a store is given by a program without types: a list could not be read with it, or it would not be found again. */
import * as Json from "@wield/core/Json"
import * as Options from "@wield/core/Options"
import * as Effect from "effect/Effect"
import { StoreError } from "../ConversationError.js"
import type { Service } from "../ConversationStore.js"

const { aFlag, aNumber, anything, aText, fields, holds } = Options

const stated = fields({ id: aText, title: aText, metadata: holds("an object", Json.isObject), entries: anything })
const listed = fields({ limit: aNumber, from: aText, query: aText, isWaiting: aFlag })
const placed = fields({ id: aText, at: aText })
const named = fields({ id: aText }, ["id"])

/** Asks the store where what it is given is what the check says. */
const ask = <A, E>(
  operation: string,
  check: Options.Check,
  given: unknown,
  question: () => Effect.Effect<A, E>
): Effect.Effect<A, E | StoreError> =>
  Effect.suspend((): Effect.Effect<A, E | StoreError> => {
    const problem = given === undefined ? undefined : check(given)
    return problem === undefined ? question() : new StoreError({ operation, detail: Options.toText(problem) })
  })

export const checkedConversations = (store: Service): Service => ({
  create: (conversation) => ask("create", stated, conversation, () => store.create(conversation)),
  open: (id) => ask("open", named, { id }, () => store.open(id)),
  openOrCreate: (id) => ask("open", named, { id }, () => store.openOrCreate(id)),
  summary: (id) => ask("read", named, { id }, () => store.summary(id)),
  list: (options) => ask("list", listed, options, () => store.list(options)),
  update: (id, changes) =>
    ask("update", named, { id }, () => ask("update", stated, changes ?? null, () => store.update(id, changes))),
  fork: (id, options) => ask("fork", named, { id }, () => ask("fork", placed, options, () => store.fork(id, options))),
  truncate: (id, after) =>
    ask("truncate", named, { id }, () => ask("truncate", placed, { at: after }, () => store.truncate(id, after))),
  delete: (id) => ask("delete", named, { id }, () => store.delete(id)),
  export: (id) => ask("export", named, { id }, () => store.export(id)),
  import: (exported, options) => ask("import", placed, options, () => store.import(exported, options))
})
