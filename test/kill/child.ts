/**
 * A process that runs conversations over a store on disk until it has finished
 * or is killed: `child.ts <config as JSON>`.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { Agent, type AgentResult, ConversationStore, DeferredCall, Model } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Approval, Journal, Response } from "@wield/core"
import { OpenAiChat } from "@wield/providers"
import { Effect, Layer, Redacted, Schema } from "effect"
import { lazyClient } from "../postgres/lazyClient.js"
import { type ChildConfig, ChildConfigText, type Result } from "./childConfig.js"
import { Effects } from "./Effects.js"
import { Points, tell } from "./Points.js"
import { promptIdOf, promptOf } from "./task.js"
import { shop } from "./shop.js"
import { logTo, stoppableConversation, stoppableJournal, stoppableModel } from "./stoppable.js"

const storeOf = ({ store }: ChildConfig) =>
  store._tag === "File"
    ? FileStore.layer({ path: store.path, synchronous: "normal" })
    : Layer.merge(SqlConversationStore.layer, SqlJournal.layer).pipe(
        Layer.provide(lazyClient({ url: Redacted.make(store.url), maxConnections: 4 }))
      )

const program = (config: ChildConfig) =>
  Effect.gen(function* () {
    const points = yield* Points
    const store = yield* ConversationStore.ConversationStore
    const journal = stoppableJournal(points, yield* Journal.Journal, logTo(config.log))
    const model = yield* Model.fromWire(OpenAiChat.format, { url: config.model, model: "loopback" })
    const agent = yield* Agent.make({
      model: stoppableModel(points, model),
      toolset: yield* shop,
      policy: { journal, approval: { refund: () => Approval.ask("it moves money") } },
      ...(config.approval === "pause"
        ? {}
        : {
            answer: () =>
              Effect.as(
                Effect.zipRight(Effect.sleep("2 millis"), points.pass("approval: before the answer")),
                Response.approve
              )
          })
    })

    const work = (id: string, encoded: ReadonlyArray<unknown>) =>
      Effect.gen(function* () {
        const conversation = stoppableConversation(points, yield* store.openOrCreate(id))
        const answers = yield* Effect.forEach(encoded, (answer) => DeferredCall.decodeAnswer(answer))
        const goOn = Agent.run(agent, { conversation })
        const result = yield* answers.length === 0
          ? Agent.run(agent, { conversation, prompt: promptOf(id), promptId: promptIdOf(id) })
          : // A process that was killed has recorded what was answered: what still waits, is asked again.
            Effect.catchTag(Agent.run(agent, { conversation, answers }), "AlreadyAnswered", () => goOn)
        return yield* told(id, result)
      })

    yield* tell({ _tag: "Ready" })
    const results = yield* Effect.forEach(config.conversations, ({ answers, id }) => work(id, answers), {
      concurrency: "unbounded"
    })
    yield* tell({ _tag: "Ended", results })
  })

const encode = Schema.encode(DeferredCall.DeferredCall)

const told = <CE>(id: string, result: AgentResult.AgentResult<string, CE>): Effect.Effect<Result> =>
  Effect.gen(function* () {
    const waiting = result._tag === "Paused" ? result.requests : []
    const requests = yield* Effect.orDie(Effect.forEach(waiting, (request) => encode(request)))
    return { id, ending: result._tag, text: result.text, requests }
  })

const main = Effect.gen(function* () {
  const config = yield* Schema.decode(ChildConfigText)(process.argv[2] ?? "")
  const layers = Layer.mergeAll(
    storeOf({ ...config, stop: config.stop }),
    Effects.layer(config.effects),
    FetchHttpClient.layer
  ).pipe(Layer.provideMerge(Points.layer(config.stop)))
  yield* Effect.provide(program({ ...config, stop: config.stop }), layers)
})

await Effect.runPromise(main)
