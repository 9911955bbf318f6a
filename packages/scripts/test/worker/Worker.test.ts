import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { startProgram } from "./program.js"
import { stubProgram } from "./stub.js"

it.scopedLive("a program is told a call and answers it", () =>
  Effect.gen(function* () {
    const { call } = yield* startProgram(stubProgram("keep"))
    const ending = yield* call({ entry: "echo", arguments: { a: [1, null, "é"] } })
    expect(ending.cause).toEqual({
      type: "answered",
      answer: { type: "value", value: { a: [1, null, "é"] }, isMarked: true }
    })
  })
)

it.scopedLive("what two calls print is told apart", () =>
  Effect.gen(function* () {
    const { call } = yield* startProgram(stubProgram("keep"))
    const bytes = (text: string) => [...Buffer.from(text)]
    for (const text of ["first", "second\n", "", "\n\nthird"]) {
      const ending = yield* call(
        { entry: "print", arguments: { output: bytes(text), error: bytes(text) } },
        { isOutputKept: true }
      )
      expect(ending.standardOutput.toString()).toBe(text)
      expect(ending.standardErrorTail).toBe(text.trimEnd())
    }
  })
)
