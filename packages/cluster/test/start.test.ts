import { Runner } from "@effect/cluster/Runner"
import { RunnerAddress } from "@effect/cluster/RunnerAddress"
import { RunnerStorage } from "@effect/cluster/RunnerStorage"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { Conversation, ConversationStore } from "@wield/agent"
import { Cluster, Retention } from "@wield/cluster"
import { type Duration, Effect, Layer, Logger, Redacted } from "effect"
import { sized } from "../../../test/sizes.js"
import { causeOf, untyped } from "../../../test/untyped.js"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { compareTakeovers } from "../src/entity/compareTakeovers.js"
import { freePort } from "./kill/processes.js"

it.scopedLive("processes that start together over an empty database make its tables once", () =>
  Effect.repeatN(
    Effect.gen(function* () {
      const { url } = yield* Postgres.Postgres
      const start = Layer.build(
        Layer.provide(
          Layer.fresh(Cluster.layerClient()),
          PgClient.layer({ url: Redacted.make(url), maxConnections: 3 })
        )
      )
      const started = yield* Effect.all(
        [1, 2, 3, 4, 5].map(() => Effect.scoped(start)),
        { concurrency: "unbounded" }
      )
      expect(started).toHaveLength(5)
    }).pipe(Effect.provide(Layer.fresh(Postgres.layer))),
    sized(0, 5)
  )
)

it("an address that no process could be reached at is refused where it is given", () => {
  const addresses = [
    "10.0.0.7",
    "10.0.0.7:",
    "10.0.0.7:0",
    "10.0.0.7:70000",
    ":34431",
    "::1",
    "http://10.0.0.7:34431",
    ""
  ]
  for (const address of addresses) {
    expect(() => Cluster.layerPostgres({ address })).toThrow(
      `\`address\` must be host:port, such as 10.0.0.7:34431, but is "${address}"`
    )
    expect(() => Cluster.layerPostgres({ address: "runner-1:34431", listen: address })).toThrow("`listen` must be")
  }
  Cluster.layerPostgres({ address: "[::1]:34431", listen: "0.0.0.0:34431" })
})

it("options that are misspelt or no durations are refused: more would be listened to, or deleted, than is meant", () => {
  const refusals: ReadonlyArray<readonly [unknown, unknown, string]> = [
    [Cluster.layerPostgres, { address: "runner-1:34431", listn: "127.0.0.1:34431" }, 'did you mean "listen"?'],
    [Cluster.layerPostgres, { address: "runner-1:34431", takeover: Number.NaN }, "takeover must be a duration"],
    [Cluster.layerPostgres, new Map([["address", "runner-1:34431"]]), "must be an object"],
    [Cluster.layerClient, { takover: "5 seconds" }, 'did you mean "takeover"?'],
    [Cluster.layerFile, { path: "shop.db", synchronous: true }, 'synchronous must be "full" or "normal"'],
    [Cluster.layerFile, { file: "shop.db" }, "file must be named as an option is"],
    [Retention.layer, { kep: "30 days" }, 'did you mean "keep"?'],
    [Retention.layer, { keep: Number.NaN }, "keep must be a duration"],
    [Retention.layer, { keep: null }, "keep must be a duration"],
    [Retention.layer, { keep: "30 days", every: 0 }, "every must be a duration longer than 0"]
  ]
  for (const [make, options, words] of refusals) expect(() => untyped(make)(options)).toThrow(words)
})

it.effect("a sweep that does not learn how long to keep what is over deletes nothing", () =>
  Effect.gen(function* () {
    for (const options of [{ keep: Number.NaN }, { keep: -1 }, { keep: "a month" }, {}, { keep: 0, batch: "all" }]) {
      const sweep = untyped<ReturnType<typeof Retention.sweep>>(Retention.sweep)(options)
      // It asks no database.
      const asked = Effect.provideService(sweep, SqlClient, {} as SqlClient)
      expect(yield* causeOf(asked)).toContain("must be a")
    }
  })
)

const setting = "idle_in_transaction_session_timeout"

/** The client as it is, and what limit of time each transaction has in the end, whoever begins it. */
const watchLimits = (sql: SqlClient) => {
  const limits: Array<unknown> = []
  const note = (rows: ReadonlyArray<unknown>) =>
    limits.push(...rows.map((row) => (row as { readonly [setting]: unknown })[setting]))
  const watch = (connection: Connection): Connection =>
    new Proxy(connection, {
      get: (target, key) =>
        key !== "executeUnprepared"
          ? Reflect.get(target, key)
          : (...[text, ...rest]: Parameters<Connection["executeUnprepared"]>) =>
              Effect.zipRight(
                text === "COMMIT" ? Effect.map(target.execute(`SHOW ${setting}`, [], undefined), note) : Effect.void,
                target.executeUnprepared(text, ...rest)
              )
    })
  const withTransaction: SqlClient["withTransaction"] = (effect) =>
    sql.withTransaction(Effect.zipLeft(effect, Effect.map(sql.unsafe(`SHOW ${setting}`), note)))
  const watched = { withTransaction, reserve: Effect.map(sql.reserve, watch) }
  const get = (target: SqlClient, key: string | symbol, receiver: unknown): unknown =>
    Reflect.get(key in watched ? watched : target, key, receiver)
  return { limits, watched: new Proxy(sql, { get }) }
}

const writeOver = (url: string) =>
  Effect.gen(function* () {
    const { limits, watched } = watchLimits(yield* SqlClient)
    const write = Effect.gen(function* () {
      const store = yield* ConversationStore.ConversationStore
      yield* store.create({ entries: [yield* Conversation.entry(Conversation.user("one"))] })
      return yield* SqlClient
    })
    const cluster = Layer.provide(Cluster.layerClient({ takeover: "7 seconds" }), Layer.succeed(SqlClient, watched))
    const given = yield* Effect.provide(write, Layer.fresh(cluster))
    expect(given).toBe(watched)
    expect(limits.length).toBeGreaterThan(0)
    return new Set(limits)
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 3 })))

it.scopedLive("the server ends a transaction of a process that stands still, in the time of a takeover", () =>
  Effect.gen(function* () {
    const { url } = yield* Postgres.Postgres
    expect(yield* writeOver(url)).toEqual(new Set(["7s"]))
    // Connections that have a limit keep it.
    expect(yield* writeOver(`${url}?idle_in_transaction_session_timeout=4000`)).toEqual(new Set(["4s"]))
  }).pipe(Effect.provide(Layer.fresh(Postgres.layer)))
)

const runner = (port: number) =>
  Runner.make({ address: RunnerAddress.make({ host: "127.0.0.1", port }), groups: ["default"], weight: 1 })

it.scopedLive("a runner that starts beside one with another takeover says so, and the engine reads both", () => {
  const warned: Array<string> = []
  const logger = Logger.make(
    ({ logLevel, message }) => void (logLevel.label === "WARN" && warned.push(String(message)))
  )
  return Effect.gen(function* () {
    const { url } = yield* Postgres.Postgres
    const database = PgClient.layer({ url: Redacted.make(url), maxConnections: 4 })
    const register = (port: number, takeover: Duration.DurationInput) =>
      Effect.gen(function* () {
        const storage = yield* RunnerStorage
        yield* storage.register(runner(port), true)
        return (yield* storage.getRunners).map(([{ address }]) => address.port)
      }).pipe(
        Effect.provide(
          compareTakeovers(takeover).pipe(
            Layer.provide(SqlRunnerStorage.layer),
            Layer.provide([ShardingConfig.layer({ shardLockDisableAdvisory: true }), database])
          )
        )
      )
    yield* register(1, "30 seconds")
    expect(yield* register(2, "30 seconds")).toEqual([1, 2])
    expect(warned).toEqual([])
    const port = yield* freePort
    const cluster = Cluster.layerPostgres({ address: `127.0.0.1:${port}`, takeover: "7 seconds" })
    yield* Effect.repeat(
      Effect.delay(
        Effect.sync(() => warned.length),
        "5 millis"
      ),
      { until: (count) => count === 2 }
    ).pipe(Effect.provide(Layer.provide(Layer.fresh(cluster), database)))
    expect(warned.toSorted()).toEqual(
      [1, 2].map(
        (other) =>
          `The runner 127.0.0.1:${other} has a takeover of 30s, and this one, 127.0.0.1:${port}, of 7s: the shorter takes conversations from a runner that is alive. Give all processes the same \`takeover\``
      )
    )
  }).pipe(Effect.provide(Layer.merge(Layer.fresh(Postgres.layer), Logger.replace(Logger.defaultLogger, logger))))
})
