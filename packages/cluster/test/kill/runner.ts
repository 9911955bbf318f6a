/** A process of the cluster that serves the shop until it is killed: `runner.ts <config as JSON>`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { type Conversation, ConversationStore, DeferredCall } from "@wield/agent"
import { AgentEntity, Cluster, Runs } from "@wield/cluster"
import { Journal } from "@wield/core"
import { Effect, Layer, Logger, LogLevel, Redacted, Schema } from "effect"
import { writeSync } from "node:fs"
import { Effects as Table } from "../../../../test/kill/Effects.js"
import { lazyClient } from "../../../../test/postgres/lazyClient.js"
import { stoppableConversation, stoppableJournal, stoppableModel } from "../../../../test/kill/stoppable.js"
import { Effects, makeAgent } from "../shop.js"
import { type Config, ConfigText, type Line, type Point } from "./config.js"

export const Shop = AgentEntity.make("shop")

const write = (line: Line): Effect.Effect<void> => Effect.sync(() => void writeSync(1, `${JSON.stringify(line)}\n`))

/** Where all stands still, no other fiber may go on: the kill has to find the process as it is. */
const standStill = (fiber: NonNullable<Config["stop"]>["fiber"]): Effect.Effect<void> => {
  switch (fiber) {
    case undefined:
      return Effect.sync(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    case "waits":
      return Effect.never
    case "never ends":
      return Effect.onInterrupt(Effect.never, () => Effect.zipRight(write({ _tag: "Interrupted" }), Effect.never))
  }
}

const pointsOf = ({ stop }: Config) => {
  let passed = 0
  return {
    pass: (point: Point) =>
      Effect.suspend(() =>
        point === stop?.point && ++passed === stop.time
          ? Effect.zipRight(write({ _tag: "Reached" }), standStill(stop.fiber))
          : Effect.void
      )
  }
}

type Points = ReturnType<typeof pointsOf>

const clusterOf = ({ store }: Config): Layer.Layer<Cluster.Services, unknown> =>
  store._tag === "File"
    ? Cluster.layerFile({ path: store.path, synchronous: "normal" })
    : Cluster.layerPostgres({ address: store.address, takeover: store.takeover, grace: "5 seconds" }).pipe(
        Layer.provideMerge(lazyClient({ url: Redacted.make(store.url), maxConnections: 8 }))
      )

/** The services of the cluster, with points at which the process can be killed. */
const stoppable = (points: Points) =>
  Layer.mergeAll(
    Layer.effect(
      ConversationStore.ConversationStore,
      Effect.map(ConversationStore.ConversationStore, (store) => {
        const stoppable = <E>(conversation: Conversation.Conversation<E>) =>
          stoppableConversation(points as never, conversation)
        return {
          ...store,
          create: (options?: ConversationStore.NewConversation) => Effect.map(store.create(options), stoppable),
          openOrCreate: (id: string) => Effect.map(store.openOrCreate(id), stoppable)
        }
      })
    ),
    Layer.effect(
      Journal.Journal,
      Effect.map(Journal.Journal, (journal) => stoppableJournal(points as never, journal))
    ),
    Layer.effect(
      Runs.Runs,
      Effect.map(Runs.Runs, (runs) => ({
        ...runs,
        begin: (key: Runs.Key, options: Parameters<Runs.Service["begin"]>[1]) =>
          Effect.zipLeft(runs.begin(key, options), points.pass("run: after it has begun")),
        finish: (...given: Parameters<Runs.Service["finish"]>) =>
          points
            .pass("run: before its end is recorded")
            .pipe(Effect.zipRight(runs.finish(...given)), Effect.zipLeft(points.pass("run: after its end is recorded")))
      }))
    )
  )

const effectsOf = (points: Points, { pace }: Config) =>
  Layer.effect(
    Effects,
    Effect.map(Table, (table) => ({
      happen: (tool, item, key) =>
        Effect.sleep(pace).pipe(
          Effect.zipRight(points.pass("handler: before the effect")),
          Effect.zipRight(
            tool === "look" ? Effect.void : tool === "reserve" ? table.addOnce(tool, item, key) : table.add(tool, item)
          ),
          Effect.zipRight(points.pass("handler: after the effect")),
          Effect.zipRight(Effect.sleep(pace))
        )
    }))
  )

/** Sends the prompts, and says yes to whatever waits. */
const work = ({ approval, isServing, prompts }: Config) =>
  Effect.gen(function* () {
    const shop = yield* Shop.client
    const results = yield* Effect.forEach(
      prompts,
      ({ conversation, id, prompt }) =>
        Effect.gen(function* () {
          let run = yield* shop.prompt(conversation, { prompt, promptId: id })
          let result = yield* run.result
          while (result._tag === "Paused" && (approval === "inline" || isServing === true)) {
            run = yield* shop.answer(conversation, result.requests.map(DeferredCall.approve))
            result = yield* run.result
          }
          return { id, ending: result._tag }
        }),
      { concurrency: "unbounded" }
    )
    yield* write({ _tag: "Ended", results })
  })

const main = Effect.gen(function* () {
  const config = yield* Schema.decode(ConfigText)(process.argv[2] ?? "")
  const { now } = Date
  Date.now = () => now() + (config.later ?? 0)
  const points = pointsOf(config)
  const agent = makeAgent({
    think: Effect.sleep(config.pace),
    approves: config.approval === "inline",
    wrap: (model) => stoppableModel(points as never, model),
    isNext: config.isNext === true
  })
  const layer = Shop.toLayer(agent).pipe(
    Layer.provide(effectsOf(points, config)),
    Layer.provide(Table.layer(config.effects)),
    Layer.provideMerge(stoppable(points)),
    Layer.provideMerge(clusterOf(config))
  )
  const serve = config.prompts.length === 0 ? Effect.never : work(config)
  yield* write({ _tag: "Ready" }).pipe(
    Effect.zipRight(config.isServing === true ? Effect.zipRight(serve, Effect.never) : serve),
    Effect.provide(layer)
  )
})

NodeRuntime.runMain(
  main.pipe(Effect.provide(Logger.minimumLogLevel(process.env["WIELD_LOG"] === "1" ? LogLevel.Debug : LogLevel.Error)))
)
