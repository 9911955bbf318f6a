/** What JSON would lose of a result without a word ends the call, with its place in the log. */
import { describe, expect, it } from "@effect/vitest"
import { Content, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Logger } from "effect"

const run = (value: unknown, more: object = {}) =>
  Effect.gen(function* () {
    const messages: Array<unknown> = []
    const recorder = Logger.make(({ message }) => void messages.push(message))
    const toolset = yield* Toolset.dynamic([{ name: "job", execute: () => Effect.succeed(value), ...more }])
    const outcome = yield* Effect.flatMap(ToolRunner.make(toolset), (runner) =>
      runner.run(ToolCall.make("c", "job", {}))
    ).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, recorder)))
    return { outcome, log: String(messages.flat().join("\n")) }
  })

class Entity {
  id = 7
  #secret = 1
  get secret() {
    return this.#secret
  }
}
const cycle: { self?: unknown } = {}
cycle.self = { cycle }
const shared = { a: 1 }

describe("a result that is not JSON is an InvalidResult with place and reason", () => {
  const cases: ReadonlyArray<readonly [string, unknown, string]> = [
    ["a Map", new Map([["a", 1]]), "the whole: an instance of Map"],
    ["a Set within", { tags: new Set([1]) }, "/tags: an instance of Set"],
    ["an Error", { error: new TypeError("secret") }, "/error: an instance of TypeError"],
    ["an Error with fields", Object.assign(new Error("secret"), { code: 7 }), "the whole: an instance of Error"],
    ["a Response", { list: [new Response("x")] }, "/list/0: an instance of Response"],
    ["Headers", new Headers({ a: "b" }), "the whole: an instance of Headers"],
    ["a promise within", { "a/b": Promise.resolve(1) }, "/a~1b: a promise that was not awaited"],
    ["bytes", { bytes: new Uint8Array(2) }, "/bytes: an instance of Uint8Array"],
    ["a buffer", new ArrayBuffer(2), "the whole: an instance of ArrayBuffer"],
    ["a function", { run: () => 1 }, "/run: a function"],
    ["a symbol", [Symbol("a")], "/0: a symbol"],
    ["a bigint", { total: 1n }, "/total: a bigint"],
    ["a cycle", cycle, "/self/cycle: it contains itself"],
    ["NaN", { rate: Number.NaN }, "/rate: NaN"],
    ["infinity", [1, -Infinity], "/1: -Infinity"],
    ["a regular expression", { by: /a/ }, "/by: an instance of RegExp"],
    ["a generator", (function* () {})(), "the whole: an instance of"],
    [
      "a getter that throws",
      {
        get a() {
          throw new Error("secret")
        }
      },
      "/a: reading it throws an error"
    ],
    [
      "an instance that tells nothing",
      new (class Opaque {
        #a = 1
        a() {
          return this.#a
        }
      })(),
      "the whole: an instance of Opaque"
    ]
  ]
  it.effect.each(cases)("%s", ([, value, place]) =>
    Effect.gen(function* () {
      const { log, outcome } = yield* run(value)
      expect(outcome._tag).toBe("InvalidResult")
      expect(log).toContain(place)
      expect(log).not.toContain("secret")
      expect(Outcome.text(outcome)).toContain("It may have taken effect. Check its effect before you repeat it.")
    })
  )

  it.effect("a tool that changes nothing has no effect to look for", () =>
    Effect.gen(function* () {
      const { outcome } = yield* run(1n, { facts: { isReadOnly: true } })
      expect(Outcome.text(outcome)).not.toContain("effect")
    })
  )

  it.effect("within content, too", () =>
    Effect.gen(function* () {
      const { log, outcome } = yield* run([Content.json({ a: 1n })], { isContent: true })
      expect(outcome._tag).toBe("InvalidResult")
      expect(log).toContain("/0/value/a: a bigint")
    })
  )
})

describe("what has toJSON is its JSON, and an instance of a class its fields", () => {
  const url = new URL("https://a.example/b")
  const cases: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ["a Date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["a URL within", { url }, { url: "https://a.example/b" }],
    ["an own toJSON", { toJSON: () => ({ at: new Date(0) }) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["a Map that says itself", Object.assign(new Map(), { toJSON: () => [1] }), [1]],
    ["nothing", { toJSON: () => undefined }, null],
    ["an entity", [new Entity()], [{ id: 7 }]],
    ["boxed values", [Object("a"), Object(1)], ["a", 1]],
    ["the same object twice", [shared, shared], [{ a: 1 }, { a: 1 }]],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["what is absent", { at: new Date(0), b: undefined }, { at: "1970-01-01T00:00:00.000Z" }]
  ]
  it.effect.each(cases)("%s", ([, value, json]) =>
    Effect.gen(function* () {
      const { outcome } = yield* run(value)
      expect(outcome._tag).toBe("Success")
      const result = Outcome.render(outcome)
      expect(JSON.parse(JSON.stringify(result?.structured))).toEqual(json)
      expect(typeof result?.structured).toBe(json === null ? "object" : typeof json)
      expect(outcome._tag === "Success" && JSON.parse(outcome.text)).toEqual(json)
    })
  )
})
