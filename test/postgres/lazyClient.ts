/** For processes that tests start by the hundred, few of which use Postgres. */
import type { PgClientConfig } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"

/** A client of Postgres. Its driver, which loads Node's whole HTTP client, is imported where the layer is built. */
export const lazyClient = (config: PgClientConfig) =>
  Layer.unwrapEffect(Effect.promise(async () => (await import("@effect/sql-pg/PgClient")).layer(config)))
