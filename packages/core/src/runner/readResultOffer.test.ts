import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ToolCall from "../ToolCall.js"
import * as ToolRunner from "../ToolRunner.js"
import * as Toolset from "../Toolset.js"

const Export = Toolkit.make(Tool.make("export_orders", { success: Schema.String }), Tool.make("other", {}))
const ExportLive = Export.toLayer({
  export_orders: () => Effect.succeed("x".repeat(100)),
  other: () => Effect.void
})

const bounded = Effect.flatMap(Toolset.fromToolkit(Export), (toolset) =>
  ToolRunner.make(toolset, { resultBound: { maxBytes: 40 } })
)

describe("read_result beside an allow-list", () => {
  it.effect("is offered, since the model is told to read on with it", () =>
    Effect.gen(function* () {
      const run = (yield* bounded).forRun({ offered: ["export_orders"] })
      expect((yield* run.definitions).map(({ name }) => name)).toEqual(["export_orders", "read_result"])

      const large = yield* run.run(ToolCall.make("call_1", "export_orders", {}))
      const note = large.notes.find(({ _tag }) => _tag === "Bounded")
      const handle = note?._tag === "Bounded" ? note.handle : ""
      const rest = yield* run.run(ToolCall.make("call_2", "read_result", { handle, offset: 20 }))
      expect(rest._tag).toBe("Success")
    }).pipe(Effect.provide(ExportLive))
  )

  it.effect("is not offered where nothing is", () =>
    Effect.gen(function* () {
      const run = (yield* bounded).forRun({ offered: [] })
      expect(yield* run.definitions).toEqual([])
      expect((yield* run.run(ToolCall.make("call_1", "read_result", {})))._tag).toBe("Unavailable")
    }).pipe(Effect.provide(ExportLive))
  )
})
