/**
 * Requests of paused runs, kept beside their conversations in a store, so that
 * another process can show and answer them.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Json } from "@wield/core"
import type { ConversationNotFound, StoreError } from "./ConversationError.js"
import type { Service, Summary } from "./ConversationStore.js"
import { DeferredCall } from "./DeferredCall.js"
import { allSummaries } from "./store/allConversations.js"
import { waitingKey } from "./store/search.js"

const Requests = Schema.Array(DeferredCall)

const encode = Schema.encode(Schema.parseJson(Requests))

const decode = Schema.decodeUnknown(Requests)

/**
 * Keeps what waits in a conversation, in place of what waited before: the
 * requests of a paused run, or none when a run has ended otherwise.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent, ConversationStore, WaitingCalls } from "@wield/agent"
 * import { Approval, Toolset } from "@wield/core"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const store = yield* ConversationStore.ConversationStore
 *   const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.succeed("paid") }])
 *   const model = yield* ScriptedModel.make([ScriptedModel.call("pay", {})])
 *   const agent = yield* Agent.make({ model, toolset, policy: { approval: () => Approval.ask("it costs") } })
 *
 *   const result = yield* Agent.run(agent, { prompt: "Pay.", conversation: yield* store.create({ id: "order 12" }) })
 *   yield* WaitingCalls.remember(store, "order 12", result._tag === "Paused" ? result.requests : [])
 *
 *   const waiting = yield* WaitingCalls.of(yield* store.summary("order 12"))
 *   return waiting.map(({ name, why }) => [name, why])
 * })
 * Effect.runPromise(program.pipe(Effect.provide(ConversationStore.layerMemory))).then((waiting) =>
 *   assert.deepStrictEqual(waiting, [["pay", "it costs"]])
 * )
 * ```
 *
 * @category running
 */
export const remember = (
  store: Service,
  conversation: string,
  requests: ReadonlyArray<DeferredCall>
): Effect.Effect<void, ConversationNotFound | StoreError> =>
  Effect.gen(function* () {
    const { metadata } = yield* store.summary(conversation)
    if (requests.length === 0 && !(waitingKey in metadata)) return
    const { [waitingKey]: _, ...others } = metadata
    // The runner has parsed the arguments: they are JSON.
    const encoded: Json.Json = JSON.parse(yield* Effect.orDie(encode(requests)))
    yield* store.update(conversation, {
      metadata: requests.length === 0 ? others : { ...others, [waitingKey]: encoded }
    })
  })

/**
 * What waits in a conversation; nothing where its metadata cannot be read.
 *
 * @category accessors
 */
export const of = ({ metadata }: Pick<Summary, "metadata">): Effect.Effect<ReadonlyArray<DeferredCall>> =>
  Effect.orElseSucceed(decode(metadata[waitingKey] ?? []), () => [])

/**
 * The conversations in which calls wait, the last changed first.
 *
 * @category accessors
 */
export const conversations = (store: Service): Effect.Effect<ReadonlyArray<Summary>, StoreError> =>
  Effect.map(Stream.runCollect(allSummaries(store, { isWaiting: true })), Chunk.toReadonlyArray)

/**
 * The requests of all of them.
 *
 * @category accessors
 */
export const all = (store: Service): Effect.Effect<ReadonlyArray<DeferredCall>, StoreError> =>
  Effect.map(
    Effect.flatMap(conversations(store), (found) => Effect.forEach(found, of)),
    (requests) => requests.flat()
  )
