/**
 * The runs of all conversations: which wait, which go on, how they ended. They
 * stand in a table, `wield_runs`, beside the messages of the cluster.
 */
import { MessageStorage } from "@effect/cluster/MessageStorage"
import { Sharding } from "@effect/cluster/Sharding"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConversationStore from "@wield/agent/ConversationStore"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Journal from "@wield/core/Journal"
import { asStore } from "@wield/core/Traces"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { ReplyWith } from "./entity/localMessages.js"
import { checkGiven, checkName, version, Work } from "./entity/rpcs.js"
import { makeSender } from "./entity/sender.js"
import { makeWaiters, nameOf } from "./entity/waiters.js"
import * as RunResult from "./RunResult.js"
import { findEnds, findLost } from "./runs/ends.js"
import { makeList } from "./runs/list.js"
import {
  checkConversation,
  checkKey,
  clusterError,
  type ClusterError,
  type Key,
  type ListOptions,
  type Progress,
  readResult,
  type Row,
  type Run,
  RunNotFound
} from "./runs/model.js"
import { makeTables } from "./runs/tables.js"

export {
  ClusterError,
  type Key,
  type ListOptions,
  type Progress,
  type Run,
  RunNotFound,
  type State
} from "./runs/model.js"

/**
 * The run has done what it was to do: it has finished, or waits for a person. Again, it would record another end over
 * its own.
 *
 * @category errors
 */
export class RunNotRetried extends Schema.TaggedError<RunNotRetried>("@wield/cluster/RunNotRetried")("RunNotRetried", {
  entity: Schema.String,
  conversation: Schema.String,
  id: Schema.String,
  state: Schema.Literal("Finished", "Paused")
}) {
  override get message(): string {
    const { conversation, entity, id, state } = this
    const howOn = state === "Paused" ? "Answer what it waits for" : "Send a new prompt to go on"
    return `The run ${id} in the conversation ${conversation} of ${entity} is ${state}, and stays as it is: \`retry\` is for a run that is stuck, has failed or stopped, or was cancelled. ${howOn}`
  }
}

/**
 * Another prompt, or another message to a run, was sent under this id before.
 * Only the same may be sent again. What retention has deleted is not known.
 *
 * @category errors
 */
export class IdReused extends Schema.TaggedError<IdReused>("@wield/cluster/IdReused")("IdReused", {
  entity: Schema.String,
  conversation: Schema.String,
  id: Schema.String,
  /** What is not as it was sent first. */
  differs: Schema.Literal("message", "context")
}) {
  override get message(): string {
    const { conversation, differs, entity, id } = this
    return `In the conversation ${conversation} of ${entity}, the id ${id} was sent before with another ${differs}. Nothing was sent now. Send the same ${differs} to get the run of it, or give this one an id of its own`
  }
}

/**
 * What a run knows when it begins.
 *
 * @category models
 */
export interface Begun {
  readonly deliveries: number
  /** When it began first, in milliseconds since 1970. */
  readonly createdAt: number
  /** Where it is over already. */
  readonly result: RunResult.AnyResult | undefined
}

/**
 * What the table has of a run beside its state.
 *
 * @category models
 */
export interface Recorded {
  /** The id of the conversation's entry after which the run's own come. */
  readonly start: string
  /** `undefined` while it is not over. */
  readonly result: RunResult.AnyResult | undefined
}

/**
 * The operations on runs. `progress`, `read`, `begin`, `again` and `finish` are the entity's own.
 *
 * @category models
 */
export interface Service {
  /** The runs that changed last, first; `Stuck` are those that are due, and that no living runner is at. */
  readonly list: (options?: ListOptions) => Effect.Effect<ReadonlyArray<Run>, ClusterError>
  /** Waits until a run is over, in whatever process; also one that has not begun. One that is not stored fails soon. */
  readonly result: (key: Key) => Effect.Effect<RunResult.AnyResult, ClusterError | RunNotFound>
  /**
   * Delivers it again: one that is stuck, has failed or stopped, or was cancelled. What its journal knows is not
   * repeated. One that is `Finished` or `Paused` stays as it is.
   */
  readonly retry: (key: Key) => Effect.Effect<void, ClusterError | RunNotFound | RunNotRetried>
  /** Cancels what goes on in a conversation, and deletes everything of it: entries, journal, messages, replies, runs. */
  readonly forget: (conversation: Omit<Key, "id">) => Effect.Effect<void, ClusterError>
  readonly progress: (
    message: Key,
    tag: "prompt" | "answer" | "steer" | "cancel"
  ) => Effect.Effect<Progress, ClusterError>
  readonly read: (key: Key) => Effect.Effect<Recorded, ClusterError | RunNotFound>
  readonly begin: (
    key: Key,
    options: { readonly owner: string; readonly request: Snowflake.Snowflake; readonly start: string }
  ) => Effect.Effect<Begun, ClusterError>
  /** This process has stopped running it, whether it has ended or not. */
  readonly leave: (key: Key) => Effect.Effect<void>
  /** Puts it off: the message that it goes on with was sent. */
  readonly again: (
    key: Key,
    next: { readonly tag: "prompt" | "answer"; readonly attempt: number }
  ) => Effect.Effect<void, ClusterError>
  /**
   * Records how it ended. The first ending stands, and is what comes back. The reply to its message is stored with it
   * where the database can; what its handler answers with is the same object.
   */
  readonly finish: (
    key: Key,
    result: RunResult.AnyResult,
    reply: { readonly request: Snowflake.Snowflake; readonly value: object }
  ) => Effect.Effect<RunResult.AnyResult, ClusterError | RunNotFound>
}

/**
 * The runs as a service; each layer of `Cluster` has it.
 *
 * @category services
 */
export class Runs extends Context.Tag("@wield/cluster/Runs")<Runs, Service>() {}

/** Every 20 ms for ten seconds. */
const everyMoment = Schedule.intersect(Schedule.spaced("20 millis"), Schedule.recurs(500))

const table = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { integer, text } = sql.onDialectOrElse({
    pg: () => ({ text: sql.literal(`TEXT COLLATE "C"`), integer: sql.literal("BIGINT") }),
    orElse: () => ({ text: sql.literal("TEXT"), integer: sql.literal("INTEGER") })
  })
  yield* sql`CREATE TABLE wield_runs (
    entity ${text} NOT NULL,
    conversation ${text} NOT NULL,
    id ${text} NOT NULL,
    state TEXT NOT NULL,
    deliveries ${integer} NOT NULL,
    owner TEXT,
    start ${text} NOT NULL,
    request ${integer} NOT NULL,
    result TEXT,
    created ${integer} NOT NULL,
    changed ${integer} NOT NULL,
    PRIMARY KEY (entity, conversation, id)
  )`
  yield* sql`CREATE INDEX wield_runs_changed ON wield_runs (changed)`
  yield* sql`CREATE INDEX wield_runs_request ON wield_runs (request)`
})

/**
 * Makes the table `wield_runs`, where it is missing. The layers of `Cluster` do.
 *
 * @category migrations
 */
export const migrate: Effect.Effect<void, ClusterError, SqlClient.SqlClient> = Effect.suspend(() =>
  Effect.mapError(
    SqlOperation.migrate({ "0001_runs": table }, "wield_runs_migrations"),
    clusterError("make its tables")
  )
)

const whichRun = "Which run it is"

const writeResult = Schema.encode(RunResult.Text)

const make = Effect.gen(function* () {
  const tables = yield* makeTables
  const { addressOf, findMessage, findRow, findStored, is, no, sql } = tables
  const messages = yield* MessageStorage
  const sharding = yield* Sharding
  const store = yield* ConversationStore.ConversationStore
  const journal = yield* Journal.Journal
  const replyWith = yield* Effect.serviceOption(ReplyWith)

  const unlessNotFound = (operation: string) => (cause: unknown) =>
    cause instanceof RunNotFound ? cause : clusterError(operation)(cause)

  const read: Service["read"] = (key) =>
    findRow(key).pipe(
      Effect.flatMap(({ result, start }) =>
        Effect.map(result === null ? Effect.succeed(undefined) : readResult(result), (ending) => ({
          start,
          result: ending
        }))
      ),
      Effect.mapError(unlessNotFound("read a run"))
    )

  const progress: Service["progress"] = (key, tag) =>
    Effect.gen(function* () {
      const request = yield* findMessage(key, tag)
      if (Option.isNone(request)) return "Missing"
      const rows = yield* sql`SELECT 1 FROM cluster_messages
        WHERE id = ${sql.literal(String(request.value))} AND (processed <> ${no} OR last_read IS NOT NULL)`
      return rows.length > 0 ? "Taken" : "Stored"
    }).pipe(Effect.mapError(clusterError("look for a message")))

  const requestOf = (key: Key) =>
    findRow(key).pipe(
      Effect.map(({ request }) => Snowflake.Snowflake(request)),
      Effect.catchTag("RunNotFound", (notFound) =>
        Effect.flatMap(findStored(key), Option.match({ onNone: () => Effect.fail(notFound), onSome: Effect.succeed }))
      )
    )

  /** The runs that this process is at. */
  const own = new Set<string>()
  // One that has lost its conversation may be at it a moment longer than the next one.
  const isOwn = (key: Key) => own.has(nameOf(key)) && sharding.hasShardId(addressOf(key).shardId)

  const waiters = yield* makeWaiters(
    (keys) => findEnds(tables, keys),
    (keys) => findLost(tables, keys),
    isOwn
  )

  const result: Service["result"] = (key) =>
    checkGiven(checkKey, key, whichRun).pipe(
      Effect.mapError(clusterError("wait for a run")),
      Effect.flatMap(() => resultOf(key))
    )

  const resultOf: Service["result"] = (key) =>
    // No database holds such a name, and a statement that has it asks in vain for all others, too.
    [key.entity, key.conversation, key.id].some((name) => name.includes("\0"))
      ? new RunNotFound({ ...key })
      : waiters.result(key)

  const retry: Service["retry"] = (key) =>
    Effect.gen(function* () {
      yield* checkGiven(checkKey, key, whichRun)
      const request = yield* requestOf(key)
      const [ended] = yield* sql<Pick<Row, "state">>`
        SELECT state FROM wield_runs WHERE ${is(key)} AND result IS NOT NULL`
      if (ended !== undefined) {
        const { state } = ended
        if (state === "Finished" || state === "Paused") return yield* new RunNotRetried({ ...key, state })
        // The engine hears of an end a moment after it is recorded. Heard of after the retry, it would end that.
        yield* Effect.repeat(messages.repliesForUnfiltered([request]), {
          until: (replies) => replies.some(({ _tag }) => _tag === "WithExit"),
          schedule: everyMoment
        })
      }
      const now = yield* Clock.currentTimeMillis
      // One that ends at this moment keeps its end, too, and one that goes on, or is to, is at what it is at.
      yield* sql`UPDATE wield_runs AS r SET state = 'Waiting', result = NULL, changed = ${now}
        WHERE ${is(key)} AND (result IS NOT NULL AND state NOT IN ('Finished', 'Paused')
          OR state = 'Running' AND ${tables.ownerIsGone})`
      yield* messages.clearReplies(request)
      yield* sharding.pollStorage
    }).pipe(Effect.mapError((cause) => (cause instanceof RunNotRetried ? cause : unlessNotFound("retry a run")(cause))))

  const forget: Service["forget"] = (given) =>
    Effect.gen(function* () {
      yield* checkGiven(checkConversation, given, "Which conversation is forgotten")
      const { conversation, entity } = given
      yield* checkName("the conversation", conversation)
      const open = yield* sql`SELECT id FROM cluster_messages
        WHERE entity_type = ${entity} AND entity_id = ${conversation} AND processed = ${no} LIMIT 1`
      const { ask } = yield* makeSender(entity, sharding, progress)
      const id = `forget ${yield* Clock.currentTimeMillis}`
      // Where nothing goes on, no runner is asked: perhaps none serves the entity any more.
      if (open.length > 0) yield* ask(conversation, "cancel", new Work({ version, id, attempt: 0, at: 0, body: {} }))
      // The messages first: what could be delivered again would make the rest again.
      yield* messages.clearAddress(addressOf(given))
      yield* store.delete(conversation)
      yield* journal.forget(conversation)
      yield* sql`DELETE FROM wield_runs WHERE entity = ${entity} AND conversation = ${conversation}`
    }).pipe(Effect.mapError(clusterError("forget a conversation")))

  const begin: Service["begin"] = (key, { owner, request, start }) =>
    Effect.gen(function* () {
      own.add(nameOf(key))
      const now = yield* Clock.currentTimeMillis
      const { conversation, entity, id } = key
      const [row] = yield* sql<Row & { readonly result: string | null }>`
        INSERT INTO wield_runs (entity, conversation, id, state, deliveries, owner, start, request, created, changed)
        VALUES (${entity}, ${conversation}, ${id}, 'Running', 1, ${owner}, ${start}, ${String(request)}, ${now}, ${now})
        ON CONFLICT (entity, conversation, id) DO UPDATE SET
          state = CASE WHEN wield_runs.result IS NULL THEN 'Running' ELSE wield_runs.state END,
          deliveries = wield_runs.deliveries + CASE WHEN wield_runs.result IS NULL THEN 1 ELSE 0 END,
          owner = excluded.owner, request = excluded.request, changed = excluded.changed
        RETURNING deliveries, created, result`
      const text = row?.result ?? undefined
      return {
        deliveries: Number(row?.deliveries ?? 1),
        createdAt: Number(row?.created ?? now),
        result: text === undefined ? undefined : yield* readResult(text)
      }
    }).pipe(Effect.mapError(clusterError("begin a run")))

  const again: Service["again"] = (key, { attempt, tag }) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const request = yield* findMessage(key, tag, attempt)
      yield* sql`UPDATE wield_runs SET state = 'Again', changed = ${now},
        request = ${Option.match(request, { onNone: () => sql`request`, onSome: String })}
        WHERE ${is(key)} AND result IS NULL`
    }).pipe(Effect.mapError(clusterError("put a run off")))

  const finish: Service["finish"] = (key, ending, reply) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const text = yield* writeResult(ending)
      const end = sql`UPDATE wield_runs SET state = ${ending._tag}, result = ${text}, changed = ${now}
        WHERE ${is(key)} AND result IS NULL RETURNING id`
      const id = yield* sharding.getSnowflake
      const [row] = yield* Option.match(replyWith, {
        onNone: () => end,
        onSome: (replyWith) => replyWith({ ...reply, id }, end)
      })
      const stands = row === undefined ? (yield* read(key)).result : ending
      if (stands === undefined) return yield* new RunNotFound({ ...key })
      yield* waiters.end(key, Exit.succeed(stands))
      return stands
    }).pipe(Effect.mapError(unlessNotFound("finish a run")))

  const leave: Service["leave"] = (key) => Effect.sync(() => void own.delete(nameOf(key)))

  return { list: makeList(tables), result, retry, forget, progress, read, begin, leave, again, finish }
})

/**
 * The runs over the database of the cluster; makes the table where it is missing.
 *
 * @category layers
 */
export const layer: Layer.Layer<
  Runs,
  ClusterError,
  SqlClient.SqlClient | MessageStorage | Sharding | ConversationStore.ConversationStore | Journal.Journal
> = Layer.scoped(Runs, Effect.map(Effect.zipRight(migrate, make), asStore))
