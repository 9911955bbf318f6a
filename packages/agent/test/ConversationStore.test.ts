import { layer } from "@effect/vitest"
import { ConversationStore } from "@wield/agent"
import * as RecordStore from "@wield/agent/RecordStore"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import { Effect, Layer } from "effect"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { storeLaws } from "./store/laws.js"
import { temporaryFile } from "./store/temporaryFile.js"

layer(ConversationStore.layerMemory)("A store of conversations in memory", storeLaws)

const file = Layer.unwrapScoped(Effect.map(temporaryFile, (path) => FileStore.layer({ path, synchronous: "normal" })))

layer(file)("A store of conversations in a file", storeLaws)

const postgres = SqlConversationStore.layer.pipe(Layer.provide(Postgres.client), Layer.provide(Postgres.layer))

layer(postgres)("A store of conversations in Postgres", storeLaws)

const slow = <A>(ask: () => Promise<A>): Promise<A> => new Promise((resolve) => setImmediate(resolve)).then(ask)

/** Each answer takes its time, as from a database. */
const overRecords = Layer.unwrapEffect(
  Effect.sync(() => {
    const records = RecordStore.memory()
    return RecordStore.layer({
      create: (key, text) => slow(() => records.create(key, text)),
      set: (key, text) => slow(() => records.set(key, text)),
      get: (key) => slow(() => records.get(key)),
      delete: (key) => slow(() => records.delete(key)),
      list: (prefix, after) => slow(() => records.list(prefix, after))
    })
  })
)

layer(overRecords)("A store of conversations over records", storeLaws)
