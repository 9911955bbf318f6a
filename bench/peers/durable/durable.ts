/** The same work in every system: runs of payments, one after the other, each recorded before the next begins. */
import { createHash } from "node:crypto"
import { Client, Pool } from "pg"

export interface Durable {
  /** Runs an order of so many payments to its end, or goes on with it where an earlier process left it. */
  readonly run: (order: string, payments: number) => Promise<unknown>
  readonly close: () => Promise<void>
}

export type Pay = (order: string, number: number) => Promise<void>

/** Makes one over an empty database, or one that an earlier process has used. */
export type MakeDurable = (url: string, pay: Pay) => Promise<Durable>

/**
 * What a payment's record holds: a kilobyte of JSON, as a tool's result may. No two are alike, for databases and logs
 * compress what repeats itself.
 */
export const receiptOf = (order: string, number: number): string => {
  const digits = createHash("sha512").update(`${order} ${number}`).digest("hex")
  const lines = Array.from({ length: 12 }, (_, index) => {
    const own = digits.slice(index * 10, index * 10 + 14)
    return {
      article: `A-${own.slice(0, 6)}`,
      name: `Article ${Number.parseInt(own.slice(6, 9), 16)}`,
      quantity: Number.parseInt(own.slice(9, 10), 16) + 1,
      cents: Number.parseInt(own.slice(10, 14), 16)
    }
  })
  return JSON.stringify({ status: "paid", order, number, reference: digits.slice(0, 32), lines })
}

/** Payments into a table that no system knows of. The bank takes its time to answer. */
export const bank = async (url: string, milliseconds: number): Promise<{ pay: Pay; close: () => Promise<void> }> => {
  const pool = new Pool({ connectionString: url, max: 4 })
  await pool.query("CREATE TABLE IF NOT EXISTS payments (order_name TEXT, number INTEGER)").catch(() => {})
  return {
    pay: async (order, number) => {
      if (milliseconds === 0) return
      await pool.query("INSERT INTO payments VALUES ($1, $2)", [order, number])
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
    },
    close: () => pool.end()
  }
}

export const withClient = async <A>(url: string, use: (client: Client) => Promise<A>): Promise<A> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

export const contenders: { readonly [name: string]: () => Promise<MakeDurable> } = {
  "Wield in a cluster": async () => (await import("./wield.js")).inCluster,
  "Wield, no cluster": async () => (await import("./wield.js")).alone,
  "Effect workflow": async () => (await import("./workflow.js")).make,
  DBOS: async () => (await import("./dbos.js")).make,
  LangGraph: async () => (await import("./langgraph.js")).make
}
