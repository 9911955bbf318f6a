import * as assert from "node:assert"
import { inspect } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { Effect as Effect3, SqlClient as SqlClient3, SqlConversationStore, SqlJournal } from "@wield/effect3"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { expect, inject, it } from "vitest"
import { into4 } from "../src/internal/seam.js"
import { withClient } from "../src/internal/sql.js"

it("what a store does within its own transaction is not tried again there, and says why it failed", async () => {
  const answer = await fetch(new URL("/database", inject("shared")), { method: "POST" })
  assert.ok(answer.ok)
  const url = Redacted.make(await answer.text())
  const begin = Effect3.gen(function* () {
    const sql = yield* SqlClient3.SqlClient
    const journal = yield* SqlJournal.make
    const call = { run: "order 12", call: "call_1", digest: "d1" }
    return yield* Effect3.flip(sql.withTransaction(journal.begin(call, "pay")))
  })
  const program = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* into4(withClient(sql, SqlConversationStore.migrate))
    yield* sql.unsafe(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END $$`)
    yield* sql.unsafe("CREATE TRIGGER refuse BEFORE INSERT ON wield_calls FOR EACH ROW EXECUTE FUNCTION refuse()")
    return yield* into4(withClient(sql, begin))
  })
  const error = await Effect.runPromise(Effect.provide(program, PgClient.layer({ url })))
  expect(error).toMatchObject({ _tag: "JournalError", operation: "begin" })
  expect(inspect(error, { depth: 9 })).toContain("in the way")
  expect(inspect(error, { depth: 9 })).not.toContain("transaction is aborted")
})
