/**
 * The digest of a call: SHA-256 over a canonical form of its tool and visible
 * arguments, so that it stays the same when a database reorders keys.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { canonical } from "../Json.js"

export const digest = (...values: ReadonlyArray<unknown>): string => sha256Hex(canonical(values))

/** The digest of a call whose visible arguments are canonical text already. */
export const digestOfCall = (tool: string, argumentText: string): string =>
  sha256Hex(`[${JSON.stringify(tool)},${argumentText}]`)

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

export const sha256Hex = (text: string): string => nodeHash(text) ?? bytesToHex(sha256(utf8ToBytes(text)))
