/**
 * The successes of one tool that need not be computed again.
 */
import * as Duration from "effect/Duration"
import { digest } from "../internal/digest.js"
import type { Success } from "../Outcome.js"
import type { Cache } from "../Policy.js"

const defaultCapacity = 1000

export class ResultCache {
  readonly #kept = new Map<string, { readonly success: Success; readonly until: number }>()
  readonly #capacity: number
  readonly #timeToLive: number
  readonly #key: (parameters: unknown) => string

  constructor(cache: Cache) {
    this.#capacity = cache.capacity ?? defaultCapacity
    this.#timeToLive = Duration.toMillis(cache.timeToLive)
    this.#key = cache.key ?? digest
  }

  get(parameters: unknown, now: number): Success | undefined {
    const key = this.#key(parameters)
    const kept = this.#kept.get(key)
    if (kept === undefined) return undefined
    if (kept.until > now) return kept.success
    this.#kept.delete(key)
    return undefined
  }

  set(parameters: unknown, success: Success, now: number): void {
    const key = this.#key(parameters)
    this.#kept.delete(key)
    this.#kept.set(key, { success, until: now + this.#timeToLive })
    // A Map keeps the order of insertion, so the first key is the oldest.
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#capacity) break
      this.#kept.delete(oldest)
    }
  }
}
