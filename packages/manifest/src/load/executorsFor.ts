/**
 * The executors of all entries, those that keep messages included.
 */
import * as Effect from "effect/Effect"
import type { Executor } from "../Executor.js"
import { InvalidManifest } from "../ManifestError.js"
import type { ExecutorOptions } from "./Binding.js"
import { executorsOf } from "./executors.js"
import type { Manifest } from "./Manifest.js"

export const executorsFor = (
  manifest: Manifest,
  options: ExecutorOptions
): Effect.Effect<ReadonlyMap<string, Executor>, unknown, unknown> =>
  Effect.flatMap(
    executorsOf(
      manifest,
      manifest.entries.filter((entry) => entry._tag === "Api"),
      options
    ),
    ({ all, problems }) => (problems.length === 0 ? Effect.succeed(all) : new InvalidManifest({ problems }))
  )
