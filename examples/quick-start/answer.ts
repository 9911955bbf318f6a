/** Answers to calls that wait: this example plays the person who approves, and the client that draws. */
import type { Outcome, ToolRunner } from "@wield/core"
import { Effect, Schema } from "effect"
import type { ShopOutcome, ShopRunner } from "./shop/runner.js"
import { Shop } from "./shop/toolkit.js"
import { barChart } from "./terminal/barChart.js"

export interface Answered {
  /** What the person or the client did, as text for the terminal. */
  readonly done: string
  readonly outcome: ShopOutcome
}

export const answer = (run: ShopRunner, deferred: Outcome.Deferred): Effect.Effect<Answered> => {
  const { done, response } = deferred.waitsFor === "approval" ? approve(deferred) : draw(deferred)
  return Effect.map(run.resume(deferred, response), (outcome) => ({ done, outcome }))
}

interface Reply {
  readonly done: string
  readonly response: ToolRunner.Response
}

const approve = ({ name, why }: Outcome.Deferred): Reply => ({
  done: `${name}: ${why ?? "it needs approval"}. The quick start says yes in a person's place.`,
  response: { _tag: "Approve" }
})

const isChart = Schema.is(Shop.tools.show_chart.parametersSchema)

const draw = (deferred: Outcome.Deferred): Reply =>
  isChart(deferred.arguments)
    ? {
        done: `${deferred.name}: the client draws it.\n\n${barChart(deferred.arguments)}`,
        response: { _tag: "Result", encoded: { shown: true } }
      }
    : {
        done: `${deferred.name}: this client cannot execute it.`,
        response: { _tag: "Deny", reason: "this client has no such tool" }
      }
