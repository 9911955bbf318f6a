/** An agent whose model asks for a payment a turn: a step is a turn, or a call. */
import { PgClient } from "@effect/sql-pg"
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import { Agent, ConversationStore, Stop } from "@wield/agent"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { AgentEntity, Cluster } from "@wield/cluster"
import { Journal, Toolset } from "@wield/core"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type MakeDurable, type Pay, receiptOf } from "./durable.js"

const Payments = Toolkit.make(
  Tool.make("pay", { parameters: { order: Schema.String, number: Schema.Number }, success: Schema.String })
)

/** The prompt says what to pay, so that any process goes on. */
const makeModel = (think: number) =>
  FunctionModel.make(({ messages }) => {
    const [first] = messages
    const text = first?._tag === "User" && first.content[0]?._tag === "Text" ? first.content[0].text : ""
    const [order, payments] = text.split("|")
    const number = messages.filter(({ _tag }) => _tag === "Results").length + 1
    const turn =
      number > Number(payments)
        ? ScriptedModel.text("paid")
        : ScriptedModel.turn(ScriptedModel.call("pay", { order, number }, { id: `payment ${number}` }))
    return think === 0 ? Effect.succeed(turn) : Effect.delay(Effect.succeed(turn), think)
  })

export interface Order {
  readonly name: string
  readonly payments: number
}

/** `think` is how long the model takes, in milliseconds. */
const makeAgent = (pay: Pay, think = 0) =>
  Effect.gen(function* () {
    const toolset = yield* Effect.provide(
      Toolset.fromToolkit(Payments),
      Payments.toLayer({
        pay: ({ number, order }) =>
          Effect.as(
            Effect.promise(() => pay(order, number)),
            receiptOf(order, number)
          )
      })
    )
    return yield* Agent.make({
      model: yield* makeModel(think),
      toolset,
      policy: { journal: yield* Journal.Journal },
      stop: Stop.steps(1000)
    })
  })

const database = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 10 })
const quiet = Logger.minimumLogLevel(LogLevel.None)

export const Payer = AgentEntity.make("payer")

/** A runner. `think` is how long the model takes, in milliseconds. */
export const runnerOf = (url: string, pay: Pay, options: Cluster.RunnerOptions & { readonly think?: number }) =>
  Payer.toLayer(makeAgent(pay, options.think)).pipe(
    Layer.provideMerge(Cluster.layerPostgres(options)),
    Layer.provide(database(url)),
    Layer.provide(quiet)
  )

/** A process that only sends orders. */
export const clientOf = (url: string, options: Pick<Cluster.RunnerOptions, "takeover">) =>
  Cluster.layerClient(options).pipe(Layer.provide(database(url)), Layer.provide(quiet))

export const inCluster: MakeDurable = async (url, pay) => {
  const runtime = ManagedRuntime.make(runnerOf(url, pay, { address: "127.0.0.1:34431", takeover: "5 seconds" }))
  await runtime.runPromise(Effect.void)
  return {
    run: (order, payments) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const payer = yield* Payer.client
          return yield* (yield* payer.prompt(order, { prompt: `${order}|${payments}`, promptId: order })).result
        })
      ),
    close: () => runtime.dispose()
  }
}

export const alone: MakeDurable = async (url, pay) => {
  const stored = Layer.merge(SqlConversationStore.layer, SqlJournal.layer)
  const runtime = ManagedRuntime.make(Layer.provideMerge(stored, Layer.orDie(database(url))))
  const agent = await runtime.runPromise(makeAgent(pay))
  return {
    run: (order, payments) =>
      runtime.runPromise(
        Effect.gen(function* () {
          const conversation = yield* (yield* ConversationStore.ConversationStore).openOrCreate(order)
          return yield* Agent.run(agent, { conversation, prompt: `${order}|${payments}`, promptId: order })
        })
      ),
    close: () => runtime.dispose()
  }
}
