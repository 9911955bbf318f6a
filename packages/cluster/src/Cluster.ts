/**
 * Where conversations live: one file and one process, or Postgres and many.
 */
import { MessageStorage } from "@effect/cluster/MessageStorage"
import { RunnerAddress } from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import { makeWithTransaction, SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import type { ConversationError } from "@wield/agent"
import * as ConversationStore from "@wield/agent/ConversationStore"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import * as Journal from "@wield/core/Journal"
import { aDuration, aDurationOrZero, aName, aText, type Checks, fields, oneOf, orThrow } from "@wield/core/Options"
import { asStore } from "@wield/core/Traces"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { acquireSoon } from "./entity/acquireSoon.js"
import { compareTakeovers } from "./entity/compareTakeovers.js"
import { deliverAgain } from "./entity/deliverAgain.js"
import { localMessages, pollAfterLocal } from "./entity/localMessages.js"
import { refuseReuse } from "./entity/refuseReuse.js"
import { releaseTogether } from "./entity/releaseTogether.js"
import * as Runs from "./Runs.js"

/**
 * What each layer provides: the cluster, conversations, the journal, the runs,
 * and the client of the database for tables of your own.
 *
 * @category models
 */
export type Services =
  | Sharding.Sharding
  | MessageStorage
  | ConversationStore.ConversationStore
  | Journal.Journal
  | Runs.Runs
  | SqlClient

/** Without what the engine leaves beside them: what is provided is copied with each change of it. */
const pickServices = Context.pick(
  Sharding.Sharding,
  MessageStorage,
  ConversationStore.ConversationStore,
  Journal.Journal,
  Runs.Runs,
  SqlClient
)

/** What stands beside the cluster in its database. */
const stored = Layer.provideMerge(Runs.layer, Layer.merge(SqlConversationStore.layer, SqlJournal.layer))

/** The engine asks its tables all the time: their statements would be most of a trace. */
const withoutSpans =
  <I, S extends object>(tag: Context.Tag<I, S>) =>
  <E, R>(layer: Layer.Layer<I, E, R>): Layer.Layer<I, E, R> =>
    Layer.map(layer, (context) => Context.add(context, tag, asStore(Context.get(context, tag))))

/** Messages, each id of which stands for one. */
const messages = Layer.provide(refuseReuse, SqlMessageStorage.layer).pipe(withoutSpans(MessageStorage))

/** Local messages need no detour over their encoding: the types are those of this package. */
const common = { simulateRemoteSerialization: false } as const

/**
 * Which file, and how long things may take.
 *
 * @category models
 */
export interface FileOptions {
  /** The path of the file, which is made if it is missing. Its folder must exist. */
  readonly path: string
  /** As `FileStore` has it; `full` unless given. */
  readonly synchronous?: "full" | "normal" | undefined
  /** How long an entity is kept in memory that has nothing to do; 1 minute unless given. */
  readonly idle?: Duration.DurationInput | undefined
  /** How long a run may take to its next step when the process closes; 15 seconds unless given. */
  readonly grace?: Duration.DurationInput | undefined
}

/**
 * One process over one SQLite file: what was accepted survives the process. A
 * second process must not serve the same file. Needs the optional peer `libsql`.
 *
 * @category layers
 */
export const layerFile = (
  options: FileOptions
): Layer.Layer<Services, ConversationError.StoreError | Runs.ClusterError> => {
  orThrow(checkFile(options), "What `Cluster.layerFile` takes")
  const runner = Sharding.layer.pipe(
    Layer.provideMerge(Runners.layerNoop),
    Layer.provideMerge(messages),
    Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
    Layer.provide(
      ShardingConfig.layerFromEnv({
        ...common,
        entityMaxIdleTime: options.idle ?? "1 minute",
        entityTerminationTimeout: options.grace ?? "15 seconds",
        // Nothing but a message that is due later comes from elsewhere than this process.
        entityMessagePollInterval: "1 second"
      })
    )
  )
  const client = Layer.unwrapEffect(
    // libsql is a native module: only who has a file loads it.
    Effect.map(
      Effect.promise(() => import("@wield/agent/FileStore")),
      (FileStore) => FileStore.layerClient({ path: options.path, synchronous: options.synchronous })
    )
  )
  return stored.pipe(
    Layer.merge(deliverAgain("5 seconds")),
    Layer.provideMerge(Layer.orDie(runner)),
    Layer.provideMerge(client),
    Layer.map(pickServices)
  )
}

/**
 * How many processes share the conversations.
 *
 * @category models
 */
export interface RunnerOptions {
  /** `host:port` under which the other runners and the clients reach this one. */
  readonly address: string
  /** `host:port` to listen on, where it is another; such as `0.0.0.0:34431`. */
  readonly listen?: string | undefined
  /**
   * How long a runner may be silent before others take its conversations; 30 seconds unless given, 5 at least. A short
   * time on a busy machine takes conversations from runners that are alive, and so does a shorter one than the others
   * have: a runner that starts beside one with another logs a warning.
   */
  readonly takeover?: Duration.DurationInput | undefined
  /** How long a run may take to its next step when the process closes; 15 seconds unless given. */
  readonly grace?: Duration.DurationInput | undefined
  /** How long an entity is kept in memory that has nothing to do; 1 minute unless given. */
  readonly idle?: Duration.DurationInput | undefined
}

/**
 * A runner among others, over the Postgres of the `SqlClient` that it is given.
 * Runners talk to each other over a socket without a password: keep it in a
 * private network. Needs the optional peer `@effect/platform-node`.
 *
 * @category layers
 */
export const layerPostgres = (options: RunnerOptions): Layer.Layer<Services, Runs.ClusterError, SqlClient> => {
  orThrow(checkRunner(options), "What `Cluster.layerPostgres` takes")
  return socketLayer(false, options.takeover, {
    runnerAddress: Option.some(parseAddress("address", options.address)),
    runnerListenAddress: Option.map(Option.fromNullable(options.listen), (text) => parseAddress("listen", text)),
    entityMaxIdleTime: options.idle ?? "1 minute",
    entityTerminationTimeout: options.grace ?? "15 seconds"
  })
}

/**
 * A process that sends to the runners and serves no conversation itself, such as
 * a web server. Give it the `takeover` of the runners.
 *
 * @category layers
 */
export const layerClient = (
  options: { readonly takeover?: Duration.DurationInput | undefined } = {}
): Layer.Layer<Services, Runs.ClusterError, SqlClient> => {
  orThrow(fields({ takeover: aDuration })(options), "What `Cluster.layerClient` takes")
  return socketLayer(true, options.takeover, { runnerAddress: Option.none() })
}

const times = { idle: aDurationOrZero, grace: aDurationOrZero }

const checkFile = fields(
  { path: aName, synchronous: oneOf("full", "normal"), ...times } satisfies Checks<FileOptions>,
  ["path"]
)

// Of a name that is misspelt, it could listen to more than it is to.
const checkRunner = fields(
  { address: aText, listen: aText, takeover: aDuration, ...times } satisfies Checks<RunnerOptions>,
  ["address"]
)

/** What belongs together, in proportion: shorter than a third, and a lock is lost by one delay. */
const intervals = (takeover: Duration.Duration): Partial<ShardingConfig.ShardingConfig["Type"]> => {
  const part = (share: number) => Duration.times(takeover, share)
  return {
    shardLockExpiration: part(1),
    shardLockRefreshInterval: part(0.3),
    // The next runner sees a runner leave by it, however long a silent one may live.
    refreshAssignmentsInterval: "500 millis",
    runnerHealthCheckInterval: part(0.3),
    entityMessagePollInterval: part(0.3),
    // A lock that is a row expires also where the process that has it hangs, and works behind pgbouncer.
    shardLockDisableAdvisory: true
  }
}

/**
 * Processes that start together over an empty database make the same tables at once. All but one fail, for which the
 * engine would end them, and find the tables made at the next attempt.
 */
const makeTables = Effect.scoped(
  Effect.zipRight(
    Layer.build(
      Layer.merge(SqlMessageStorage.layer, SqlRunnerStorage.layer).pipe(
        Layer.provide(ShardingConfig.layer({ shardLockDisableAdvisory: true }))
      )
    ),
    // Locks are rewritten all the time. Where a page has room for them, its index needs no new entries.
    Effect.flatMap(SqlClient, (sql) =>
      // A role that may not is spared it.
      Effect.ignore(sql`ALTER TABLE cluster_locks SET (fillfactor = 40)`)
    )
  )
).pipe(
  Effect.sandbox,
  Effect.retry(Schedule.exponential("50 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(8)))),
  Effect.unsandbox,
  Effect.orDie
)

/**
 * A process that stands still within a transaction, or whose machine is gone, would hold the locks of its rows until the
 * server misses its connection: hours. The server ends such a transaction by itself. A transaction begins by saying so,
 * in the same round trip, unless the connections have a limit already.
 */
const limitTransactions = (sql: SqlClient, limit: Duration.DurationInput): Effect.Effect<SqlClient, SqlError> =>
  Effect.map(sql<{ readonly limit: string }>`SELECT current_setting(${setting}) AS limit`, ([row]) => {
    if (row !== undefined && row.limit !== "0") return sql
    const run = (text: string) => (connection: Connection) =>
      Effect.asVoid(connection.executeUnprepared(text, [], undefined))
    const withTransaction = makeWithTransaction({
      transactionTag: TransactionConnection,
      spanAttributes: [],
      acquireConnection: Effect.flatMap(Scope.make(), (scope) =>
        Effect.map(Scope.extend(sql.reserve, scope), (connection) => [scope, connection] as const)
      ),
      begin: run(`BEGIN; SET LOCAL ${setting} = ${Duration.toMillis(limit)}`),
      savepoint: (connection, id) => run(`SAVEPOINT wield_${id}`)(connection),
      commit: run("COMMIT"),
      rollback: run("ROLLBACK"),
      rollbackSavepoint: (connection, id) => run(`ROLLBACK TO SAVEPOINT wield_${id}`)(connection)
    })
    return new Proxy(sql, {
      get: (target, key, receiver) => (key === "withTransaction" ? withTransaction : Reflect.get(target, key, receiver))
    })
  })

const setting = "idle_in_transaction_session_timeout"

const socketLayer = (
  clientOnly: boolean,
  takeoverGiven: Duration.DurationInput | undefined,
  options: Partial<ShardingConfig.ShardingConfig["Type"]>
): Layer.Layer<Services, Runs.ClusterError, SqlClient> => {
  const takeover = Duration.max(takeoverGiven ?? "30 seconds", "5 seconds")
  const shardingConfig = { ...common, ...intervals(takeover), ...options }
  const { shardLockRefreshInterval } = { ...ShardingConfig.defaults, ...shardingConfig }
  const runners = acquireSoon(takeover).pipe(
    Layer.provide(releaseTogether(shardLockRefreshInterval)),
    Layer.provide(compareTakeovers(takeover)),
    Layer.provide(SqlRunnerStorage.layer),
    withoutSpans(RunnerStorage.RunnerStorage)
  )
  const storage = Layer.merge(Layer.provide(localMessages, messages), runners).pipe(
    Layer.provide(ShardingConfig.layerFromEnv(shardingConfig))
  )
  const sharding = Layer.unwrapEffect(
    Effect.map(
      Effect.zipRight(
        makeTables,
        Effect.promise(() => import("@effect/platform-node/NodeClusterSocket"))
      ),
      (NodeClusterSocket) =>
        NodeClusterSocket.layer({ clientOnly, storage: "byo", shardingConfig }).pipe(
          Layer.provideMerge(storage),
          Layer.orDie
        )
    )
  )
  const limited = Layer.effect(
    SqlClient,
    Effect.flatMap(SqlClient, (sql) => limitTransactions(sql, takeover))
  )
  return Layer.orDie(stored).pipe(
    Layer.merge(clientOnly ? Layer.empty : Layer.merge(deliverAgain(takeover), pollAfterLocal)),
    Layer.provideMerge(sharding),
    Layer.provide(Layer.orDie(limited)),
    Layer.merge(Layer.effect(SqlClient, SqlClient)),
    // The layers above make all of them.
    Layer.map((services: Context.Context<never>) => pickServices(services as Context.Context<Services>))
  ) as never
}

const parseAddress = (option: "address" | "listen", text: string): RunnerAddress => {
  const [, host, digits] = /^(\[[^\]]+\]|[^:/\s]+):(\d+)$/.exec(text) ?? []
  const port = Number(digits)
  if (host === undefined || port < 1 || port > 65_535) {
    throw new TypeError(`\`${option}\` must be host:port, such as 10.0.0.7:34431, but is ${JSON.stringify(text)}`)
  }
  return RunnerAddress.make({ host: host.replace(/^\[(.*)\]$/, "$1"), port })
}
