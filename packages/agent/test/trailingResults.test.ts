/** Conversations from elsewhere that end with results. */
import { expect, it } from "@effect/vitest"
import { Agent, Conversation } from "@wield/agent"
import { Content, ToolCall, type Message } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"

const call: Message.Assistant = {
  _tag: "Assistant",
  parts: [
    { _tag: "Call", call: ToolCall.make("c1", "now", {}), executedBy: "application", nativeName: "now", nativeId: "c1" }
  ],
  native: undefined
}
const text: Message.Assistant = { _tag: "Assistant", parts: [{ _tag: "Text", text: "I look." }], native: undefined }
const results: Message.Results = {
  _tag: "Results",
  results: [{ id: "c1", name: "now", isError: false, content: [Content.text("noon")] }],
  native: undefined
}

it.effect.each([
  ["of the last turn", [call, results]],
  ["of a turn before the last", [call, text, results]],
  ["of none", [text, results]]
] as ReadonlyArray<readonly [string, ReadonlyArray<Message.Message>]>)(
  "a history that ends with results %s is sent",
  ([, history]) =>
    Effect.gen(function* () {
      const messages = [Conversation.user("What time is it?"), ...history]
      const entries = yield* Effect.forEach(messages, (message) => Conversation.entry(message))
      const conversation = yield* Conversation.make({ entries })
      const model = yield* ScriptedModel.make([ScriptedModel.text("Noon.")])
      const result = yield* Agent.run(yield* Agent.make({ model }), { conversation })
      expect(result).toMatchObject({ _tag: "Finished", text: "Noon.", steps: 1 })
    })
)
