import { describe, expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { Effect, FastCheck } from "effect"
import { shareInFile } from "../shareInFile.js"
import { callOnce, python, said, startPython, text, value } from "./python.js"
import { character } from "../../../../test/characters.js"
import { runs, sized } from "../../../../test/sizes.js"

const echo = `
def run(a=None, **others):
    return {"a": a, **others}

def measure(a: str):
    return [len(a), a]

def text(a: str):
    return a
`

const strings = FastCheck.oneof(
  FastCheck.string({ unit: character }),
  FastCheck.string({ unit: "grapheme" }),
  FastCheck.constantFrom(
    "",
    "\n",
    "\r\n",
    "'",
    '"',
    "\\",
    "$(id)",
    "`id`",
    "--help",
    "-",
    "\u0000",
    "\u2028",
    "\ud800",
    "\udc00x",
    "%s",
    "{}"
  )
)
const values = FastCheck.letrec<{ value: Json.Json }>((tie) => ({
  value: FastCheck.oneof(
    { maxDepth: 4, withCrossShrink: true },
    FastCheck.constant(null),
    FastCheck.boolean(),
    FastCheck.maxSafeInteger(),
    FastCheck.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    strings,
    FastCheck.array(tie("value"), { maxLength: 4 }),
    FastCheck.dictionary(strings, tie("value"), { maxKeys: 4, noNullPrototype: true })
  )
})).value

const program = shareInFile(startPython("fork", echo))

describe.skipIf(python === undefined)("python3 is on the path", () => {
  it.scopedLive("what a function receives and returns is what was sent, in a forked child", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      const runtime = yield* Effect.runtime()
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(values, async (a) => {
            const answered = await Effect.runPromise(Effect.provide(call({ a }), runtime))
            expect(said(answered)).toEqual(value({ a }))
          }),
          { numRuns: runs(300) }
        )
      )
    })
  )

  it.live("what a function receives and returns is what was sent, in a process of its own", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(values, async (a) => {
          expect(said(await Effect.runPromise(callOnce(echo, { a })))).toEqual(value({ a }))
        }),
        { numRuns: sized(1, 15) }
      )
    )
  )

  it.scopedLive("texts of many megabytes go in and out whole", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      for (const size of sized([5], [5, 50])) {
        const a = 'äb\n\\"'.repeat((size * 1_000_000) / 5)
        const answered = yield* call({ a }, { entry: "measure" })
        const json = said(answered) as { readonly value: readonly [number, string] }
        expect(json.value[0]).toBe(a.length)
        expect(json.value[1] === a).toBe(true)
      }
    })
  )

  it.scopedLive("lone surrogates end no program, in texts and in names", () =>
    Effect.gen(function* () {
      const { call } = yield* startPython("keep", echo)
      expect(said(yield* call({ a: "\ud83d" }, { entry: "text" }))).toEqual(text("\ud83d"))
      expect(said(yield* call({ a: { "\ude00": 1 } }))).toEqual(value({ a: { "\ude00": 1 } }))
    })
  )

  it.scopedLive("arguments nested deeper than Python reads are refused, and the next call is served", () =>
    Effect.gen(function* () {
      const { call } = yield* program
      let a: Json.Json = 1
      for (let depth = 0; depth < 3000; depth++) a = [a]
      // Later versions of Python read deeper than earlier ones, and none writes what it cannot.
      const answer = said(yield* call({ a })) as { readonly type: string }
      expect(["argument", "unreadable"]).toContain(answer.type)
      expect(said(yield* call({ a: 1 }))).toEqual(value({ a: 1 }))
    })
  )
})
