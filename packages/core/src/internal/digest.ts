/**
 * The digest of a call: SHA-256 over a canonical form of its tool and visible
 * arguments, so that it stays the same when a database reorders keys.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { isObject } from "../Json.js"

export const digest = (...values: ReadonlyArray<unknown>): string => sha256Hex(canonical(values))

/**
 * JSON text with sorted keys. Values nested too deeply for recursion never come
 * here: `parse` bounds the depth of arguments.
 */
export const canonical = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value) ?? "null"
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`
}

interface Hash {
  update(text: string): Hash
  digest(encoding: "hex"): string
}

/** Node's own SHA-256, several times as fast, where there is one: no import, so that other runtimes need none. */
const crypto = (
  globalThis as {
    readonly process?: {
      readonly getBuiltinModule?: (name: string) => { readonly createHash: (algorithm: string) => Hash } | undefined
    }
  }
).process?.getBuiltinModule?.("node:crypto")

export const sha256Hex = (text: string): string =>
  crypto === undefined ? bytesToHex(sha256(utf8ToBytes(text))) : crypto.createHash("sha256").update(text).digest("hex")
