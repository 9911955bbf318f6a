import { describe, expect, layer } from "@effect/vitest"
import * as SqlOperation from "@wield/agent/SqlOperation"
import { Assistant, CurrentContext, Documents, Owner, UserExport } from "@wield/assistant"
import { Effect, Layer, Predicate, Schema } from "effect"
import { databases } from "../databases/databases.js"
import { makeVectors } from "../search/vectors.js"
import { live, secret } from "./life.js"
import { foundOf, rowsOf } from "./rows.js"

/** Tables of nothing but what the search has made of the rows of others, and of counts. */
const made = new Set([
  "wield_assistant_items",
  "wield_assistant_vectors",
  "wield_assistant_nearness",
  "wield_assistant_versions",
  "wield_assistant_counters"
])

/** Where a row stands among its siblings: they are listed in this order. */
const orders = new Set(["position"])

/** Every value within a value. */
const leavesOf = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value)
    ? value.flatMap(leavesOf)
    : Predicate.isRecord(value)
      ? Object.values(value).flatMap(leavesOf)
      : [value]

/** What the export may say instead of a column: a list in JSON is a list there, a number of milliseconds a time. */
const formsOf = (value: unknown): ReadonlyArray<unknown> => {
  if (typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value))) {
    return [value, Number(value), new Date(Number(value)).toISOString()]
  }
  return typeof value === "string" ? [SqlOperation.fromStored(value)] : [value]
}

const listIn = Schema.decodeUnknownOption(Schema.parseJson(Schema.Array(Schema.String)))

const missingFrom = (leaves: ReadonlySet<unknown>, value: unknown): boolean => {
  const list = listIn(value)
  if (list._tag === "Some") return list.value.some((one) => !leaves.has(one))
  return value !== null && !formsOf(value).some((form) => leaves.has(form))
}

const exported = (user: Owner.UserId) => Effect.flatMap(Assistant.export(user), Schema.encode(UserExport.UserExport))

for (const { client, name } of databases) {
  describe(`the export of a user in ${name}`, () => {
    layer(
      Assistant.layerEmbedding({ model: "words" }).pipe(Layer.provide(makeVectors().layer), Layer.provideMerge(client))
    )((it) => {
      it.effect("has every value of every row, of every table but those that are made of others", () =>
        Effect.gen(function* () {
          const user = Owner.UserId.make("ada")
          yield* live(user, Owner.ConversationId.make("c1"))
          yield* foundOf(user, secret) // makes the vectors too
          const kept = yield* exported(user)
          const leaves = new Set(leavesOf(kept))
          const rows = Object.entries(yield* rowsOf(user)).filter(([table]) => !made.has(table))
          // Otherwise there is a table of which this shows nothing.
          expect(rows.filter(([, rows]) => rows.length === 0)).toEqual([])
          const missing = rows.flatMap(([table, rows]) =>
            rows.flatMap((row) =>
              Object.entries(Predicate.isRecord(row) ? row : { row })
                .filter(([column, value]) => !orders.has(column) && missingFrom(leaves, value))
                .map(([column, value]) => `${table}.${column}: ${String(value)}`)
            )
          )
          expect(missing).toEqual([])
          // As a file of JSON it is the same again.
          const read = yield* Schema.decode(Schema.parseJson(UserExport.UserExport))(JSON.stringify(kept))
          expect(yield* Schema.encode(UserExport.UserExport)(read)).toEqual(kept)
        })
      )

      it.effect("has nothing of anybody else, and nothing once the user is forgotten", () =>
        Effect.gen(function* () {
          const [bob, eve] = [Owner.UserId.make("bob"), Owner.UserId.make("eve\0")]
          yield* live(bob, Owner.ConversationId.make("c1"))
          const nothing = { memories: [], goals: [], documents: [], profile: null, context: [] }
          expect(yield* exported(eve)).toEqual({ user: eve, ...nothing })
          yield* Assistant.forget(bob)
          expect(yield* exported(bob)).toEqual({ user: bob, ...nothing })
          // Nothing was written of who was only asked for.
          expect(Object.values(yield* rowsOf(eve)).flat()).toEqual([])
        })
      )

      it.effect("has each source with its memory, each excerpt with its document, whatever they are called", () =>
        Effect.gen(function* () {
          const user = Owner.UserId.make("dora")
          yield* live(user, Owner.ConversationId.make("c\0"))
          const documents = yield* Documents.Documents
          for (const address of ["__proto__", "constructor"]) {
            yield* documents.ingest(user, { address, content: `Of ${address}` })
          }
          const kept = yield* exported(user)
          const passports = kept.memories.filter(({ name }) => name === "Passport")
          expect(passports.map(({ sources, state }) => [state, sources.map(({ type }) => type)]).sort()).toEqual([
            ["active", ["Memory"]],
            ["outdated", ["ContextMessageSet"]]
          ])
          expect(kept.documents.map(({ document, excerpts }) => [document.address, excerpts[0]?.text]).sort()).toEqual([
            ["__proto__", "Of __proto__"],
            ["constructor", "Of constructor"],
            ["notes.md", expect.stringContaining("Notes of")]
          ])
          const context = yield* CurrentContext.CurrentContext
          const members = yield* context.members(user, Owner.ConversationId.make("c\0"))
          expect(kept.context.map(({ id, type }) => ({ id, type }))).toEqual(members)
          expect(kept.context.map(({ conversation }) => conversation)).toEqual(["c\0", "c\0"])
        })
      )
    })
  })
}
