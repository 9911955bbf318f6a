/**
 * A process of its own that saves toolsets: `saver.ts file name count`.
 */
import { NodeContext } from "@effect/platform-node"
import { Toolset } from "@wield/core"
import { ActiveToolsets, ToolsetManager } from "@wield/toolset-manager"
import { Effect, Layer } from "effect"

const [userFile, name, count] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const toolset = yield* Toolset.dynamic([{ name: "web_search", execute: () => Effect.void }])
  const manager = yield* ToolsetManager.make({ toolset, userFile })
  yield* Effect.forEach(Array.from({ length: Number(count) }), (_, index) =>
    manager.save(`${name} ${index}`, ["web_search"])
  )
})

await Effect.runPromise(
  program.pipe(Effect.scoped, Effect.provide(Layer.merge(NodeContext.layer, ActiveToolsets.layerMemory)))
)
