/** What a program without a compiler may give to a constructor: misspelt, it would protect nothing. */
import { describe, expect, it } from "@effect/vitest"
import { Facts, Guard, Handler, ToolSearch } from "@wield/core"
import { Effect } from "effect"
import { causeOf, untyped } from "../../../test/untyped.js"

type Given = Effect.Effect<unknown, unknown, never>

describe("facts that are misspelt, or of another type, are refused", () => {
  const wrong: ReadonlyArray<readonly [string, () => unknown, string]> = [
    ["a name", () => untyped(Facts.make)({ isSequental: true }), 'did you mean "isSequential"?'],
    ["a type", () => untyped(Facts.make)({ isReadOnly: "yes" }), 'isReadOnly must be true or false, but is "yes"'],
    ["all", () => untyped(Facts.make)(null), "What `Facts.make` takes must be an object, but is null"],
    ["who learns", () => untyped(Facts.disclosure)("non"), 'must be "none" or "endpoint" or "any", but is "non"'],
    ["local endpoints", () => untyped(Facts.staysLocal)({ isEndpointAllowd: () => true }), "did you mean"],
    ["a list for a function", () => untyped(Facts.staysLocal)({ isEndpointAllowed: ["a"] }), "must be a function"]
  ]
  it.each(wrong)("%s", (_, make, problem) => expect(make).toThrow(problem))
})

describe("guards are asked about nothing where one is misspelt", () => {
  const pass = () => Guard.pass
  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["not a list", undefined, "guards must be an array, but is nothing"],
    ["a promise", Promise.resolve([]), "guards must be an array, but is a promise that was not awaited"],
    ["without a check", [{ name: "cards", chek: pass }], 'did you mean "check"?'],
    ["without a name", [{ check: pass }], "guards[0].name must be a name, but is nothing"],
    ["of no place", [{ name: "cards", check: pass, on: [] }], "guards[0].on must be an array"],
    [
      "of a time that is none",
      [{ name: "cards", check: pass, timeout: "soon" }],
      "guards[0].timeout must be a duration"
    ]
  ]
  it.effect.each(wrong)("%s", ([, guards, problem]) =>
    Effect.gen(function* () {
      const about = { on: "input", context: {}, call: undefined }
      expect(yield* causeOf(untyped<Given>(Guard.ask)(guards, "4111", about))).toContain(problem)
    })
  )
})

describe("a search of tools is not made, or asked,", () => {
  const make = untyped<Effect.Effect<ToolSearch.ToolSearch>>(ToolSearch.make)
  const wrong: ReadonlyArray<readonly [string, Given, string]> = [
    ["with an embedder of another name", make([], { embeder: {} }), 'did you mean "embedder"?'],
    ["with one that embeds nothing", make([], { embedder: () => [] }), "embedder must be an object with a function"],
    ["with a patience that is none", make([], { patience: Number.NaN }), "patience must be a duration longer than 0"],
    ["over tools without names", make([{ nam: "pay" }]), "A tool that is searched must be one with a name"],
    ["over requests in one text", make([{ name: "pay", requests: "pay" }]), "an array as `requests`"],
    ["for nothing", Effect.flatMap(make(), ({ search }) => untyped<Given>(search)()), "What is searched for must be"],
    [
      "for a misspelt number",
      Effect.flatMap(make(), ({ search }) => untyped<Given>(search)("a", { lim: 1 })),
      '"limit"?'
    ]
  ]
  it.effect.each(wrong)("%s", ([, made, problem]) =>
    Effect.gen(function* () {
      expect(yield* causeOf(made)).toContain(problem)
    })
  )
})

it("what a tool does is a function where it is made, and not at its first call", () => {
  expect(() => untyped(Handler.fromFunction)("paid")).toThrow('takes must be a function, but is "paid"')
})
