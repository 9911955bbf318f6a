/**
 * What the five functions of records give, held against what they promise: by another answer a call would be made twice,
 * or a conversation be read as an empty one. They are a user's, over any database, and may be plain JavaScript.
 */
import { show } from "@wield/core/Issue"
import type { Records } from "../RecordStore.js"

/** Rejects any other answer. A function may give its answer at once, without a promise. */
export const checkedRecords = (records: Records): Records => ({
  create: async (key, text) => {
    const made: unknown = await answer("create", () => records.create(key, text))
    // A list of no rows, a count of none and a result that says so are all taken for a yes elsewhere.
    return typeof made === "boolean"
      ? made
      : broken("create", made, "true where it has written, and false where there was a text")
  },
  set: (key, text) => answer("set", () => records.set(key, text)),
  get: async (key) => {
    const text: unknown = await answer("get", () => records.get(key))
    return typeof text === "string" || text === undefined || text === null
      ? text
      : broken("get", text, "the text as it was written, or nothing")
  },
  delete: (key) => answer("delete", () => records.delete(key)),
  list: async (prefix, after) => {
    const rows: unknown = await answer("list", () => records.list(prefix, after))
    if (!Array.isArray(rows)) return broken("list", rows, "an array of { key, text }")
    let last = after ?? ""
    for (const row of rows) {
      // An array of anything, as it stands in plain JavaScript.
      const { key, text } = (row ?? {}) as { readonly key?: unknown; readonly text?: unknown }
      if (typeof key !== "string" || typeof text !== "string")
        return broken("list", row, "a key and a text in each row")
      if (!key.startsWith(prefix)) return broken("list", key, `keys that begin with ${show(prefix)}`)
      if (key <= last) return broken("list", key, `keys in the order of their bytes, each once, after ${show(last)}`)
      last = key
    }
    return rows
  }
})

/** How long a database may be silent, in milliseconds. */
export const patience = 60_000

/** A database that is silent cannot be reached: what waits for it comes to its end, and so does the program that closes it. */
const answer = async <A>(name: keyof Records, ask: () => A | Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    const silent = () => reject(new BrokenRecords(`\`${name}\` of the records has not answered for a minute`))
    timer = setTimeout(silent, patience)
  })
  try {
    return await Promise.race([ask(), silence])
  } finally {
    clearTimeout(timer)
  }
}

/** One of the five functions does not do what it promises. */
export class BrokenRecords extends TypeError {
  override readonly name = "BrokenRecords"
}

const broken = (name: keyof Records, given: unknown, expected: string): never => {
  throw new BrokenRecords(
    `\`${name}\` of the records gave ${show(given)}; it has to give ${expected} (\`testRecords\` tries it)`
  )
}
