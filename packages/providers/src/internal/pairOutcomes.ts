/**
 * Which result belongs to which call of a turn: by id, and among calls that
 * share an id by order.
 */
import type { Loss, ToolResult, Turn } from "@wield/core"
import { Outcome } from "@wield/core"

export interface Paired {
  /** In the order of the calls. */
  readonly results: ReadonlyArray<{
    readonly part: Turn.CallPart
    readonly outcome: Outcome.Outcome
    readonly result: ToolResult.ToolResult
  }>
  /** Ids of the application's calls that have no outcome, or a deferred one. */
  readonly pending: ReadonlyArray<string>
  readonly losses: ReadonlyArray<Loss.Loss>
}

export const pairOutcomes = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): Paired => {
  const waiting = new Map<string, Array<Outcome.Outcome>>()
  for (const outcome of outcomes) {
    const queue = waiting.get(outcome.id)
    if (queue === undefined) waiting.set(outcome.id, [outcome])
    else queue.push(outcome)
  }
  const results: Array<Paired["results"][number]> = []
  const pending: Array<string> = []
  for (const part of turn.parts) {
    if (part._tag !== "Call" || part.executedBy !== "application") continue
    const outcome = waiting.get(part.call.id)?.shift()
    const result = outcome === undefined ? undefined : Outcome.render(outcome)
    if (outcome === undefined || result === undefined) pending.push(part.call.id)
    else results.push({ part, outcome, result })
  }
  const losses: Array<Loss.Loss> = []
  for (const [id, rest] of waiting) {
    for (const outcome of rest) {
      losses.push({
        subject: outcome.name,
        path: [],
        keyword: "outcome",
        reason: `The turn has no call ${JSON.stringify(id)} that this outcome could answer; it is left out.`
      })
    }
  }
  return { results, pending, losses }
}
