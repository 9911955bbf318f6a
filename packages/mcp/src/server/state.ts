/**
 * The state that a client carries from one round of a call to the next. It is
 * encrypted, so that the client cannot read it, and bound to whom it was given
 * for what, so that nothing else opens it.
 */
import type { Outcome } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { invalidState, type RpcError } from "./rpc.js"

export interface RoundState {
  /** The run in the journal that the call goes on in, and the call's id. */
  readonly run: string
  readonly call: string
  readonly round: number
  /** The keys that were asked for. */
  readonly asked: ReadonlyArray<string>
  readonly answers: { readonly [key: string]: unknown }
  /** The digest of the call that waits, and what it waits for where that is not approval. */
  readonly waiting?: { readonly digest: string; readonly input?: Outcome.Input | undefined } | undefined
  /** The digest of the call, once it is approved. */
  readonly approved?: string | undefined
  /** Whether the limits of calls have counted the call. */
  readonly isCounted?: boolean
}

interface Sealed extends RoundState {
  readonly id: string
  readonly expires: number
}

const ivBytes = 12

export class StateSeal {
  readonly #key: Promise<CryptoKey>
  /** States that have been used, and when they expire. */
  readonly #used = new Map<string, number>()

  constructor(
    secret: string | undefined,
    private readonly lifetime: number
  ) {
    const material =
      secret === undefined ? crypto.getRandomValues(new Uint8Array(32)) : new TextEncoder().encode(secret)
    this.#key = crypto.subtle
      .digest("SHA-256", material)
      .then((bytes) => crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]))
  }

  /** `binding` says whom and what the state is for: principal, method, parameters. */
  seal(state: RoundState, binding: string, now: number): Effect.Effect<string> {
    const sealed: Sealed = { ...state, id: crypto.randomUUID(), expires: now + this.lifetime }
    return Effect.promise(async () => {
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
      const text = new TextEncoder().encode(JSON.stringify(sealed))
      const secret = await crypto.subtle.encrypt(parameters(iv, binding), await this.#key, text)
      const bytes = new Uint8Array(ivBytes + secret.byteLength)
      bytes.set(iv)
      bytes.set(new Uint8Array(secret), ivBytes)
      return Encoding.encodeBase64Url(bytes)
    })
  }

  open(state: string, binding: string, now: number): Effect.Effect<Sealed, RpcError> {
    const decrypted = Effect.tryPromise({
      try: async () => {
        const bytes = Either.getOrThrow(Encoding.decodeBase64Url(state)).slice()
        const [iv, secret] = [bytes.slice(0, ivBytes), bytes.slice(ivBytes)]
        const text = await crypto.subtle.decrypt(parameters(iv, binding), await this.#key, secret)
        // Only this class makes what its key opens.
        return JSON.parse(new TextDecoder().decode(text)) as Sealed
      },
      catch: invalidState
    })
    return Effect.filterOrFail(decrypted, ({ expires, id }) => expires > now && !this.#used.has(id), invalidState)
  }

  giveBack({ id }: Sealed): void {
    this.#used.delete(id)
    this.#used.delete(countOf(id))
  }

  /** A state that let a call run lets no second one run. */
  use({ expires, id }: Sealed, now: number): void {
    this.#remember(id, expires, now)
  }

  /** Whether the call was counted before; sent again, its state is another attempt. */
  useCount({ expires, id, isCounted }: Sealed, now: number): boolean {
    const name = countOf(id)
    if (isCounted !== true || this.#used.has(name)) return false
    this.#remember(name, expires, now)
    return true
  }

  #remember(name: string, expires: number, now: number): void {
    this.#used.set(name, expires)
    for (const [oldest, until] of this.#used) {
      if (until > now) break
      this.#used.delete(oldest)
    }
  }
}

/** What the use of its count is remembered by. */
const countOf = (id: string): string => `${id} count`

const parameters = (iv: Uint8Array<ArrayBuffer>, binding: string): AesGcmParams => ({
  name: "AES-GCM",
  iv,
  additionalData: new TextEncoder().encode(binding)
})
