/**
 * A SQL analyst: a JSON file gives a model questions that it may ask a
 * database. Values are bound, statements only read, and the customer is a
 * hidden field: two customers never see each other's rows.
 */
import * as assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import * as FileStore from "@wield/agent/FileStore"
import { ToolCall, ToolRunner } from "@wield/core"
import { Manifest } from "@wield/manifest"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { ConfigProvider, Effect } from "effect"

const configuration = `{
  "apis": { "type": "sql", "url": "file:\${SHOP_DATABASE}", "maxRows": 100 },
  "context": ["customerid"],
  "tools": [
    {
      "type": "api",
      "function": {
        "name": "spending_by_category",
        "description": "What the customer spent, by category of product, in a span of time",
        "parameters": {
          "type": "object",
          "properties": {
            "customerid": { "type": "integer" },
            "from": { "type": "string", "format": "date", "description": "Since the first order unless given" },
            "categories": { "type": "array", "items": { "type": "string" } }
          },
          "required": ["customerid", "categories"]
        }
      },
      "api": {
        "query": "SELECT category, sum(cents) AS cents, count(*) AS orders FROM orders WHERE customer = :customerid AND category IN (:categories) AND (:from IS NULL OR day >= :from) GROUP BY category ORDER BY cents DESC"
      }
    },
    {
      "type": "api",
      "function": {
        "name": "search_orders",
        "description": "The customer's orders whose note contains a text",
        "parameters": {
          "type": "object",
          "properties": { "customerid": { "type": "integer" }, "text": { "type": "string" } },
          "required": ["customerid", "text"]
        }
      },
      "api": {
        "query": "SELECT id, day, category, note FROM orders WHERE customer = :customerid AND instr(note, :text) > 0 ORDER BY id"
      }
    }
  ]
}`

/** The sample database. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INT, day DATE, category TEXT, cents INT, note TEXT)`
  yield* sql`INSERT INTO orders VALUES
    (1, 7, '2026-01-05', 'tea', 1250, 'for Ada'),
    (2, 7, '2026-02-10', 'tea', 900, 'gift wrap'),
    (3, 7, '2026-02-11', 'books', 3100, 'gift wrap'),
    (4, 8, '2026-02-12', 'tea', 50000, 'gift wrap, for Grace')`
})

const program = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sql-analyst-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const path = join(folder, "shop.db")
  yield* Effect.provide(fill, FileStore.layerClient({ path }))

  const manifest = yield* Manifest.parse(configuration)
  const toolset = yield* Manifest.toToolset(manifest, { factories: [SqlExecutor.factory] }).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["SHOP_DATABASE", path]])))
  )
  const runner = yield* ToolRunner.make(toolset)

  const shown = JSON.stringify(yield* runner.definitions)
  assert.ok(!shown.includes("customerid") && !shown.includes("SELECT"))

  // What a model would send. The last one tries to be another customer, in the arguments and in the text.
  const calls = [
    ToolCall.make("call_1", "spending_by_category", { categories: ["tea", "books"], from: "2026-02-01" }),
    ToolCall.make("call_2", "spending_by_category", { categories: [] }),
    ToolCall.make("call_3", "search_orders", { text: "gift" }),
    ToolCall.make("call_4", "search_orders", { text: "' OR customer = 8 --", customerid: 8 })
  ]
  for (const customerid of [7, 8]) {
    console.log(`Customer ${customerid}`)
    const outcomes = yield* runner.forRun({ context: { customerid } }).runAll(calls)
    for (const outcome of outcomes) {
      assert.ok(outcome._tag === "Success")
      console.log(`  ${outcome.call.name.padEnd(21)}`, JSON.stringify(outcome.result))
    }
    const results = JSON.stringify(outcomes.map((outcome) => outcome._tag === "Success" && outcome.result))
    assert.equal(results.includes("Grace") || results.includes("50000"), customerid === 8)
    assert.equal(results.includes("books"), customerid === 7)
  }
})

await Effect.runPromise(Effect.scoped(program))
