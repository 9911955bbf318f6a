/** What Redis does of what a store needs, and the five functions over it. A sorted set has the keys in their order. */
import type { Records } from "wield/store"

/** Commands as a client of Redis names them. */
export class FakeRedis {
  readonly #texts = new Map<string, string>()
  readonly #members = new Set<string>()

  async set(key: string, text: string, options: { readonly NX?: true } = {}): Promise<"OK" | null> {
    if (options.NX === true && this.#texts.has(key)) return null
    this.#texts.set(key, text)
    return "OK"
  }
  async mGet(keys: ReadonlyArray<string>): Promise<Array<string | null>> {
    return keys.map((key) => this.#texts.get(key) ?? null)
  }
  async del(key: string): Promise<void> {
    this.#texts.delete(key)
  }
  async zAdd(member: string): Promise<void> {
    this.#members.add(member)
  }
  async zRem(member: string): Promise<void> {
    this.#members.delete(member)
  }
  /** `ZRANGE keys [min (max BYLEX` */
  async zRangeByLex(min: string, max: string): Promise<Array<string>> {
    const isAbove = (key: string) => (min.startsWith("(") ? key > min.slice(1) : key >= min.slice(1))
    return [...this.#members].filter((key) => isAbove(key) && key < max.slice(1)).toSorted()
  }
}

export type Redis = { readonly [Name in keyof FakeRedis]: FakeRedis[Name] }

/** The key is listed before its text is there, and after it has gone: what a killed process leaves lists no text too few. */
export const redisRecords = (redis: Redis): Records => ({
  create: async (key, text) => {
    await redis.zAdd(key)
    return (await redis.set(key, text, { NX: true })) !== null
  },
  set: async (key, text) => {
    await redis.zAdd(key)
    await redis.set(key, text)
  },
  get: async (key) => (await redis.mGet([key]))[0],
  delete: async (key) => {
    await redis.del(key)
    await redis.zRem(key)
  },
  list: async (prefix, after = "") => {
    const keys = await redis.zRangeByLex(after > prefix ? `(${after}` : `[${prefix}`, `(${prefix}\uffff`)
    const texts = await redis.mGet(keys)
    return keys.flatMap((key, index) => {
      const text = texts[index]
      return text == null ? [] : [{ key, text }]
    })
  }
})
