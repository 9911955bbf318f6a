/**
 * A language model that follows a script, so that the program needs no key. In its place, a provider package of Effect
 * 4 gives a `LanguageModel` as a Layer.
 */
import { Effect, Layer, Stream } from "effect"
import { LanguageModel, type Prompt, type Response } from "effect/ai"

const finish = (reason: "stop" | "tool-calls"): Response.StreamPartEncoded => ({
  type: "finish",
  reason,
  usage: {
    inputTokens: { uncached: 20, total: 20, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 8, text: 8, reasoning: undefined }
  },
  response: undefined
})

const say = (text: string): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: "text-start", id: "1" },
  ...text.split(/(?<= )/).map((delta) => ({ type: "text-delta", id: "1", delta }) as const),
  { type: "text-end", id: "1" },
  finish("stop")
]

const call = (id: string, name: string, params: object): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: "tool-call", id, name, params },
  finish("tool-calls")
]

/** How often the model has been answered: each turn of the script follows a message of results. */
const turnOf = ({ content }: Prompt.Prompt): number => content.filter(({ role }) => role === "tool").length

const script = (prompt: Prompt.Prompt): ReadonlyArray<Response.StreamPartEncoded> => {
  switch (turnOf(prompt)) {
    // A name that no tool has: the agent tells the model which are like it.
    case 0:
      return call("call_1", "find_orders", { orderId: "o_1" })
    case 1:
      return call("call_2", "find_order", { orderId: "o_1" })
    // No number: the agent tells the model what was expected.
    case 2:
      return call("call_3", "refund", { orderId: "o_1", amount: "all of it" })
    case 3:
      return call("call_4", "refund", { orderId: "o_1", amount: 450 })
    default:
      return say("Your order was refunded. ")
  }
}

export const layer: Layer.Layer<LanguageModel.LanguageModel> = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: () => Effect.die(new Error("The program streams")),
    streamText: ({ prompt }) => Stream.fromIterable(script(prompt))
  })
)
