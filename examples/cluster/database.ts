/** What all processes of the shop share. */
import { PgClient } from "@effect/sql-pg"
import { Config } from "effect"

export const Database = PgClient.layerConfig({ url: Config.redacted("DATABASE_URL") })

/** How long a runner may be silent before the others take its conversations. */
export const takeover = "10 seconds"
