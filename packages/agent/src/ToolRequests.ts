/**
 * Example requests learnt from conversations: in which words people asked for what a tool then did. They matter to the
 * ranking of a search alone, and no model but the application's embedder is shown them.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Audit from "./Audit.js"
import type { Entry } from "./Conversation.js"
import type { StoreError } from "./ConversationError.js"
import type { Service } from "./ConversationStore.js"
import { callTool, isHits, queryOf, searchTool } from "./loop/discovery.js"
import { allConversations } from "./store/allConversations.js"

/**
 * Example requests by the name of the tool, as the agent's option `search.learnt` takes them.
 *
 * @category models
 */
export interface Learnt {
  readonly [tool: string]: ReadonlyArray<string>
}

/**
 * What of a conversation is learnt: what the user said last before a call that succeeded, and with which words the model
 * had found its tool. Texts of over 500 characters are left out.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent, ToolRequests } from "@wield/agent"
 * import { Toolset } from "@wield/core"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const model = yield* ScriptedModel.make([ScriptedModel.call("refund_order"), ScriptedModel.text("Done.")])
 *   const toolset = yield* Toolset.dynamic([{ name: "refund_order", execute: () => Effect.succeed("refunded") }])
 *   const { entries } = yield* Agent.run(yield* Agent.make({ model, toolset }), "They charged me twice")
 *   return ToolRequests.ofEntries(entries)
 * })
 * Effect.runPromise(program).then((learnt) => assert.deepStrictEqual(learnt, { refund_order: ["They charged me twice"] }))
 * ```
 *
 * @category conversions
 */
export const ofEntries = (entries: ReadonlyArray<Entry>): Learnt => {
  const learnt = new Collected()
  const keyOf = (...names: ReadonlyArray<string>) => JSON.stringify(names)
  const rows = new Map(Audit.ofEntries("", entries).map((row) => [keyOf(row.entry, row.call, row.tool), row]))
  let turn = ""
  let said: ReadonlyArray<string> = []
  let searches: ReadonlyArray<Search> = []
  for (const { id, message, summaryOf } of entries) {
    if (message._tag === "Assistant" && summaryOf === undefined) turn = id
    if (message._tag === "User") {
      said = message.content.flatMap((part) => (part._tag === "Text" ? [part.text] : []))
      searches = []
    }
    if (message._tag !== "Results") continue
    for (const { id: call, name, structured } of message.results) {
      const row = rows.get(keyOf(turn, call, name))
      if (row?.outcome !== "Success" || name === callTool) continue
      if (name !== searchTool) {
        const words = searches.flatMap(({ query, tools }) => (tools.includes(name) ? [query] : []))
        learnt.add(name, [...said, ...words])
      } else if (isHits(structured)) {
        const query = queryOf(row.arguments)
        if (query !== undefined) searches = [...searches, { query, tools: structured.tools.map((tool) => tool.name) }]
      }
    }
  }
  return learnt.requests
}

interface Search {
  readonly query: string
  readonly tools: ReadonlyArray<string>
}

/**
 * What is learnt of a store's conversations, those changed last first: at most `perTool` requests of a tool, 20 unless
 * given, from `conversations` of them, 1,000 unless given. A store of many users has the words of all of them.
 *
 * @category conversions
 */
export const ofStore = (
  store: Service,
  { conversations = 1_000, perTool = 20 }: { readonly conversations?: number; readonly perTool?: number } = {}
): Effect.Effect<Learnt, StoreError> =>
  allConversations(store).pipe(
    Stream.take(conversations),
    Stream.runFold(new Collected(perTool), (learnt, { entries }) => {
      for (const [tool, requests] of Object.entries(ofEntries(entries))) learnt.add(tool, requests)
      return learnt
    }),
    Effect.map(({ requests }) => requests)
  )

const longest = 500

/** Each text once, as many as there may be of a tool. */
class Collected {
  readonly #tools = new Map<string, Set<string>>()

  constructor(readonly most = Infinity) {}

  add(tool: string, texts: ReadonlyArray<string>): void {
    const known = this.#tools.get(tool) ?? new Set()
    for (const text of texts.map((one) => one.trim())) {
      if (text !== "" && text.length <= longest && known.size < this.most) known.add(text)
    }
    if (known.size > 0) this.#tools.set(tool, known)
  }

  get requests(): Learnt {
    // A tool may have any name.
    return Object.fromEntries(Array.from(this.#tools, ([tool, texts]) => [tool, [...texts]]))
  }
}
