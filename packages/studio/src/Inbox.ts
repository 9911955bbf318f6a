/**
 * Calls that wait for an answer of a person at the studio. An agent that asks
 * the inbox goes on as soon as a person has answered on the page.
 */
import type { DeferredCall } from "@wield/agent"
import type { Response } from "@wield/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { type Answered, type Approval, Conflict, type Failed, type Refused } from "./Api.js"

/**
 * What waits, and what answers it.
 *
 * @category models
 */
export interface Item {
  readonly request: Pick<
    DeferredCall.DeferredCall,
    "call" | "name" | "arguments" | "waitsFor" | "input" | "why" | "digest" | "facts" | "description" | "expiresAt"
  >
  readonly from: Approval["from"]
  readonly askedAt: number
  readonly answer: (response: Response.Response) => Effect.Effect<Answered, Conflict | Refused | Failed>
}

/**
 * The inbox.
 *
 * @category models
 */
export interface Service {
  /** For `answer` of an agent: waits until a person has answered. Interrupting it takes the question back. */
  readonly ask: (request: DeferredCall.DeferredCall) => Effect.Effect<Response.Response>
  /** Puts something in, and gives its id. An answer that is taken takes it out. */
  readonly add: (item: Item) => Effect.Effect<string>
  readonly items: Effect.Effect<ReadonlyMap<string, Item>>
  /** Runs after each change. */
  readonly changes: Stream.Stream<void>
}

/**
 * The inbox as a service.
 *
 * @example
 * ```ts
 * import { Agent } from "@wield/agent"
 * import { Approval, Toolset } from "@wield/core"
 * import { Inbox } from "@wield/studio"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const agent = Effect.gen(function* () {
 *   const inbox = yield* Inbox.Inbox
 *   return yield* Agent.make({
 *     model: yield* ScriptedModel.make([ScriptedModel.call("pay", {}), ScriptedModel.text("Paid.")]),
 *     toolset: yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.succeed("paid") }]),
 *     policy: { approval: () => Approval.ask("it costs") },
 *     answer: inbox.ask
 *   })
 * })
 * Effect.runPromise(agent.pipe(Effect.provide(Inbox.layer)))
 * ```
 *
 * @category services
 */
export class Inbox extends Context.Tag("@wield/studio/Inbox")<Inbox, Service>() {}

/**
 * An inbox in memory.
 *
 * @category constructors
 */
export const make: Effect.Effect<Service> = Effect.gen(function* () {
  const items = new Map<string, Item>()
  const changes = yield* PubSub.sliding<void>(1)
  const remove = (id: string) =>
    Effect.suspend(() => (items.delete(id) ? PubSub.publish(changes, undefined) : Effect.void))
  const add: Service["add"] = (item) =>
    Effect.gen(function* () {
      const id = crypto.randomUUID()
      items.set(id, { ...item, answer: (response) => Effect.zipLeft(item.answer(response), remove(id)) })
      yield* PubSub.publish(changes, undefined)
      return id
    })
  return {
    add,
    ask: (request) =>
      Effect.gen(function* () {
        const response = yield* Deferred.make<Response.Response>()
        const id = yield* add({
          request,
          from: { kind: "agent", name: request.conversation, conversation: request.conversation },
          askedAt: yield* Clock.currentTimeMillis,
          answer: (given) =>
            Effect.flatMap(Deferred.succeed(response, given), (isFirst) =>
              isFirst ? Effect.succeed({}) : new Conflict({ message: "The call was answered before" })
            )
        })
        return yield* Effect.ensuring(Deferred.await(response), remove(id))
      }),
    items: Effect.sync(() => new Map(items)),
    changes: Stream.fromPubSub(changes)
  }
})

/**
 * The service with an inbox in memory.
 *
 * @category layers
 */
export const layer: Layer.Layer<Inbox> = Layer.effect(Inbox, make)
