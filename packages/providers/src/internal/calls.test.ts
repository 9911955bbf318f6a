import { expect, it } from "@effect/vitest"
import type { Message, Turn } from "@wield/core"
import { callPairs, pairedCalls } from "./calls.js"

const rule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 }

/** A call of another format, unless a format is given. */
const callOf = (id: string, format = "other"): Turn.CallPart => ({
  _tag: "Call",
  call: { id, name: "now", arguments: {} },
  executedBy: "application",
  nativeName: "now",
  nativeId: id,
  format
})

it("keeps legal ids and gives others a legal one, the same for call and result", () => {
  const pairs = callPairs("own", rule)
  expect(pairs.call(callOf("call_1"))).toBe("call_1")
  const mapped = pairs.call(callOf("call:2|x"))
  expect(mapped).toMatch(rule.pattern)
  expect(pairs.result("call_1")).toBe("call_1")
  expect(pairs.result("call:2|x")).toBe(mapped)
  expect(pairs.result("call_3")).toBeUndefined()
})

it("keeps every id that the API made itself, also one that it used before", () => {
  const pairs = callPairs("own", rule)
  for (const id of ["functions.now:0", "functions.now:0", `resp_${"7".repeat(80)}:call_0`]) {
    expect(pairs.call(callOf(id, "own"))).toBe(id)
    expect(pairs.result(id)).toBe(id)
  }
  expect(pairs.call({ ...callOf("functions.now:0", "own"), nativeId: undefined })).toMatch(rule.pattern)
})

it("tells calls of different turns apart that have the same id", () => {
  const pairs = callPairs("own", rule)
  pairs.keep({ ...callOf("call_0"), nativeId: undefined })
  expect(pairs.result("call_0")).toBe("call_0")
  expect(pairs.call(callOf("call_0"))).toBe("call_0_2")
  expect(pairs.result("call_0")).toBe("call_0_2")
})

it("answers calls of one turn that share an id in their order, each once", () => {
  const pairs = callPairs("own", rule)
  const said = [pairs.call(callOf("a")), pairs.call(callOf("a"))]
  expect(new Set(said).size).toBe(2)
  expect([pairs.result("a"), pairs.result("a"), pairs.result("a")]).toEqual([...said, undefined])
})

it("finds the calls whose results come before the model speaks again", () => {
  const user: Message.Message = { _tag: "User", content: [], native: undefined }
  const assistant: Message.Message = { _tag: "Assistant", parts: [], native: undefined }
  const results: Message.Message = {
    _tag: "Results",
    results: [{ id: "a", name: "now", isError: false, content: [] }],
    native: undefined
  }
  const isPaired = pairedCalls([assistant, results, user, assistant])(0)
  expect([isPaired("a"), isPaired("b")]).toEqual([true, false])
  expect(pairedCalls([assistant, user])(0)("a")).toBe(false)
  expect(pairedCalls([user, assistant])(1)("a")).toBe(true)
  expect(pairedCalls([assistant, results])(0)("b")).toBe(true)
})

it("finds the call of a result, also after results that nothing called", () => {
  const pairs = callPairs("own", rule)
  pairs.call(callOf("a"))
  expect([pairs.result("a"), pairs.result("a")]).toEqual(["a", undefined])
  const again = pairs.call(callOf("a"))
  expect(pairs.result("a")).toBe(again)
})
