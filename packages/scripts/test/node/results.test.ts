/** What functions give and throw, and what is made of it. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tmpdir } from "node:os"
import { repliesOf, serve, value } from "./driver.js"

const replyOf = (body: string) =>
  Effect.map(repliesOf(`export const run = async () => { ${body} }`), ([reply]) => reply)

/** The same of many bodies, as functions of one script. */
const repliesOfBodies = (bodies: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const functions = bodies.map((body, index) => `export const run${index} = async () => { ${body} }`)
    const served = yield* serve({
      files: { "tool.ts": functions.join("\n") },
      functions: functions.map((_, index) => ({ entry: `run${index}` }))
    })
    return yield* Effect.forEach(bodies, (_, index) =>
      Effect.map(served.call({ entry: `run${index}` }), ({ reply }) => reply)
    )
  })

describe("results", () => {
  const values: ReadonlyArray<readonly [what: string, body: string, result: Parameters<typeof value>[0]]> = [
    ["null", `return null`, null],
    ["numbers", `return 1.5`, 1.5],
    [
      "objects without members that are undefined",
      `return { a: 1, b: undefined, c: [undefined] }`,
      { a: 1, c: [null] }
    ],
    ["dates as ISO texts", `return { at: new Date(0) }`, { at: "1970-01-01T00:00:00.000Z" }],
    ["what toJSON gives", `return { a: { toJSON: (key) => "json of " + key } }`, { a: "json of a" }],
    [
      "a Map as an object",
      `return new Map([["a", new Map([["__proto__", 1]])]])`,
      { a: JSON.parse(`{"__proto__":1}`) }
    ],
    ["a Set as an array", `return [new Set([1, new Set(["x"])])]`, [[1, ["x"]]]],
    ["typed arrays as arrays", `return { a: new Float64Array([1, 2.5]) }`, { a: [1, 2.5] }],
    ["what an instance has of its own", `class P { x = 1; #y = 2; get z() { return 3 } }; return new P()`, { x: 1 }],
    ["the same object twice", `const a = { x: 1 }; return [a, a]`, [{ x: 1 }, { x: 1 }]],
    ["lone surrogates", `return ["\\ud800", "a\\u2028\\n"]`, ["\ud800", "a\u2028\n"]]
  ]
  it.scoped(`tell ${values.map(([what]) => what).join(", ")}`, () =>
    Effect.gen(function* () {
      const replies = yield* repliesOfBodies(values.map(([, body]) => body))
      expect(replies).toEqual(values.map(([, , result]) => value(result)))
    })
  )

  it.scoped("are texts as they are, and nothing where nothing is returned", () =>
    Effect.gen(function* () {
      expect(yield* repliesOfBodies([`return "{\\"a\\": 1}"`, `return "\\udc00"`, ``])).toEqual([
        { type: "text", text: `{"a": 1}`, isMarked: true },
        { type: "text", text: "\udc00", isMarked: true },
        { type: "none", isMarked: true }
      ])
    })
  )

  const unreadable: ReadonlyArray<readonly [what: string, body: string, detail: string]> = [
    ["NaN", `return { a: [1, NaN] }`, "$.a[1] is NaN, which JSON has no number for"],
    ["Infinity", `return -Infinity`, "$ is -Infinity, which JSON has no number for"],
    ["functions", `return { "a b": () => 1 }`, `$["a b"] is a function`],
    ["symbols", `return [Symbol("x")]`, "$[0] is a symbol; give a text"],
    ["big integers", `return { id: 12n }`, "$.id is the BigInt 12n; give a number or a text"],
    ["circles", `const a = { b: {} }; a.b.c = a; return a`, "$.b.c holds itself; give what ends"],
    ["errors", `return { e: new Error("x") }`, "$.e is an Error; throw it, or give its message"],
    ["promises inside", `return { p: Promise.resolve(1) }`, "$.p is a Promise; await it"],
    ["patterns", `return /x/`, "$ is a RegExp; give its source"],
    ["dates that are none", `return new Date(NaN)`, "$ is an invalid Date"],
    ["Maps by objects", `return new Map([[{}, 1]])`, "$ is a Map with a key that is no text"],
    ["bytes", `return new ArrayBuffer(2)`, "$ is bytes; give a text or an array of numbers"],
    ["Buffers", `return { page: Buffer.from("hi") }`, "$.page is a Buffer; give its text, or an array of numbers"],
    ["getters that throw", `return { get a() { throw new Error("no") } }`, "it cannot be written as JSON: no"]
  ]
  it.scoped(`say that they cannot be read where there are ${unreadable.map(([what]) => what).join(", ")}`, () =>
    Effect.gen(function* () {
      const replies = yield* repliesOfBodies(unreadable.map(([, body]) => body))
      expect(replies).toEqual(unreadable.map(([, , detail]) => ({ type: "unreadable", detail, isMarked: true })))
    })
  )

  it.scoped("arrive whole where they have many megabytes", () =>
    Effect.gen(function* () {
      const length = 3_000_000
      const [reply] = yield* repliesOf(`export const run = () => ["é".repeat(${length})]`)
      expect(reply?.type === "value" && Array.isArray(reply.value) && String(reply.value[0]).length).toBe(length)
    })
  )
})

describe("failures", () => {
  const raised: ReadonlyArray<readonly [what: string, body: string, error: string, detail: string]> = [
    ["an error", `throw new RangeError("too far")`, "RangeError", "too far"],
    [
      "an error of a class of the script",
      `class NotFound extends Error {}; throw new NotFound("no x")`,
      "NotFound",
      "no x"
    ],
    ["a text", `throw "just text"`, "Error", "just text"],
    ["an object", `throw { code: 3 }`, "Error", "{ code: 3 }"],
    ["nothing", `throw undefined`, "Error", "undefined"],
    [
      "several errors",
      `throw new AggregateError([new Error("a"), new Error("b")], "both")`,
      "AggregateError",
      "both; a; b"
    ],
    ["a rejection", `await Promise.reject(new TypeError("late"))`, "TypeError", "late"]
  ]
  it.scoped(`name class and message of ${raised.map(([what]) => what).join(", ")}`, () =>
    Effect.gen(function* () {
      const replies = yield* repliesOfBodies(raised.map(([, body]) => body))
      expect(replies).toEqual(raised.map(([, , error, detail]) => ({ type: "raised", error, detail, isMarked: true })))
    })
  )

  it.scoped("print the stack, by the lines of the source and without the program's own", () =>
    Effect.gen(function* () {
      const served = yield* serve({
        files: {
          "tool.ts": `interface Removed {\n  a: string\n}\nimport { fail } from "./fail.js"\n\nexport function run(): string {\n  return fail()\n}`,
          "fail.ts": `type Removed = {\n  b: 1\n}\nexport const fail = (): string => {\n  throw new Error("here")\n}`
        }
      })
      const { standardError } = yield* served.call()
      const lines = standardError.replaceAll(`${served.folder}/`, "").trim().split("\n")
      expect(lines.map((line) => line.replace(/^\s*at .*?\(?(\w+\.ts:\d+:\d+)\)?$/, "$1"))).toEqual([
        "Error: here",
        "fail.ts:5:9",
        "tool.ts:7:10"
      ])
    })
  )

  for (const [what, body] of [
    [
      "a rejection that nobody handles",
      `Promise.reject(new TypeError("lost")); await new Promise((r) => setTimeout(r, 1000))`
    ],
    ["a rejection that is left when it has returned", `Promise.reject(new TypeError("lost")); return 1`],
    [
      "an error thrown in a callback",
      `setTimeout(() => { throw new TypeError("lost") }, 1); await new Promise((r) => setTimeout(r, 1000))`
    ]
  ] as const) {
    it.scoped(`include ${what}, after which the process is not used again`, () =>
      Effect.gen(function* () {
        expect(yield* replyOf(body)).toEqual({
          type: "raised",
          error: "TypeError",
          detail: "lost",
          isMarked: true,
          retire: "something failed that its call did not wait for"
        })
      })
    )
  }

  it.scoped("leave to the script what it has a listener for", () =>
    Effect.gen(function* () {
      const reply = yield* replyOf(`process.on("unhandledRejection", () => {}); Promise.reject(1); return 1`)
      expect(reply).toEqual(value(1))
    })
  )

  it.scoped("include waiting for what can no longer happen", () =>
    Effect.gen(function* () {
      const reply = yield* replyOf(`await new Promise(() => {})`)
      expect(reply).toMatchObject({ type: "raised", error: "UnsettledPromise", retire: "a call has not ended" })
    })
  )

  it.scoped("include waiting for it where the script has removed all listeners", () =>
    Effect.gen(function* () {
      for (const remove of ["process.removeAllListeners()", `process.removeAllListeners("beforeExit")`]) {
        const reply = yield* replyOf(`${remove}; await new Promise(() => {})`)
        expect(reply).toMatchObject({ type: "raised", error: "UnsettledPromise", retire: "a call has not ended" })
      }
    })
  )

  it.scoped("name files as the script does where they cannot be imported", () =>
    Effect.gen(function* () {
      const failing = [
        [`await import("./absent.js")`, "Cannot find module 'absent.js' imported from tool.ts"],
        [`await import("../lib/absent.js")`, "Cannot find module '../lib/absent.js' imported from tool.ts"],
        [`await import("absent-package")`, "Cannot find package 'absent-package' imported from tool.ts"],
        [`await Promise.any([import("./absent.js")])`, "Cannot find module 'absent.js' imported from tool.ts"],
        [`require("./absent.cjs")`, "Cannot find module './absent.cjs'"]
      ] as const
      // What the script says itself is its own.
      const own = `see ${tmpdir()}/notes`
      const replies = yield* repliesOfBodies([...failing.map(([body]) => body), `throw new Error("${own}")`])
      expect(replies.pop()).toMatchObject({ detail: own })
      // One that does not wait for what fails ends its process.
      const lost = `import("./absent.js"); await new Promise(() => {})`
      const all = [
        ...failing.map(([, detail], index) => [replies[index], detail] as const),
        [yield* replyOf(lost), failing[0][1]] as const
      ]
      for (const [reply, detail] of all) {
        expect(reply).toMatchObject({ type: "raised", detail: expect.stringContaining(detail) })
        expect(JSON.stringify(reply)).not.toContain(tmpdir())
      }
    })
  )

  it.scoped("are the end of the process where the script ends it", () =>
    Effect.gen(function* () {
      const served = yield* serve({ files: { "tool.ts": `export const run = () => process.exit(7)` } })
      yield* served.call()
      expect(yield* served.ended).toEqual({ code: 7, signal: null })
    })
  )

  it.scoped("are the exit code that the script has set", () =>
    Effect.gen(function* () {
      const replies = yield* repliesOf(`export const run = () => { process.exitCode = 3; return 1 }`, 2)
      const exited = { type: "exited", code: 3, signal: null, isMarked: true }
      expect(replies).toEqual([exited, exited])
    })
  )
})
