/** Three runners over a Postgres of their own, and a client in this process. */
import { PgClient } from "@effect/sql-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { ConversationStore, DeferredCall } from "@wield/agent"
import { type AgentClient, AgentEntity, Cluster, type RunEvent } from "@wield/cluster"
import { Effect, Layer, Redacted, Schedule, type Scope, Stream } from "effect"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundleOf } from "../../../../test/programs.js"
import { startPostgres } from "../../../../test/postgres/server.js"
import { Effects as Table } from "../../../../test/kill/Effects.js"
import { findUntrue } from "../story.js"
import type { Config } from "./config.js"
import { type Order, verdictOf } from "./evidence.js"
import { freePort, type Runner, startRunner } from "./processes.js"

const Shop = AgentEntity.make("shop")

export interface Setting {
  readonly url: string
  /** In milliseconds. */
  readonly takeover: number
  /** The addresses of the runners. */
  readonly addresses: ReadonlyArray<string>
  readonly start: (address: string, options?: Partial<Config>) => Effect.Effect<Runner, never, Scope.Scope>
  readonly effects: string
}

/** A folder that is gone with the scope, and that another user may read. */
export const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "wield-cluster-"))
    chmodSync(folder, 0o755)
    return folder
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const setUp = (takeover = 5_000): Effect.Effect<Setting, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { createDatabase } = yield* Effect.acquireRelease(
      Effect.promise(() => startPostgres(folder)),
      ({ stop }) => Effect.promise(() => stop())
    )
    const url = yield* Effect.promise(() => createDatabase())
    const file = yield* bundleOf(new URL("runner.ts", import.meta.url))
    const effects = join(folder, "effects.db")
    const ports = yield* Effect.all([freePort, freePort, freePort])
    return {
      url,
      takeover,
      effects,
      addresses: ports.map((port) => `127.0.0.1:${port}`),
      start: (address, options) =>
        startRunner(file, {
          store: { _tag: "Postgres", url, address, takeover },
          effects,
          approval: "pause",
          pace: 20,
          prompts: [],
          ...options
        })
    }
  })

/** What this process has of the cluster. */
export const clientLayer = ({ effects, takeover, url }: Setting) =>
  Layer.merge(
    Cluster.layerClient({ takeover }).pipe(
      Layer.provideMerge(PgClient.layer({ url: Redacted.make(url), maxConnections: 4 }))
    ),
    Table.layer(effects)
  )

/** Sends an order, says yes to what waits, and gives the ending, or what of its events was not true. */
export const carryOut = (client: AgentClient.AgentClient, { conversation, id, prompt }: Order) =>
  Effect.gen(function* () {
    const events: Array<RunEvent.RunEvent> = []
    const follow = (run: AgentClient.Run<string>) =>
      Effect.zipRight(
        Stream.runForEach(run.events, (event) => Effect.sync(() => events.push(event))),
        run.result
      )
    let result = yield* follow(yield* client.prompt(conversation, { prompt, promptId: id }))
    while (result._tag === "Paused") {
      result = yield* follow(yield* client.answer(conversation, result.requests.map(DeferredCall.approve)))
    }
    const store = yield* ConversationStore.ConversationStore
    // This process reads over connections that may just have been severed.
    const read = Effect.retry(
      Effect.flatMap(store.open(conversation), ({ entries }) => entries),
      {
        schedule: Schedule.spaced("200 millis"),
        times: 25
      }
    )
    const untrue = findUntrue(events, yield* read)
    if (untrue.length > 0) return untrue.join("; ")
    return result._tag === "Failed" ? `${result._tag} ${result.error} ${result.message}` : result._tag
  })

/** The ending of an order that somebody has sent, and perhaps sends at the same time. */
export const endingOf = (client: AgentClient.AgentClient, { conversation, id, prompt }: Order) =>
  Effect.gen(function* () {
    let { result } = yield* client.prompt(conversation, { prompt, promptId: id })
    for (;;) {
      const reached = yield* result
      if (reached._tag !== "Paused") return reached._tag
      result = (yield* client.answer(conversation, reached.requests.map(DeferredCall.approve))).result
    }
  })

export const client = Shop.client

export const verdict = (orders: ReadonlyArray<Order>, options?: Parameters<typeof verdictOf>[2]) =>
  Effect.flatMap(Table, ({ all }) => Effect.flatMap(all, (rows) => verdictOf(orders, rows, options)))

export const orderOf = (name: string, plan = "pay, look / reserve, pay / refund / pay"): Order => ({
  conversation: name,
  id: `${name} prompt`,
  prompt: `Do ${name}: ${plan}`
})

/** Ends all other connections to the database. */
export const severConnections = Effect.flatMap(
  SqlClient,
  (sql) => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`
)

/** One backend that is killed makes the server drop all connections and recover from its log, as after a crash. */
export const crashServer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql<{ readonly pid: number }>`SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() LIMIT 1`
  for (const { pid } of rows) yield* Effect.sync(() => void process.kill(pid, "SIGKILL"))
})
