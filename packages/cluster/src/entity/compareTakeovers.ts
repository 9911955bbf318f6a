/**
 * A runner with a shorter `takeover` than another takes the conversations of that one while it lives, and neither hears
 * of it. So each notes its own in its row of the runners, where the engine reads what it knows, and reads the others'.
 */
import type { RunnerAddress } from "@effect/cluster/RunnerAddress"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { overRunners } from "./overRunners.js"

/** Over the storage in a Postgres. */
export const compareTakeovers = (takeover: Duration.DurationInput) =>
  overRunners((storage, sql) => {
    const compare = ({ host, port }: RunnerAddress) =>
      Effect.gen(function* () {
        const address = `${host}:${port}`
        const own = Duration.toMillis(takeover)
        const others = yield* sql<{ readonly address: string; readonly takeover: number }>`
            WITH own AS (
              UPDATE cluster_runners SET runner = (runner::jsonb || jsonb_build_object('takeover', ${own}::bigint))::text
              WHERE address = ${address}
            ), others AS (
              SELECT address, last_heartbeat, (runner::jsonb ->> 'takeover')::float AS takeover FROM cluster_runners
              WHERE address <> ${address}
            )
            SELECT address, takeover FROM others WHERE takeover <> ${own}::bigint
              AND last_heartbeat > NOW() - takeover * INTERVAL '1 millisecond'`
        for (const other of others) {
          const [theirs, ours] = [other.takeover, own].map((millis) => Duration.format(millis))
          yield* Effect.logWarning(
            `The runner ${other.address} has a takeover of ${theirs}, and this one, ${address}, of ${ours}: the shorter takes conversations from a runner that is alive. Give all processes the same \`takeover\``
          )
        }
      }).pipe(
        // A runner works without it.
        Effect.catchAllCause((cause) => Effect.logDebug(cause))
      )

    return {
      register: (runner, isHealthy) => Effect.zipLeft(storage.register(runner, isHealthy), compare(runner.address))
    }
  })
