/**
 * Which set of tools is active in which conversation: a small service of its
 * own, so that it can be kept where conversations are kept.
 *
 * @since 0.1.0
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeFileActive } from "./toolsets/fileActive.js"
import { makeMemoryActive } from "./toolsets/memoryActive.js"
import type { ActiveToolsetFailed } from "./ToolsetManagerError.js"

/**
 * What is active: a set by its name, which means what it means at the time, or
 * functions by theirs.
 *
 * @since 0.1.0
 * @category models
 */
export type Selection =
  | { readonly _tag: "Named"; readonly name: string }
  | { readonly _tag: "Custom"; readonly functions: ReadonlyArray<string> }

/**
 * Keeps the active set of each conversation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** `undefined` where nothing was ever activated. */
  readonly get: (conversation: string) => Effect.Effect<Selection | undefined, ActiveToolsetFailed>
  readonly set: (conversation: string, selection: Selection) => Effect.Effect<void, ActiveToolsetFailed>
  /** Forgets a conversation that is gone. */
  readonly remove: (conversation: string) => Effect.Effect<void, ActiveToolsetFailed>
  /** The conversations in which a set is active by its name. */
  readonly conversationsOf: (name: string) => Effect.Effect<ReadonlyArray<string>, ActiveToolsetFailed>
}

/**
 * The service.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ActiveToolsets } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const active = yield* ActiveToolsets.ActiveToolsets
 *   yield* active.set("chat 1", { _tag: "Named", name: "research" })
 *   return [yield* active.get("chat 1"), yield* active.get("chat 2")]
 * })
 * const found = Effect.runSync(program.pipe(Effect.provide(ActiveToolsets.layerMemory)))
 * assert.deepStrictEqual(found, [{ _tag: "Named", name: "research" }, undefined])
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class ActiveToolsets extends Context.Tag("@wield/scripts/ActiveToolsets")<ActiveToolsets, Service>() {}

/**
 * Kept in memory: gone with the process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<ActiveToolsets> = Layer.sync(ActiveToolsets, () => makeMemoryActive())

/**
 * Kept in a JSON file, which is made with the first set that is activated, and
 * replaced as a whole by each further one. The file belongs to one process: it
 * is read once. Fails where the file is there and is no such file.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { NodeContext } from "@effect/platform-node"
 * import { ActiveToolsets } from "@wield/scripts"
 * import { Effect, Layer } from "effect"
 *
 * const folder = mkdtempSync(join(tmpdir(), "wield-"))
 * const file = join(folder, "active.json")
 * // Made anew each time, as by a process that has started again.
 * const inNewProcess = <A, E>(effect: Effect.Effect<A, E, ActiveToolsets.ActiveToolsets>) =>
 *   effect.pipe(Effect.provide(ActiveToolsets.layerFile(file).pipe(Layer.provide(NodeContext.layer))))
 *
 * const program = Effect.gen(function* () {
 *   yield* inNewProcess(
 *     Effect.flatMap(ActiveToolsets.ActiveToolsets, (active) => active.set("chat 1", { _tag: "Named", name: "research" }))
 *   )
 *   return yield* inNewProcess(Effect.flatMap(ActiveToolsets.ActiveToolsets, (active) => active.get("chat 1")))
 * })
 * Effect.runPromise(program)
 *   .then((found) => assert.deepStrictEqual(found, { _tag: "Named", name: "research" }))
 *   .finally(() => rmSync(folder, { recursive: true }))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerFile = (
  file: string
): Layer.Layer<ActiveToolsets, ActiveToolsetFailed, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(ActiveToolsets, makeFileActive(file))
