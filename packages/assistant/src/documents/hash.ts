/** The digest of a document's bytes, a part at a time: between parts others have their turn. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import { makeBreathe } from "./breathe.js"

/** Some milliseconds' worth, in bytes. */
const part = 1_000_000

export const hashOf = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.gen(function* () {
    const breathe = yield* makeBreathe
    const hash = sha256.create()
    for (let from = 0; from < bytes.length; from += part) {
      hash.update(bytes.subarray(from, from + part))
      yield* breathe
    }
    return bytesToHex(hash.digest())
  })
