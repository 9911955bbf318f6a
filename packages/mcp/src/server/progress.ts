/** What a handler reports of its progress, as notifications: rising, and at most ten a second after the first ten. */
import * as Json from "@wield/core/Json"
import * as Effect from "effect/Effect"
import type { Incoming } from "./incoming.js"
import { can } from "./revision.js"

const burst = 10
const perMillisecond = 10 / 1000

export const reporterOf = (incoming: Incoming): ((value: unknown) => Effect.Effect<void>) | undefined => {
  const token = incoming.meta?.["progressToken"]
  if (typeof token !== "string" && typeof token !== "number") return undefined
  let last = -1
  let allowance = burst
  let at = performance.now()
  return (value) =>
    Effect.suspend(() => {
      const now = performance.now()
      allowance = Math.min(burst, allowance + (now - at) * perMillisecond)
      at = now
      const { message, progress = last + 1, total } = read(value)
      if (progress <= last || allowance < 1) return Effect.void
      allowance -= 1
      last = progress
      return incoming.notify("notifications/progress", {
        progressToken: token,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined || !can(incoming.caller.revision, "progressMessage") ? {} : { message })
      })
    })
}

/** The words of a report, for people. */
export const messageOf = (value: unknown): string | undefined => read(value).message

interface Progress {
  readonly progress?: number
  readonly total?: number
  readonly message?: string
}

/** A number is how far, a text says so, an object says both in the protocol's words. */
const read = (value: unknown): Progress => {
  if (typeof value === "number") return Number.isFinite(value) ? { progress: value } : {}
  if (typeof value === "string") return { message: value }
  if (!Json.isObject(value)) return {}
  const { message, progress, total } = value
  return {
    ...(typeof progress === "number" && Number.isFinite(progress) ? { progress } : {}),
    ...(typeof total === "number" && Number.isFinite(total) ? { total } : {}),
    ...(typeof message === "string" ? { message } : {})
  }
}
