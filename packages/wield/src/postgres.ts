/** Conversations and the record of calls in Postgres, over a client of yours. */
import { show } from "@wield/core/Issue"
import { aName } from "@wield/core/Options"
import * as Predicate from "effect/Predicate"
import { checkKind, checkNames } from "./internal/checkNames.js"
import { type Records, storeOf } from "./store.js"
import type { Store } from "./wield.js"

/** A pool of `pg` or Neon, or a PGlite: what asks a database, and gives its rows. */
export interface PostgresClient {
  readonly query: (text: string, values?: Array<string>) => PromiseLike<{ readonly rows: ReadonlyArray<unknown> }>
}

/**
 * A store for `wield({ store })`. Several processes may use one database. The table, `wield_records` unless given, is made
 * where it is missing. The client stays yours to close.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { PGlite } from "@electric-sql/pglite"
 * import { tool, wield } from "wield"
 * import { postgresStore } from "wield/postgres"
 *
 * const client = new PGlite() // or new Pool({ connectionString }) of pg
 * const now = tool("now", { execute: () => "noon" })
 * await using clock = await wield({ tools: [now], store: postgresStore(client) })
 * assert.deepStrictEqual((await clock.conversations.list()).conversations, [])
 * ```
 */
export const postgresStore = (client: PostgresClient, options: { readonly table?: string } = {}): Store => {
  checkNames("`postgresStore`", options, ["table"])
  return storeOf(postgresRecords(client, options.table))
}

/** The five functions of the store, such as for `testRecords`. */
export const postgresRecords = (client: PostgresClient, table = "wield_records"): Records => {
  if (typeof client?.query !== "function") {
    throw new TypeError("`postgresStore` needs a client with a function `query`, such as `new Pool({ … })` of pg")
  }
  checkKind("`table` of `postgresStore`", table, "a name", aName(table) === undefined)
  const name = `"${table.replaceAll('"', '""')}"`
  let made: Promise<void> | undefined
  const query = async (text: string, ...values: Array<string>): Promise<ReadonlyArray<Row>> => {
    made ??= makeTable(client, name)
    await made.catch((error: unknown) => {
      made = undefined
      throw error
    })
    const given = await again(() => client.query(text, values))
    const rows: unknown = given?.rows
    if (!Array.isArray(rows))
      throw new TypeError(`The client of \`postgresStore\` must give { rows }, but gives ${show(given)}`)
    // Each statement selects these columns, or none.
    return rows as ReadonlyArray<Row>
  }
  return {
    create: async (key, text) => {
      const rows = await query(
        `INSERT INTO ${name} VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING key, text`,
        key,
        text
      )
      return rows.length === 1
    },
    set: (key, text) =>
      query(`INSERT INTO ${name} VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET text = $2`, key, text),
    get: async (key) => (await query(`SELECT key, text FROM ${name} WHERE key = $1`, key))[0]?.text,
    delete: (key) => query(`DELETE FROM ${name} WHERE key = $1`, key),
    // The index is in the order of bytes, and finds a prefix by its range.
    list: (prefix, after = "") =>
      query(
        `SELECT key, text FROM ${name} WHERE key >= $1 AND starts_with(key, $1) AND key > $2 ORDER BY key`,
        prefix,
        after
      )
  }
}

interface Row {
  readonly key: string
  readonly text: string
}

/** Two that make it at once may disturb each other. */
const makeTable = async (client: PostgresClient, name: string): Promise<void> => {
  const make = () =>
    client.query(`CREATE TABLE IF NOT EXISTS ${name} (key TEXT COLLATE "C" PRIMARY KEY, text TEXT NOT NULL)`)
  try {
    await make()
  } catch {
    await make()
  }
}

/**
 * A statement that another one was in the way of has changed nothing, and is run again: where a database or its role has
 * `repeatable read` or `serializable` for its default, each may be.
 */
const again = async <A>(run: () => PromiseLike<A>): Promise<A> => {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      const code = Predicate.hasProperty(error, "code") ? error.code : undefined
      if (tries === 20 || !inTheWay.some((known) => known === code)) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * tries))
    }
  }
}

/** A serialization failure, and a deadlock. */
const inTheWay = ["40001", "40P01"]
