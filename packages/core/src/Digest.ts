/** SHA-256 as hexadecimal text. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { canonical } from "./Json.js"

/**
 * The digest of a text in UTF-8.
 *
 * @category digests
 */
export const ofText = (text: string): string => nodeHash(text) ?? bytesToHex(sha256(utf8ToBytes(text)))

/**
 * The digest of JSON values, whatever the order of their keys.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Digest } from "@wield/core"
 *
 * assert.strictEqual(Digest.ofValues("pay", { id: 7, to: "Ada" }), Digest.ofValues("pay", { to: "Ada", id: 7 }))
 * ```
 *
 * @category digests
 */
export const ofValues = (...values: ReadonlyArray<unknown>): string => ofText(canonical(values))

/**
 * Node's own SHA-256, several times as fast, where there is one: no import, so that other runtimes need none. It is
 * asked for at each use, which takes a tenth of the hash's own time, for it takes a millisecond to load.
 */
const nodeHash = (text: string): string | undefined =>
  (
    globalThis as {
      readonly process?: {
        readonly getBuiltinModule?: (name: string) => NodeCrypto | undefined
      }
    }
  ).process
    ?.getBuiltinModule?.("node:crypto")
    ?.hash?.("sha256", text)

interface NodeCrypto {
  /** Hexadecimal. Some runtimes that have Node's modules lack it. */
  readonly hash?: (algorithm: string, text: string) => string
}
