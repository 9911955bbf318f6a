/** What plain JavaScript gives without its types: no test passes because a name in it is misspelt. */
import { NodeFileSystem } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Outcome, ToolCall, Toolset } from "@wield/core"
import { Effect, Layer } from "effect"
import { causeOf, untyped } from "../../../test/untyped.js"
import * as FunctionModel from "./FunctionModel.js"
import * as Laws from "./Laws.js"
import * as OutcomeAssertions from "./OutcomeAssertions.js"
import * as Recorded from "./Recorded.js"
import * as ScriptedModel from "./ScriptedModel.js"
import * as ToolCalls from "./ToolCalls.js"

it("an assertion takes outcomes only: an effect that nothing has run has the tag of a success, too", () => {
  const expectSuccess = untyped(OutcomeAssertions.expectSuccess)
  for (const other of [Effect.void, Promise.resolve(), undefined, { _tag: "Success" }]) {
    expect(() => expectSuccess(other)).toThrow("What is expected to be an outcome must be an outcome")
  }
  const denied = Outcome.denial(ToolCall.make("call_1", "refund", {}), "over 100")
  expect(OutcomeAssertions.expectDenied(denied).reason).toBe("over 100")
})

it.live("laws run no handler for a name that is misspelt, and try all that are named", () =>
  Effect.gen(function* () {
    let runs = 0
    const toolset = yield* Toolset.dynamic([{ name: "delete", execute: () => Effect.sync(() => void runs++) }])
    const check = untyped<Effect.Effect<unknown, unknown>>(Laws.check)
    const wrong: ReadonlyArray<readonly [object, string]> = [
      [{ except: ["delte"] }, 'must be named as a tool is (did you mean "delete"?)'],
      [{ only: ["delte"] }, 'must be named as a tool is (did you mean "delete"?)'],
      [{ excpt: ["delete"] }, 'did you mean "except"?'],
      [{ isDry: "yes" }, "isDry must be true or false"],
      [{ laws: ["one-outcom"] }, 'laws[0] must be "valid-arguments" or'],
      [{ runs: Number.NaN }, "runs must be a whole number"],
      [{ context: Promise.resolve({}) }, "context must be an object"]
    ]
    for (const [options, words] of wrong) expect(yield* causeOf(check(toolset, options))).toContain(words)
    expect(runs).toBe(0)
    const make = untyped<Effect.Effect<unknown, unknown>>(ToolCalls.make)
    expect(yield* causeOf(make(toolset, { polcy: {} }))).toContain('did you mean "policy"?')
    expect(yield* causeOf(make(toolset, undefined))).toContain("What tools are called with must be an object")
  })
)

it.live("a recording is not made where what is secret is misspelt", () =>
  Effect.gen(function* () {
    const layer = untyped<Layer.Layer<unknown>>(Recorded.layer)
    const wrong: ReadonlyArray<readonly [unknown, string]> = [
      [{ file: "x.json", secret: { headers: ["x-key"] } }, 'did you mean "secrets"?'],
      [{ file: "x.json", secrets: { header: ["x-key"] } }, 'did you mean "headers"?'],
      [{ file: "x.json", secrets: { values: ["plain"] } }, "secrets.values[0] must be a secret"],
      [{ file: "x.json", secrets: ["x-key"] }, "secrets must be an object"],
      [{ file: "x.json", mode: "reply" }, 'mode must be "replay" or "record" or "auto"'],
      [{}, "file must be a name"]
    ]
    for (const [options, words] of wrong) {
      const built = Effect.scoped(Layer.build(Layer.provide(layer(options), NodeFileSystem.layer)))
      expect(yield* causeOf(built)).toContain(words)
    }
  })
)

it("a model of a test is refused where it could answer nothing, or without end", () => {
  const scripted = untyped(ScriptedModel.make)
  expect(() => scripted(undefined)).toThrow("The turns of a ScriptedModel must be an array")
  expect(() => scripted(["Hello"])).toThrow("[0] must be a turn or a part of one")
  expect(() => scripted([], { deltaCharacters: 0 })).toThrow("deltaCharacters must be a whole number of at least 1")
  expect(() => untyped(FunctionModel.make)({})).toThrow("What a FunctionModel answers with must be a function")
  expect(() => untyped(FunctionModel.make)(() => "Hello", { idd: "m" })).toThrow('did you mean "id"?')
})
