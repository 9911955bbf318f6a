/**
 * A process of a cluster: `member.js <url> <options as JSON>`. It says `ready`, carries out each order that it is sent,
 * and answers with the milliseconds until the run's first event.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { bank } from "./durable.js"
import { clientOf, type Order, Payer, runnerOf } from "./wield.js"

export interface Options {
  /** A client where it is missing. */
  readonly address?: string
  /** Milliseconds. */
  readonly takeover: number
  /** How long the model and a payment take, in milliseconds. No payment is made where it is 0. */
  readonly pace: number
}

const [url = "", text = "{}"] = process.argv.slice(2)
const { address, pace, takeover }: Options = JSON.parse(text)
const { pay } = await bank(url, pace)
const layer =
  address === undefined ? clientOf(url, { takeover }) : runnerOf(url, pay, { address, takeover, think: pace })

const main = Effect.gen(function* () {
  const payer = yield* Payer.client
  const carryOut = (order: Order) =>
    Effect.gen(function* () {
      const sentAt = performance.now()
      const run = yield* payer.prompt(order.name, { prompt: `${order.name}|${order.payments}`, promptId: order.name })
      let first: number | undefined
      yield* Stream.runForEach(run.events, () => Effect.sync(() => void (first ??= performance.now() - sentAt)))
      yield* run.result
      process.send?.(first)
    })
  process.on("message", (order: Order) => Effect.runFork(carryOut(order)))
  process.send?.("ready")
  yield* Effect.never
})

NodeRuntime.runMain(Effect.provide(main, layer), { disableErrorReporting: true })
