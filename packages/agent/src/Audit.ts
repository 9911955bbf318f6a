/**
 * Who did what, read from conversations: each call, what was asked about it and
 * shown, who decided, and what came of it. One row a call, one line of JSON a row.
 */
import type { ToolCall, ToolResult } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Decision, Entry } from "./Conversation.js"
import type { ConversationNotFound, StoreError } from "./ConversationError.js"
import type { Service } from "./ConversationStore.js"
import { answersOf } from "./conversation/messages.js"
import { allConversations } from "./store/allConversations.js"

/**
 * A call.
 *
 * @category models
 */
export interface Row {
  readonly conversation: string
  /** The id of the assistant's entry that has the call. */
  readonly entry: string
  readonly call: string
  readonly tool: string
  /** As the model sent them. */
  readonly arguments: unknown
  /** When the model asked for it, in milliseconds since 1970. */
  readonly askedAt: number
  /** The answers it waited for, its sub-agents' too, in their order. */
  readonly decisions: ReadonlyArray<Decision>
  /**
   * The tag of its outcome; `Open` where it has no result yet. A conversation of
   * an earlier version says `Failure` for all that did not succeed.
   */
  readonly outcome: string
  /** It may have taken effect, and no record says so: a person has to look. */
  readonly isUncertain: boolean
  /** When its result was recorded, in milliseconds since 1970. */
  readonly endedAt: number | undefined
}

/**
 * The calls of a conversation.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent, Audit, DeferredCall } from "@wield/agent"
 * import { Approval, Toolset } from "@wield/core"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const model = yield* ScriptedModel.make([ScriptedModel.call("pay", { amount: 5 }), ScriptedModel.text("Paid.")])
 *   const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.succeed("paid") }])
 *   const agent = yield* Agent.make({ model, toolset, policy: { approval: () => Approval.ask("it costs") } })
 *   const paused = yield* Agent.run(agent, "Pay 5.")
 *   if (paused._tag !== "Paused") return []
 *   const answers = paused.requests.map((request) =>
 *     DeferredCall.withBy(DeferredCall.approve(request), { who: "ada@example.com", way: "page" })
 *   )
 *   const { conversation, entries } = yield* Agent.run(agent, { conversation: paused.conversation, answers })
 *   return Audit.ofEntries(conversation.id, entries)
 * })
 * Effect.runPromise(program).then(([row]) => {
 *   assert.deepStrictEqual([row?.tool, row?.outcome], ["pay", "Success"])
 *   assert.deepStrictEqual(row?.decisions[0]?.by, { who: "ada@example.com", way: "page" })
 * })
 * ```
 *
 * @category conversions
 */
export const ofEntries = (conversation: string, entries: ReadonlyArray<Entry>): ReadonlyArray<Row> => {
  const turns = entries.flatMap(({ message, summaryOf }, place) =>
    message._tag === "Assistant" && summaryOf === undefined ? [place] : []
  )
  return turns.flatMap((place, index) => {
    const [turn, ...others] = entries.slice(place, turns[index + 1])
    const answered = turn === undefined ? undefined : answersOf([turn, ...others])
    if (turn === undefined || answered === undefined) return []
    const decisions = others.flatMap((entry) => entry.decisions ?? [])
    return answered.calls.map((call, number): Row => {
      const result = answered.answers[number]
      const ended = others.find(
        ({ message }) => message._tag === "Results" && message.results.some((one) => one === result)
      )
      const outcome = result === undefined ? "Open" : outcomeOf(result, ended)
      return {
        conversation,
        entry: turn.id,
        call: call.id,
        tool: call.name,
        arguments: call.arguments,
        askedAt: turn.at,
        decisions: decisions.filter((decision) => callOf(answered.calls, decision) === call.id),
        outcome,
        isUncertain: outcome === "Uncertain",
        endedAt: ended?.at
      }
    })
  })
}

/** Of calls `c` and `c/a`, a decision about `c/a/b` is of the second. */
const callOf = (calls: ReadonlyArray<ToolCall.ToolCall>, { call }: Decision): string | undefined =>
  calls
    .map(({ id }) => id)
    .filter((id) => call === id || call.startsWith(`${id}/`))
    .reduce<string | undefined>((longest, id) => (id.length > (longest?.length ?? -1) ? id : longest), undefined)

const outcomeOf = (result: ToolResult.ToolResult, ended: Entry | undefined): string => {
  const place = ended?.message._tag === "Results" ? ended.message.results.indexOf(result) : -1
  return ended?.ends?.[place] ?? (result.isError ? "Failure" : "Success")
}

/**
 * The calls of a conversation of a store.
 *
 * @category conversions
 */
export const ofConversation = (
  store: Service,
  id: string
): Effect.Effect<ReadonlyArray<Row>, ConversationNotFound | StoreError> =>
  Effect.flatMap(store.open(id), ({ entries }) => Effect.map(entries, (all) => ofEntries(id, all)))

/**
 * The calls of all conversations of a store. One that is deleted meanwhile is passed over.
 *
 * @category conversions
 */
export const ofStore = (store: Service): Stream.Stream<Row, StoreError> =>
  allConversations(store).pipe(
    Stream.map(({ entries, id }) => ofEntries(id, entries)),
    Stream.flattenIterables
  )

/**
 * A row as a line of JSON, with its end of line.
 *
 * @category conversions
 */
export const toLine = (row: Row): string => `${JSON.stringify(row)}\n`
