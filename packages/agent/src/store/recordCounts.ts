/** The sums of quotas as records: one for each amount, so that no writer overwrites another's. */
import * as Digest from "@wield/core/Digest"
import type { Counts } from "@wield/core/Quota"
import { startOf } from "@wield/core/Quota"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Records } from "../RecordStore.js"

/** How often an amount is written again because another's clock was ahead. */
const most = 8

export const makeRecordCounts = (records: Records): Counts => {
  const windowsOf = (key: string, window: number, now: number) => {
    const all = `count/${Digest.ofText(JSON.stringify([key, window]))}/`
    return { all, current: `${all}${String(startOf(window, now)).padStart(16, "0")}/` }
  }
  /** What the latest window has that anything was counted in: a clock that is behind opens no earlier one. Deletes those before it. */
  const read = async (all: string) => {
    const found = await records.list(all)
    const latest = /.*\//.exec(found.at(-1)?.key ?? "")?.[0] ?? ""
    const own = found.filter(({ key }) => key.startsWith(latest))
    for (const { key } of found.slice(0, -own.length)) await records.delete(key)
    return { latest, keys: own.map(({ key }) => key), sum: own.reduce((sum, { text }) => sum + Number(text), 0) }
  }
  return {
    add: (key, window, amount, limit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.tryPromise(async () => {
          if (amount > limit) return false
          const { all, current } = windowsOf(key, window, now)
          const name = crypto.randomUUID()
          let into = current
          for (let times = 0; times < most; times++) {
            // Written before it is read: of two that add at once, both may be refused, and never too many be added.
            await records.create(`${into}${name}`, String(amount))
            const { keys, latest, sum } = await read(all)
            const isCounted = keys.includes(`${into}${name}`)
            if (isCounted && sum <= limit) return true
            await records.delete(`${into}${name}`)
            if (isCounted) return false
            if (latest > into) into = latest
          }
          throw new Error("An amount of a quota was written, and is not listed")
        })
      ),
    sum: (key, window) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.tryPromise(async () => {
          const { all, current } = windowsOf(key, window, now)
          const { latest, sum } = await read(all)
          return latest < current ? 0 : sum
        })
      )
  }
}
