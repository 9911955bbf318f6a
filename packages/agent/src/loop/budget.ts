/** Quotas of tokens and money: looked at before each request to a model, and counted after it. */
import type { Turn } from "@wield/core"
import * as Quota from "@wield/core/Quota"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stop from "../Stop.js"
import type { State } from "./state.js"

/** Each budget that the run is under: what it is of, how much, and how a usage counts in it. */
const budgetsOf = ({ context, conversation, plan }: State) =>
  (plan.quotas ?? []).flatMap((quota) => {
    const { cost, tokens } = quota
    if (cost === undefined && tokens === undefined) return []
    const key = Quota.userOf(quota, context, { run: conversation.id })
    if (key === undefined) return []
    const window = Duration.toMillis(quota.window)
    const ofTokens = {
      key: Quota.keyOf(quota, "tokens", key),
      window,
      limit: tokens ?? 0,
      name: Quota.describe(quota, tokens ?? 0, "tokens"),
      amountOf: (_: string, { input, output }: Turn.Usage) =>
        input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0)
    }
    const ofCost = {
      key: Quota.keyOf(quota, "cost", key),
      window,
      limit: cost?.limit ?? 0,
      name: Quota.describe(quota, cost?.limit ?? 0, "of cost"),
      amountOf: (model: string, usage: Turn.Usage) =>
        Stop.priceOf(new Map([[model, usage]]), cost?.prices ?? {}, { other: cost?.other })
    }
    return [...(tokens === undefined ? [] : [ofTokens]), ...(cost === undefined ? [] : [ofCost])]
  })

/** The budget that is used up, as the result of the run names it. */
export const usedUp = (state: State): Effect.Effect<string | undefined, unknown> =>
  state.plan.quotas === undefined
    ? Effect.succeed(undefined)
    : Effect.gen(function* () {
        for (const { key, limit, name, window } of budgetsOf(state)) {
          if (state.unmeasured === name) return name
          // A sum that is no number lets nothing through.
          if (!((yield* state.plan.counts.sum(key, window)) < limit)) return name
        }
        return undefined
      })

/** What is used counts, whatever becomes of the turn. A budget that cannot be measured is used up for this run. */
export const spend = (state: State, model: string, usage: Turn.Usage): Effect.Effect<void> =>
  state.plan.quotas === undefined
    ? Effect.void
    : Effect.forEach(
        budgetsOf(state),
        ({ amountOf, key, name, window }) => {
          const amount = amountOf(model, usage)
          if (amount === undefined) {
            state.unmeasured = name
            return Effect.logWarning(
              `A run stops at its quota of ${name}, because what ${model} used or costs is not known`
            )
          }
          return Effect.catchAllCause(state.plan.counts.add(key, window, amount, Infinity), () => {
            state.unmeasured = name
            return Effect.logError(`What a run used of its quota of ${name} could not be counted, so it stops`)
          })
        },
        { discard: true }
      )
