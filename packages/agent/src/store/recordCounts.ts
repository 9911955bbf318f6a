/** The sums of quotas as records: one for each amount, so that no writer overwrites another's. */
import * as Digest from "@wield/core/Digest"
import type { Counts } from "@wield/core/Quota"
import { startOf } from "@wield/core/Quota"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Records } from "../RecordStore.js"

export const makeRecordCounts = (records: Records): Counts => {
  const windowOf = (key: string, window: number, now: number) => {
    const all = `count/${Digest.ofText(JSON.stringify([key, window]))}/`
    return { all, current: `${all}${String(startOf(window, now)).padStart(16, "0")}/` }
  }
  /** What the current window has, and later ones from before the clock was set back; earlier records are deleted. */
  const read = async ({ all, current }: ReturnType<typeof windowOf>): Promise<number> => {
    let sum = 0
    for (const { key, text } of await records.list(all)) {
      if (key < current) await records.delete(key)
      else sum += Number(text)
    }
    return sum
  }
  return {
    add: (key, window, amount, limit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.tryPromise(async () => {
          const of = windowOf(key, window, now)
          const own = `${of.current}${crypto.randomUUID()}`
          // Written before it is read: of two that add at once, both may be refused, and never too many be added.
          await records.create(own, String(amount))
          if (limit === Infinity || (await read(of)) <= limit) return true
          await records.delete(own)
          return false
        })
      ),
    sum: (key, window) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.tryPromise(() => read(windowOf(key, window, now))))
  }
}
