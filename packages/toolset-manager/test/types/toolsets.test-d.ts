import type { FileSystem, Path } from "@effect/platform"
import type { Toolset, ToolsetError } from "@wield/core"
import { ActiveToolsets, ToolsetManager } from "@wield/toolset-manager"
import type { Effect, Layer } from "effect"
import { describe, expectTypeOf, it } from "vitest"

type Success<T> = T extends Effect.Effect<infer A, infer _E, infer _R> ? A : never

declare const toolset: Toolset.Toolset<Toolset.DynamicTools, never, ToolsetError>

describe("a toolset manager", () => {
  it("wants to know where the active set of a conversation is kept", () => {
    const layer = ToolsetManager.layer({ toolset, userFile: "user.json" })
    type Wanted = Layer.Layer.Context<typeof layer>
    expectTypeOf<Wanted>().toEqualTypeOf<ActiveToolsets.ActiveToolsets | FileSystem.FileSystem | Path.Path>()
    expectTypeOf(ActiveToolsets.layerMemory).toEqualTypeOf<Layer.Layer<ActiveToolsets.ActiveToolsets>>()
  })
  it("gives a toolset with the tools, requirements and errors of its source", () => {
    const made = ToolsetManager.make({ toolset, userFile: "user.json" })
    expectTypeOf<Success<typeof made>>().toEqualTypeOf<
      ToolsetManager.Service<Toolset.DynamicTools, never, ToolsetError>
    >()
  })
})
