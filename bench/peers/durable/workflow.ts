/** An Effect workflow over the same cluster: a step is an activity. */
import * as ClusterWorkflowEngine from "@effect/cluster/ClusterWorkflowEngine"
import { PgClient } from "@effect/sql-pg"
import * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import { Cluster } from "@wield/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type MakeDurable, receiptOf } from "./durable.js"

const Order = Workflow.make({
  name: "Order",
  payload: { order: Schema.String, payments: Schema.Number },
  success: Schema.Number,
  idempotencyKey: ({ order }) => order
})

export const make: MakeDurable = async (url, pay) => {
  const body = Order.toLayer(({ order, payments }) =>
    Effect.gen(function* () {
      for (let number = 1; number <= payments; number++) {
        yield* Activity.make({
          name: `think ${number}`,
          success: Schema.Number,
          execute: Effect.succeed(number)
        })
        yield* Activity.make({
          name: `pay ${number}`,
          success: Schema.String,
          execute: Effect.as(
            Effect.promise(() => pay(order, number)),
            receiptOf(order, number)
          )
        })
      }
      return payments
    })
  )
  const runtime = ManagedRuntime.make(
    body.pipe(
      Layer.provideMerge(ClusterWorkflowEngine.layer),
      Layer.provideMerge(Cluster.layerPostgres({ address: "127.0.0.1:34432", takeover: "5 seconds" })),
      Layer.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 10 })),
      Layer.provide(Logger.minimumLogLevel(LogLevel.None))
    )
  )
  await runtime.runPromise(Effect.void)
  return {
    run: (order, payments) => runtime.runPromise(Order.execute({ order, payments })),
    close: () => runtime.dispose()
  }
}
