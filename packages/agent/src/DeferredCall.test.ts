import { describe, expect, it } from "@effect/vitest"
import { Facts, ToolCall } from "@wield/core"
import type { Json } from "@wield/core"
import { Cause, Effect, Exit, FastCheck, Redacted, Schema, TestClock } from "effect"
import { isDeepStrictEqual } from "node:util"
import * as DeferredCall from "./DeferredCall.js"
import { character } from "../../../test/characters.js"
import { runs } from "../../../test/sizes.js"
import { causeOf, untyped } from "../../../test/untyped.js"

const secret = Redacted.make("0f6c1d7f9a6e4b0c8d3b2a1908f7e6d5")
const older = Redacted.make("aa6c1d7f9a6e4b0c8d3b2a1908f7e6d5")

const request: DeferredCall.DeferredCall = {
  id: "r_1",
  conversation: "orders",
  entry: "entry_4",
  call: ToolCall.make("call_1", "refund", '{"order":"A1","amount":250}'),
  name: "refund",
  arguments: { order: "A1", amount: 250 },
  waitsFor: "approval",
  why: "it moves money",
  digest: "5d1f",
  facts: Facts.make({ title: "Refund", examples: [{ order: "A2", amount: 1 }] }),
  description: "Pays an order back",
  expiresAt: undefined,
  signature: undefined
}

const text = FastCheck.oneof(
  FastCheck.string(),
  FastCheck.string({ unit: character }),
  // Lone halves of a pair, which UTF-8 cannot say.
  FastCheck.constantFrom("\ud800", "\udfff", '","', "\\u0000", "__proto__")
)

const jsonObject: FastCheck.Arbitrary<Json.JsonObject> = FastCheck.json({ stringUnit: character, maxDepth: 2 }).map(
  (json) =>
    // JSON text is JSON.
    JSON.parse(`{"value":${json},"__proto__":{"order":1}}`) as Json.JsonObject
)

const optional = <A>(arbitrary: FastCheck.Arbitrary<A>) => FastCheck.option(arbitrary, { nil: undefined })

const requests: FastCheck.Arbitrary<DeferredCall.DeferredCall> = FastCheck.record({
  id: text,
  conversation: text,
  entry: text,
  call: FastCheck.record({ id: text, name: text, arguments: FastCheck.oneof(text, jsonObject) }),
  name: text,
  arguments: jsonObject,
  waitsFor: FastCheck.constantFrom("approval", "client"),
  why: optional(text),
  digest: text,
  facts: FastCheck.record({
    kind: FastCheck.constantFrom("local", "api", "client", "provider"),
    title: optional(text),
    isReadOnly: FastCheck.boolean(),
    isDestructive: FastCheck.boolean(),
    isIdempotent: FastCheck.boolean(),
    isOpenWorld: FastCheck.boolean(),
    disclosure: FastCheck.constantFrom("none", "endpoint", "any"),
    isSequential: FastCheck.boolean(),
    examples: FastCheck.array(jsonObject, { maxLength: 2 })
  }),
  description: optional(text),
  expiresAt: optional(FastCheck.integer({ min: 1 })),
  signature: FastCheck.constant(undefined)
})

/** Everything that a client holds: each value of the JSON, with where it is. */
const places = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))]
    : [path]

/** The value at one place given to a function, everything else as it was. */
const changedAt = (value: unknown, path: ReadonlyArray<string>, change: (inner: unknown) => unknown): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return change(value)
  const entries = Object.entries(value as object).flatMap(([name, inner]) => {
    const changed = name === key ? changedAt(inner, rest, change) : inner
    return changed === undefined ? [] : [[name, changed] as const]
  })
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

const changes: ReadonlyArray<(value: unknown) => unknown> = [
  () => undefined,
  () => null,
  (value) => (typeof value === "string" ? `${value} ` : "x"),
  (value) => (typeof value === "number" ? value + 1 : 7),
  (value) => (typeof value === "boolean" ? !value : true),
  (value) => [value],
  (value) => ({ value }),
  (value) => (Array.isArray(value) ? [...value, value] : { ...(value as object), more: 1 })
]

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const sent = (value: DeferredCall.DeferredCall) => throughJson(Schema.encodeSync(DeferredCall.DeferredCall)(value))

const received = Schema.decodeUnknownSync(DeferredCall.DeferredCall)

describe("DeferredCall", () => {
  it.effect.prop(
    "a signed request is valid after it went through JSON text",
    [requests],
    ([any]) =>
      Effect.gen(function* () {
        const signed = yield* DeferredCall.sign(secret, any)
        yield* DeferredCall.verify(secret, received(sent(signed)))
      }),
    { timeout: 30_000 }
  )

  it.effect.prop(
    "a change of any value of a signed request is noticed",
    [requests, FastCheck.nat(), FastCheck.constantFrom(...changes)],
    ([any, nat, change]) =>
      Effect.gen(function* () {
        const json = sent(yield* DeferredCall.sign(secret, any))
        const all = places(json).filter((path) => path.length > 0)
        const changed = throughJson(changedAt(json, all[nat % all.length]!, change))
        const read = yield* Effect.either(Schema.decodeUnknown(DeferredCall.DeferredCall)(changed))
        // What is no request at all, and what is no change, is not what this is about.
        if (read._tag === "Left" || isDeepStrictEqual(sent(read.right), json)) return
        expect((yield* Effect.flip(DeferredCall.verify(secret, read.right)))._tag).toBe("TamperedRequest")
      }),
    { fastCheck: { numRuns: runs(150) } }
  )

  it.effect("a change of each value of one request, each in several ways, is noticed", () =>
    Effect.gen(function* () {
      const json = sent(yield* DeferredCall.sign(secret, { ...request, expiresAt: 5000 }))
      let noticed = 0
      for (const path of places(json).filter((place) => place.length > 0)) {
        for (const change of changes) {
          const changed = throughJson(changedAt(json, path, change))
          const read = yield* Effect.either(Schema.decodeUnknown(DeferredCall.DeferredCall)(changed))
          if (read._tag === "Left" || isDeepStrictEqual(sent(read.right), json)) continue
          const error = yield* Effect.flip(DeferredCall.verify(secret, read.right))
          expect([path, error._tag]).toStrictEqual([path, "TamperedRequest"])
          noticed++
        }
      }
      expect(noticed).toBeGreaterThan(60)
    })
  )

  it.effect.prop(
    "two requests have the same signature only if they are equal",
    [requests, requests, FastCheck.constantFrom<keyof DeferredCall.DeferredCall>("entry", "why", "arguments", "facts")],
    ([one, other, field]) =>
      Effect.gen(function* () {
        // Requests that differ in one field, so that near ones are compared too.
        for (const near of [other, { ...one, [field]: other[field] }]) {
          const signature = (yield* DeferredCall.sign(secret, one)).signature
          const second = (yield* DeferredCall.sign(secret, near)).signature
          expect(signature === second).toBe(isDeepStrictEqual(sent(one), sent(near)))
        }
      })
  )

  it.effect("what stands in one field does not pass for what stands in the next", () =>
    Effect.gen(function* () {
      const one = yield* DeferredCall.sign(secret, { ...request, conversation: "a", entry: 'b","c' })
      const other = yield* DeferredCall.sign(secret, { ...request, conversation: 'a","b', entry: "c" })
      expect(one.signature).not.toBe(other.signature)
    })
  )

  it.effect("a key that is named __proto__ is signed as any other", () =>
    Effect.gen(function* () {
      const args = JSON.parse('{"__proto__":{"amount":1}}') as Json.JsonObject
      const signed = yield* DeferredCall.sign(secret, { ...request, arguments: args })
      yield* DeferredCall.verify(secret, received(sent(signed)))
      const without = yield* Effect.flip(DeferredCall.verify(secret, { ...signed, arguments: {} }))
      expect(without._tag).toBe("TamperedRequest")
    })
  )

  it.effect("the signature does not depend on the order of keys", () =>
    Effect.gen(function* () {
      const signed = yield* DeferredCall.sign(secret, { ...request, arguments: { amount: 250, order: "A1" } })
      expect(signed.signature).toBe((yield* DeferredCall.sign(secret, request)).signature)
    })
  )

  it.effect("the signature is the HMAC-SHA-256 that node:crypto computes", () =>
    Effect.gen(function* () {
      const { createHmac } = yield* Effect.promise(() => import("node:crypto"))
      const signed = yield* DeferredCall.sign(secret, request)
      const canonical =
        '{"arguments":{"amount":250,"order":"A1"},"call":{"arguments":"{\\"order\\":\\"A1\\",\\"amount\\":250}","id":"call_1","name":"refund"},"conversation":"orders","description":"Pays an order back","digest":"5d1f","entry":"entry_4","facts":{"disclosure":"any","examples":[{"amount":1,"order":"A2"}],"isDestructive":true,"isIdempotent":false,"isOpenWorld":true,"isReadOnly":false,"isSequential":false,"kind":"local","title":"Refund"},"id":"r_1","name":"refund","waitsFor":"approval","why":"it moves money"}'
      const expected = createHmac("sha256", Redacted.value(secret)).update(`wield/deferred-call/1\n${canonical}`)
      expect(signed.signature).toBe(expected.digest("hex"))
    })
  )

  it.effect("a request that another secret has signed, or none, is not taken", () =>
    Effect.gen(function* () {
      const signed = yield* DeferredCall.sign(older, request)
      expect(yield* Effect.flip(DeferredCall.verify(secret, signed))).toMatchObject({
        _tag: "TamperedRequest",
        signature: "wrong",
        conversation: "orders",
        entry: "entry_4",
        call: "call_1"
      })
      expect(yield* Effect.flip(DeferredCall.verify(secret, request))).toMatchObject({ signature: "missing" })
      const cut = { ...signed, signature: signed.signature?.slice(0, 10) }
      expect(yield* Effect.flip(DeferredCall.verify(older, cut))).toMatchObject({ signature: "wrong" })
    })
  )

  it.effect("after a change of the secret the first signs and both are taken", () =>
    Effect.gen(function* () {
      const before = yield* DeferredCall.sign(older, request)
      const after = yield* DeferredCall.sign([secret, older], request)
      yield* DeferredCall.verify([secret, older], before)
      yield* DeferredCall.verify(secret, after)
      expect((yield* Effect.flip(DeferredCall.verify(older, after)))._tag).toBe("TamperedRequest")
    })
  )

  it.effect("a secret that is empty or short stops the program", () =>
    Effect.gen(function* () {
      for (const weak of [Redacted.make(""), [secret, Redacted.make("changeme")] as const]) {
        const signing = yield* Effect.exit(DeferredCall.sign(weak, request))
        expect(Exit.isFailure(signing) && Cause.isDieType(signing.cause)).toBe(true)
        const verifying = yield* Effect.exit(DeferredCall.verify(weak, request))
        expect(Exit.isFailure(verifying) && Cause.isDieType(verifying.cause)).toBe(true)
        expect(String(verifying)).not.toContain("changeme")
      }
    })
  )

  it.effect("a request can be answered up to the moment at which it expires", () =>
    Effect.gen(function* () {
      const signed = yield* DeferredCall.sign(secret, { ...request, expiresAt: 60_000 })
      yield* TestClock.adjust("60 seconds")
      yield* DeferredCall.verify(secret, signed)
      yield* TestClock.adjust("1 millis")
      const error = yield* Effect.flip(DeferredCall.verify(secret, signed))
      expect(error).toMatchObject({ _tag: "ExpiredRequest", expiresAt: 60_000, now: 60_001 })
      expect(error.message).toContain("1970-01-01T00:01:00.000Z")
      const later = yield* Effect.flip(DeferredCall.verify(secret, { ...signed, expiresAt: 120_000 }))
      expect(later._tag).toBe("TamperedRequest")
    })
  )

  it.effect("a request whose expiry is no time has expired", () =>
    Effect.gen(function* () {
      for (const none of [Number.NaN, null, "tomorrow", "9999999999999", {}]) {
        const refused = DeferredCall.checkExpiry({ ...request, expiresAt: none as never })
        expect((yield* Effect.flip(refused)).message).toContain("1969-12-31T23:59:59.999Z")
      }
      yield* DeferredCall.checkExpiry({ ...request, expiresAt: undefined })
    })
  )

  it.effect("arguments that are nested very deeply are signed and verified", () =>
    Effect.gen(function* () {
      const deep = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`) as Json.JsonObject
      const signed = yield* DeferredCall.sign(secret, { ...request, arguments: deep })
      yield* DeferredCall.verify(secret, signed)
      expect((yield* Effect.flip(DeferredCall.verify(secret, { ...request, arguments: deep })))._tag).toBe(
        "TamperedRequest"
      )
    })
  )

  it.effect("what is no JSON is not signed, nor read without end", () =>
    Effect.gen(function* () {
      const cyclic: Record<string, Json.Json> = { amount: 1, again: [{ amount: 1 }] }
      const shared = { one: cyclic["again"]!, other: cyclic["again"]! }
      expect((yield* DeferredCall.sign(secret, { ...request, arguments: shared })).signature).toMatch(/^[0-9a-f]{64}$/)
      cyclic["again"] = [cyclic]
      const wrong = [cyclic, untyped<Json.JsonObject>(() => ({ amount: 1n }))()]
      for (const args of wrong) {
        const cause = yield* causeOf(DeferredCall.sign(secret, { ...request, arguments: args }))
        expect(cause).toContain("A request and its answer are JSON, but one")
      }
    })
  )

  it.effect("no error says what the arguments, the secret or the signature are", () =>
    Effect.gen(function* () {
      const signed = yield* DeferredCall.sign(secret, { ...request, arguments: { card: "4111" }, expiresAt: -1 })
      const errors = [
        yield* Effect.flip(DeferredCall.verify(secret, signed)),
        yield* Effect.flip(DeferredCall.verify(older, signed)),
        yield* Effect.flip(DeferredCall.decodeAnswer({ request: { ...request, arguments: "4111" } }))
      ]
      for (const error of errors) {
        const said = `${error.message} ${JSON.stringify(error)}`
        expect(said).not.toContain("4111")
        expect(said).not.toContain(Redacted.value(secret))
        expect(said).not.toContain(signed.signature)
      }
    })
  )

  it.effect("each kind of answer goes through JSON text and comes back the same", () =>
    Effect.gen(function* () {
      const answers = [
        DeferredCall.approve(request),
        DeferredCall.approveWith(request, { order: "A1", amount: 100 }),
        DeferredCall.deny(request, "not over 100"),
        DeferredCall.result(request, { clicks: 3 }),
        DeferredCall.result(request, null),
        DeferredCall.failure(request, "closed")
      ]
      for (const answer of answers) {
        const json = throughJson(yield* Schema.encode(DeferredCall.Answer)(answer))
        expect(yield* DeferredCall.decodeAnswer(json)).toStrictEqual(answer)
      }
    })
  )

  it.effect("what is no answer is refused with the place and with what was expected there", () =>
    Effect.gen(function* () {
      const json = sent(request) as Json.JsonObject
      const wrong: ReadonlyArray<readonly [unknown, ReadonlyArray<string | number>, string]> = [
        ["approve", [], "an object"],
        [{ request: json }, ["response"], "missing"],
        [{ request: json, response: { _tag: "Allow" } }, ["response", "_tag"], '"Approve" | "Deny"'],
        [{ request: json, response: { _tag: "Deny" } }, ["response", "reason"], "string"],
        [
          { request: { ...json, waitsFor: "nothing" }, response: { _tag: "Approve" } },
          ["request", "waitsFor"],
          "client"
        ],
        [
          { request: { ...json, arguments: [] }, response: { _tag: "Approve" } },
          ["request", "arguments"],
          "JSON object"
        ],
        [{ request: json, response: { _tag: "Approve", arguments: "{}" } }, ["response", "arguments"], "JSON object"],
        // The edit would be lost, and what the person has changed would run.
        [{ request: json, response: { _tag: "Approve", argments: {} } }, ["response", "argments"], "nothing more"],
        [{ request: json, response: { _tag: "Approve" }, arguments: {} }, ["arguments"], "nothing more"]
      ]
      for (const [value, path, expected] of wrong) {
        const error = yield* Effect.flip(DeferredCall.decodeAnswer(value))
        expect(error.path).toStrictEqual(path)
        expect(error.expected).toContain(expected)
        expect(error.message).toContain(path.join("."))
      }
    })
  )
})
