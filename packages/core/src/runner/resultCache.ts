/** The successes of one tool that need not be computed again. */
import * as Duration from "effect/Duration"
import * as Digest from "../Digest.js"
import { isObject } from "../Json.js"
import type { Success } from "../Outcome.js"
import type { Cache } from "../Policy.js"

const defaultCapacity = 1000

export class ResultCache {
  readonly #kept = new Map<string, { readonly success: Success; readonly until: number }>()
  readonly #capacity: number
  readonly #timeToLive: number
  readonly #key: Cache["key"]
  readonly #identities = new WeakMap<object, number>()
  #identified = 0

  constructor(cache: Cache) {
    this.#capacity = cache.capacity ?? defaultCapacity
    this.#timeToLive = Duration.toMillis(cache.timeToLive)
    this.#key = cache.key
  }

  /**
   * Unless the policy has its own key, what the call was sent and the call
   * context, both encoded: decoded values (dates, sets, big numbers) look the
   * same to JSON. All of the context, for a handler may read more than the hidden
   * fields of its tool, and no user may get another's result.
   */
  keyOf(parameters: unknown, sent: unknown, context: unknown): string {
    return this.#key === undefined
      ? Digest.ofValues(this.#distinct(sent), this.#distinct(context))
      : this.#key(parameters)
  }

  /** The value as JSON, in which what JSON cannot say stands as what it is. */
  #distinct(value: unknown): unknown {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value
    if (typeof value === "number" && Number.isFinite(value)) return value
    if (Array.isArray(value)) return value.map((item) => this.#distinct(item))
    if (isObject(value)) {
      const prototype: unknown = Object.getPrototypeOf(value)
      return prototype === Object.prototype || prototype === null
        ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#distinct(item)]))
        : { identity: this.#identityOf(value) }
    }
    return typeof value === "function" ? { identity: this.#identityOf(value) } : { [typeof value]: String(value) }
  }

  /** Two objects of which only their class knows whether they are equal are taken for different. */
  #identityOf(value: object): number {
    let identity = this.#identities.get(value)
    if (identity === undefined) this.#identities.set(value, (identity = ++this.#identified))
    return identity
  }

  get(key: string, now: number): Success | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) return undefined
    if (kept.until > now) return kept.success
    this.#kept.delete(key)
    return undefined
  }

  set(key: string, success: Success, now: number): void {
    this.#kept.delete(key)
    this.#kept.set(key, { success, until: now + this.#timeToLive })
    // A Map keeps the order of insertion, so the first key is the oldest.
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#capacity) break
      this.#kept.delete(oldest)
    }
  }
}
