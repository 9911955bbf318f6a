import type { Message, Turn } from "@wield/core"
import { expect, it } from "vitest"
import { callTool, wrapMessages } from "./discovery.js"

const calling = (name: string, nativeName: string): Message.Message => {
  const call = { id: "call_0", name, arguments: {} }
  const part: Turn.CallPart = { _tag: "Call", call, executedBy: "application", nativeName, nativeId: "call_0" }
  return { _tag: "Assistant", parts: [part], native: undefined }
}

const resultOf = (name: string): Message.Message => ({
  _tag: "Results",
  results: [{ id: "call_0", name, content: [], structured: undefined, isError: false }],
  native: undefined
})

it("a result is named by the call of its own turn, where an API uses its ids again", () => {
  const messages = [calling("book", callTool), resultOf("book"), calling("weather", "weather"), resultOf("weather")]
  const named = wrapMessages(messages).flatMap((message) =>
    message._tag === "Results" ? message.results.map(({ name }) => name) : []
  )
  expect(named).toEqual([callTool, "weather"])
})
