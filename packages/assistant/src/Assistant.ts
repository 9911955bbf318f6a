/**
 * All that an assistant keeps, put together: over a file of its own, or over the
 * database that the application has.
 *
 * @since 0.1.0
 */
import type { EmbeddingModel } from "@effect/ai"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Layer from "effect/Layer"
import * as CurrentContext from "./CurrentContext.js"
import * as Goals from "./Goals.js"
import * as Memories from "./Memories.js"
import * as SearchIndex from "./SearchIndex.js"
import type { StoreError } from "./StoreError.js"
import * as UserProfile from "./UserProfile.js"

/**
 * What an assistant keeps.
 *
 * @since 0.1.0
 * @category models
 */
export type Services =
  | SearchIndex.SearchIndex
  | Memories.Memories
  | Goals.Goals
  | CurrentContext.CurrentContext
  | UserProfile.UserProfile

const over = <E, R>(
  index: Layer.Layer<SearchIndex.SearchIndex, E, R>
): Layer.Layer<Services, E | StoreError, R | SqlClient> =>
  Layer.mergeAll(Memories.layer, Goals.layer, CurrentContext.layer, UserProfile.layer).pipe(Layer.provideMerge(index))

/**
 * What an assistant keeps, in the client's database; found by words.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import * as FileStore from "@wield/agent/FileStore"
 * import { Assistant, MemoryToolkit } from "@wield/assistant"
 * import { ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { Effect, Layer } from "effect"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "assistant-")), "assistant.db")
 * const AssistantLive = MemoryToolkit.layer.pipe(
 *   Layer.provideMerge(Assistant.layer()),
 *   Layer.provide(FileStore.layerClient({ path })) // or PgClient.layer of @effect/sql-pg
 * )
 *
 * const program = Effect.gen(function* () {
 *   const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(MemoryToolkit.toolkit))
 *   const run = runner.forRun({ context: { user_id: "ada", conversation_id: "c1" } })
 *   return yield* run.run(ToolCall.make("call_1", "create_memory", { name: "Tea", text: "Ada drinks it green" }))
 * })
 * const outcome = await Effect.runPromise(program.pipe(Effect.provide(AssistantLive)))
 * assert.strictEqual(outcome._tag, "Success")
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Parameters<typeof SearchIndex.layer>[0] = {}
): Layer.Layer<Services, StoreError, SqlClient> => over(SearchIndex.layer(options))

/**
 * What an assistant keeps, in the client's database; found by words and by
 * meaning.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerEmbedding = (
  options: Parameters<typeof SearchIndex.layerEmbedding>[0]
): Layer.Layer<Services, StoreError, SqlClient | EmbeddingModel.EmbeddingModel> =>
  over(SearchIndex.layerEmbedding(options))
