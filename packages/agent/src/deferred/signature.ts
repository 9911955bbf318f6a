/**
 * HMAC-SHA-256 over the canonical text of a request without its signature.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Redacted from "effect/Redacted"
import type { DeferredCall, Secrets } from "../DeferredCall.js"
import { canonical } from "./canonical.js"

/** Whatever else the secret signs, it never signs a text that begins like this. */
const domain = "wield/deferred-call/1\n"

/** Bytes. A shorter secret can be tried out by whoever holds one request. */
const shortest = 16

/** A program that is set up wrongly: it must not run with signatures that anybody can make. */
class WeakSecret extends Error {
  override readonly name = "WeakSecret"
  constructor() {
    super(
      `A secret that signs deferred calls is shorter than ${shortest} bytes: give one of 32 random bytes, and look whether the setting it comes from is there`
    )
  }
}

/** The keys of the secrets, or why they are none. */
export const keysOf = (secrets: Secrets): readonly [Uint8Array, ...ReadonlyArray<Uint8Array>] | WeakSecret => {
  const all = Redacted.isRedacted(secrets) ? [secrets] : secrets
  const keys = all.map((secret) => utf8ToBytes(Redacted.value(secret)))
  const [first, ...others] = keys
  return first === undefined || keys.some((key) => key.length < shortest) ? new WeakSecret() : [first, ...others]
}

export const signatureOf = (key: Uint8Array, request: DeferredCall): string => {
  const { signature: _, ...signed } = request
  return bytesToHex(hmac(sha256, key, utf8ToBytes(domain + canonical(signed))))
}

/** Whether one of the keys has signed; all of them are tried, so that the time does not tell which. */
export const isSigned = (keys: ReadonlyArray<Uint8Array>, request: DeferredCall, signature: string): boolean => {
  let isOne = false
  for (const key of keys) isOne = areEqual(signatureOf(key, request), signature) || isOne
  return isOne
}

/** In a time that depends on the length only, which is no secret. */
const areEqual = (expected: string, received: string): boolean => {
  if (expected.length !== received.length) return false
  let difference = 0
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ received.charCodeAt(index)
  }
  return difference === 0
}
