/** The least that a loop can do: hear each event, parse and validate the arguments, call the function, write the result. */
import { type MakeLoop, outcomeOf, scriptOf } from "../task/conversation.js"
import { small } from "../task/orders.js"
import { inAndOut } from "./ajv.js"

export const byHand = "a loop by hand, ajv in and out"

interface Message {
  readonly role: string
  readonly text: string
}

export const byHandLoop: MakeLoop = (shape, gate) => {
  const script = scriptOf(shape)
  return {
    name: byHand,
    converse: async () => {
      const messages: Array<Message> = []
      const results: Array<string> = []
      for (const turn of script) {
        if (turn.calls.length === 0) await gate?.()
        let text = ""
        for (const piece of turn.pieces) text += piece
        for (const call of turn.calls) {
          let given = ""
          for (const piece of call.pieces) given += piece
          messages.push({ role: "assistant", text: given })
          const result = inAndOut(small.handle, given)
          messages.push({ role: "tool", text: result })
          results.push(result)
        }
        // A model is never there at once.
        await Promise.resolve()
        if (turn.calls.length === 0) return outcomeOf(text, results)
      }
      throw new Error("the script has no end")
    }
  }
}
