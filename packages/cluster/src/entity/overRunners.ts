/** A layer over the storage of runners in a Postgres, which does some of what that does in another way. */
import { RunnerStorage } from "@effect/cluster/RunnerStorage"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const overRunners = (
  change: (storage: RunnerStorage["Type"], sql: SqlClient) => Partial<RunnerStorage["Type"]>
): Layer.Layer<RunnerStorage, never, RunnerStorage | SqlClient> =>
  Layer.effect(
    RunnerStorage,
    Effect.zipWith(RunnerStorage, SqlClient, (storage, sql) => ({
      ...storage,
      ...change(storage, sql.withoutTransforms())
    }))
  )
