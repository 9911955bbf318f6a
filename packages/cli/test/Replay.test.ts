import { assert, it } from "@effect/vitest"
import { Replay } from "@wield/cli"

it("a call of Gemini without arguments is one", () => {
  const parts = [{ functionCall: { name: "now" } }, { functionCall: { name: "pay", args: { cents: 1 } } }]
  assert.deepStrictEqual(Replay.callsIn({ parts }), [
    { id: "call_1", name: "now", arguments: {} },
    { id: "call_2", name: "pay", arguments: { cents: 1 } }
  ])
})
