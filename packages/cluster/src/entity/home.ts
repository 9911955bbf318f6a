/** What a conversation has in the one process that serves it: its handlers share this, and nothing else. */
import * as Entity from "@effect/cluster/Entity"
import { Sharding } from "@effect/cluster/Sharding"
import type * as Agent from "@wield/agent/Agent"
import * as ConversationStore from "@wield/agent/ConversationStore"
import type { Duration, Fiber, Schema, Scope } from "effect"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Runs from "../Runs.js"
import type { Watch } from "./handOver.js"
import { Hub } from "./hub.js"
import { entityOf, version, type Work } from "./rpcs.js"

/** What an entity is made of, with types erased. */
export interface Served {
  readonly name: string
  readonly agent: Agent.Agent<{}, unknown, never, unknown>
  /** Runs the agent with the services of its own layer: the engine's are many, and a fiber's changes copy them all. */
  readonly fork: <A, E>(run: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
  readonly context: Schema.Schema<unknown, unknown>
  readonly output: Schema.Schema<unknown, unknown>
  readonly retryFor: Duration.DurationInput
}

/** A run that was accepted and is not over. */
export interface Active {
  readonly id: string
  readonly over: Deferred.Deferred<void>
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
  isCancelled: boolean
  /** What was said to it, in the order it came. */
  readonly inbox: Array<Steering>
}

interface Steering extends Agent.InboxMessage {
  readonly taken: Deferred.Deferred<void>
}

export interface Home {
  readonly served: Served
  readonly conversation: string
  /** The address of this process. */
  readonly owner: string
  readonly store: ConversationStore.Service
  readonly runs: Runs.Service
  /** In the order of their messages: each waits for the one before it. */
  readonly active: Set<Active>
  readonly keyOf: (id: string) => Runs.Key
  /** The events of a run, for its readers. */
  readonly hubOf: (id: string) => Hub
  readonly endHub: (id: string) => void
  /** Sends a message to this conversation, wherever it is by then. */
  readonly send: (tag: "prompt" | "answer", work: Work) => Effect.Effect<void, unknown>
  /** Done when another process is to have the conversation. */
  readonly handOver: Deferred.Deferred<void>
  readonly isLeaving: Effect.Effect<boolean>
  /**
   * Leaves a message unanswered: the process that has the conversation next takes it. Until it closes the entity, the
   * engine gives the message again at once.
   */
  readonly leave: (work: Work) => Effect.Effect<never>
  /** A message of a later version waits for a process that knows it, and so do those that come after it. */
  readonly checkVersion: (work: Work) => Effect.Effect<void>
}

export const makeHome = (
  served: Served,
  watch: Watch
): Effect.Effect<
  Home,
  never,
  | Entity.CurrentAddress
  | Entity.CurrentRunnerAddress
  | ConversationStore.ConversationStore
  | Runs.Runs
  | Scope.Scope
  | Sharding
> =>
  Effect.gen(function* () {
    const address = yield* Entity.CurrentAddress
    const runner = yield* Entity.CurrentRunnerAddress
    const client = yield* Effect.flatMap(Sharding, (sharding) => sharding.makeClient(entityOf(served.name)))
    const handOver = yield* watch(address)
    const conversation = address.entityId
    const hubs = new Map<string, Hub>()
    /** Messages that were left. */
    const left = new Set<string>()
    const leave: Home["leave"] = ({ attempt, id }) =>
      Effect.suspend(() => {
        const name = `${attempt}:${id}`
        const pause = left.has(name) ? Effect.sleep("100 millis") : Effect.void
        left.add(name)
        return Effect.zipRight(pause, Effect.interrupt)
      })
    return {
      served,
      conversation,
      owner: `${runner.host}:${runner.port}`,
      store: yield* ConversationStore.ConversationStore,
      runs: yield* Runs.Runs,
      active: new Set(),
      keyOf: (id) => ({ entity: served.name, conversation, id }),
      hubOf: (id) => {
        const hub = hubs.get(id) ?? new Hub()
        hubs.set(id, hub)
        return hub
      },
      endHub: (id) => {
        hubs.get(id)?.end()
        hubs.delete(id)
      },
      send: (tag, work) => client(conversation)[tag](work, { discard: true }),
      handOver,
      isLeaving: Deferred.isDone(handOver),
      leave,
      checkVersion: (work) =>
        work.version <= version
          ? Effect.void
          : Effect.logWarning(
              `A message to ${conversation} is of version ${work.version}, and this process reads up to ${version}: it waits for a newer process`
            ).pipe(Effect.zipRight(Deferred.await(handOver)), Effect.zipRight(leave(work)))
    }
  })

/** The database may be away for a while; the run is not. */
export const insist = <A, E>(operation: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(operation, {
    while: (error) => !(error instanceof Runs.RunNotFound),
    schedule: Schedule.union(Schedule.exponential("100 millis"), Schedule.spaced("2 seconds"))
  })
