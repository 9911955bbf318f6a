import { expect, it } from "@effect/vitest"
import { ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { expectOutcome } from "./tools/outcomes.js"

/** What a dynamic tool hands on may be read by somebody who takes any case for the same. */
const spellings = [
  "customerskid",
  "CUSTOMERSKID",
  "cu\u017ftomer\u017fkid",
  "customers\u212aid",
  "customersk\u0131d",
  "\uff43ustomerskid"
]

it.effect("a hidden field is dropped in any spelling that case folding takes for it", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      {
        name: "t",
        inputSchema: {
          type: "object",
          properties: { customersKid: { type: "string" }, text: { type: "string" } },
          propertyOrdering: ["customersKid", "text"]
        },
        hidden: ["customersKid"],
        execute: Effect.succeed
      }
    ])
    const run = (yield* ToolRunner.make(toolset)).forRun({ context: { customersKid: "of the context" } })
    expect(JSON.stringify(yield* run.definitions)).not.toContain("customersKid")
    for (const [index, spelling] of spellings.entries()) {
      const sent = { [spelling]: "of the model", text: "x", téxt: "y" }
      const outcome = expectOutcome(yield* run.run(ToolCall.make(`c${index}`, "t", sent)), "Success")
      expect(outcome.encoded).toEqual({ text: "x", téxt: "y", customersKid: "of the context" })
      expect(outcome.notes).toContainEqual({ _tag: "Stripped", field: spelling })
    }
  })
)
