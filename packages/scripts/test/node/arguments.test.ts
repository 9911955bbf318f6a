/** What a function receives is what was sent. */
import type { Json } from "@wield/core"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { sized } from "../../../../test/sizes.js"
import { serve, value } from "./driver.js"

/** Answers what it was given, and what each of it is like to the script. */
const echo = `
  const describe = (given: unknown): unknown =>
    given === null ? "null" : Array.isArray(given) ? given.map(describe) : typeof given === "object"
      ? Object.fromEntries(Object.entries(given).map(([key, member]) => [key, describe(member)])) : typeof given
  export const run = (first: unknown, second: unknown) => ({ first, second, kind: describe([first, second]) })`

const kindOf = (given: Json.Json): Json.Json => {
  if (given === null) return "null"
  if (Array.isArray(given)) return given.map(kindOf)
  if (typeof given !== "object") return typeof given
  return Object.fromEntries(Object.entries(given).map(([key, member]) => [key, kindOf(member)]))
}

const sent = FastCheck.oneof(
  // Any UTF-16 units: lone surrogates too.
  FastCheck.string({ unit: FastCheck.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  FastCheck.constantFrom("", "--flag", "$(id)", "`id`", "a\nb\r\n", "\\", `"'`, "\0", "\u2028", "__proto__"),
  FastCheck.jsonValue({ noUnicodeString: false })
)

const asJson = (given: unknown): Json.Json => JSON.parse(JSON.stringify(given))

describe("arguments", () => {
  for (const [mode, runs] of [
    ["reset", sized(100, 300)],
    ["once", sized(3, 8)]
  ] as const) {
    it.live(`are received as they were sent (${mode})`, () =>
      Effect.gen(function* () {
        const options = { files: { "tool.ts": echo }, functions: [{ parameters: ["first", "second"] }], mode }
        const pairs = FastCheck.sample(FastCheck.tuple(sent, sent), runs)
        const warm = mode === "reset" ? yield* serve(options) : undefined
        for (const pair of pairs) {
          const [first = null, second = null] = pair.map(asJson)
          const served = warm ?? (yield* serve(options))
          const { reply } = yield* served.call({ arguments: { first, second } })
          expect(reply).toEqual(value({ first, second, kind: kindOf([first, second]) }))
        }
      }).pipe(Effect.scoped)
    )

    it.scoped(`are received whole where they have 5 MB (${mode})`, () =>
      Effect.gen(function* () {
        const served = yield* serve({
          files: { "tool.ts": echo },
          functions: [{ parameters: ["first", "second"] }],
          mode
        })
        const first = 'é\n"\\😀'.repeat(700_000)
        const { reply } = yield* served.call({ arguments: { first, second: [first.length] } })
        const isSame =
          reply.type === "value" &&
          JSON.stringify(reply.value) ===
            JSON.stringify({ first, second: [first.length], kind: ["string", ["number"]] })
        expect(isSame).toBe(true)
      })
    )
  }
})
