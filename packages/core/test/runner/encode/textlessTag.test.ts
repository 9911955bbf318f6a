import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { expectOutcome } from "../../tools/outcomes.js"

const Circle = Schema.Struct({ kind: Schema.Literal("circle"), radius: Schema.Number })
const Square = Schema.Struct({ kind: Schema.Literal("square"), side: Schema.Number })
/** Told apart by another property, so that the union is left to the interpreter. */
const Named = Schema.Struct({ name: Schema.Literal("point") })

const Draw = Tool.make("draw", {
  parameters: {
    shape: Schema.optional(Schema.Union(Circle, Square)),
    shapes: Schema.optional(Schema.Array(Schema.Union(Circle, Named)).pipe(Schema.maxItems(3)))
  },
  success: Schema.String
})
const Drawing = Toolkit.make(Draw)
const toolset = Toolset.fromLayer(Drawing, Drawing.toLayer({ draw: () => Effect.succeed("drawn") }))

it.scoped("an object that has no text, where a union has its literal, is the model's mistake", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* toolset)
    for (const kind of ['{"toString":1}', '{"toString":"circle","valueOf":null}', '[{"toString":{}}]']) {
      for (const args of [`{"shape":{"kind":${kind}}}`, `{"shapes":[{"kind":${kind}}]}`]) {
        const outcome = yield* runner.run(ToolCall.make("c", "draw", args))
        expect(Outcome.text(expectOutcome(outcome, "InvalidArguments"))).toContain("toString: expected no key")
      }
    }
    const named = yield* runner.run(ToolCall.make("c", "draw", '{"shape":{"kind":"circle","radius":1,"toString":1}}'))
    expectOutcome(named, "Success")
  })
)
