/** Answers to calls that wait: this example plays the person who approves, and the client that draws. */
import { type Outcome, Response } from "@wield/core"
import type { ShopOutcome } from "./shop/runner.js"
import { barChart } from "./terminal/barChart.js"

export interface Answer {
  /** What the person or the client did, as text for the terminal. */
  readonly done: string
  readonly response: Response.Approve | Response.Deny | Response.Result<{ readonly shown: boolean }>
}

export const answer = (deferred: Extract<ShopOutcome, Outcome.Deferred>): Answer => {
  if (deferred.waitsFor === "approval") {
    return {
      done: `${deferred.name}: ${deferred.why ?? "it needs approval"}. The quick start says yes in a person's place.`,
      response: Response.approve
    }
  }
  return deferred.name === "show_chart"
    ? {
        done: `${deferred.name}: the client draws it.\n\n${barChart(deferred.arguments)}`,
        response: Response.result({ shown: true })
      }
    : {
        done: `${deferred.name}: this client cannot execute it.`,
        response: Response.deny("this client has no such tool")
      }
}
