/**
 * The digest of a call: SHA-256 over a canonical form of its tool and visible
 * arguments, so that it stays the same when a database reorders keys.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

export const digest = (...values: ReadonlyArray<unknown>): string => sha256Hex(canonical(values))

/** The digest of a call whose visible arguments are canonical text already. */
export const digestOfCall = (tool: string, argumentText: string): string =>
  sha256Hex(`[${JSON.stringify(tool)},${argumentText}]`)

/**
 * JSON text with sorted keys. Values nested too deeply for recursion never come
 * here: `parse` bounds the depth of arguments.
 */
export const canonical = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value)
    case "boolean":
      return value ? "true" : "false"
    case "number":
      return Number.isFinite(value) ? String(value) : "null"
    case "object":
      return value === null ? "null" : Array.isArray(value) ? canonicalArray(value) : canonicalObject(value)
    default:
      return "null"
  }
}

const canonicalArray = (value: ReadonlyArray<unknown>): string => {
  let text = "["
  for (let index = 0; index < value.length; index++) text += (index === 0 ? "" : ",") + canonical(value[index])
  return `${text}]`
}

const canonicalObject = (value: object): string => {
  const fields = value as { readonly [key: string]: unknown }
  let text = "{"
  for (const key of Object.keys(value).sort()) {
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:${canonical(fields[key])}`
  }
  return `${text}}`
}

interface Hash {
  update(text: string): Hash
  digest(encoding: "hex"): string
}

/**
 * Node's own SHA-256, several times as fast, where there is one: no import, so that other runtimes need none. It is
 * asked for at each use, which takes a tenth of the hash's own time, for it takes a millisecond to load.
 */
const nodeCrypto = () =>
  (
    globalThis as {
      readonly process?: {
        readonly getBuiltinModule?: (name: string) => { readonly createHash: (algorithm: string) => Hash } | undefined
      }
    }
  ).process?.getBuiltinModule?.("node:crypto")

export const sha256Hex = (text: string): string =>
  nodeCrypto()?.createHash("sha256").update(text).digest("hex") ?? bytesToHex(sha256(utf8ToBytes(text)))
