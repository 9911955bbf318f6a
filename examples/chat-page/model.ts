/** A model that needs no key: it looks for words in what the customer says, and speaks of results. */
import type { Model } from "@wield/agent"
import { type Message, ToolResult } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Stream } from "effect"
import { orders } from "./teas.js"

const { text, turn } = ScriptedModel

const call = (name: string, parameters: object) => ScriptedModel.call(name, parameters, { id: crypto.randomUUID() })

const help = `I am a model with a script. Ask me for a green tea, or to pack order A1. I draw the receipt of A2, wrap it as a gift, or pay your orders back, if you agree.`

const story = `Long ago, on a hill above the sea, a gardener dried her first leaves in the sun. ${"The wind turned them, the evening cooled them, and a neighbour came to taste. ".repeat(8)}So tea came into the world, they say.`

const answerToCustomer = (said: string): ReadonlyArray<ScriptedModel.Part> => {
  const order = /A2/i.test(said) ? "A2" : "A1"
  if (/refund|pay|back/i.test(said)) {
    const all = /both|orders/i.test(said) ? Object.keys(orders) : [order]
    return [text("Of course. "), ...all.map((one) => call("refund", { order: one, amount: orders[one]?.total }))]
  }
  if (/gift|wrap/i.test(said)) return [text("A gift, how kind. "), call("wrap_gift", { order })]
  if (/receipt/i.test(said)) return [text("Here it comes. "), call("receipt", { order })]
  if (/pack|send/i.test(said)) return [text("I pack it now. "), call("pack_order", { order })]
  if (/story|tell/i.test(said)) return [text(story)]
  const [taste] = /green|black|red|yellow|smoky|sweet|mild/i.exec(said) ?? []
  return taste === undefined ? [text(help)] : [text("Let me look. "), call("find_tea", { word: taste })]
}

const speakOf = (result: ToolResult.ToolResult): ReadonlyArray<ScriptedModel.Part> => {
  const said = ToolResult.toText(result)
  if (result.isError) return [text(`I leave it at that: ${result.name} was not done. `)]
  const [, id = ""] = /"id":"(\w+)"/.exec(said) ?? []
  const [, paid = ""] = /"paid":([\d.]+)/.exec(said) ?? []
  switch (result.name) {
    case "find_tea":
      return id === "" ? [text("We have none of that. ")] : [text("I light it up for you. "), call("show_tea", { id })]
    case "show_tea":
      return [text("There it is, in the window. ")]
    case "pack_order":
      return [text("It is packed and leaves today. ")]
    case "refund":
      return [text(`${Number(paid).toFixed(2)} € are on their way to you. `)]
    case "receipt":
      return [text("Keep it for your records. ")]
    default:
      return [text(`${said}. `)]
  }
}

const answerTo = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<ScriptedModel.Part> => {
  const last = messages.at(-1)
  if (last?._tag === "Results") return last.results.flatMap(speakOf)
  const content = last?._tag === "User" ? last.content : []
  return answerToCustomer(content.map((part) => (part._tag === "Text" ? part.text : "")).join(" "))
}

/** Waits for `pace` before each piece. */
export const makeModel = (pace: Effect.Effect<void>): Model.Model => ({
  id: "script",
  format: "scripted",
  stream: (request) =>
    ScriptedModel.make([turn(...answerTo(request.messages))]).pipe(
      Effect.map(({ stream }) => stream(request)),
      Stream.unwrap,
      Stream.tap(() => pace)
    )
})
