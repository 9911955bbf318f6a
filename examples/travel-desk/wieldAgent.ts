/** Form 3: Wield's agent. The server has the conversation; the page holds only what waits. */
import type { AnyModel, DeferredCall, Reply } from "wield"
import type { Desk, Replies, Turn } from "./desk.js"
import { openTools } from "./tools.js"
import type { Travel } from "./travel.js"

interface Answer {
  readonly to: DeferredCall
  readonly reply: Reply
}

export const openDesk = async (
  travel: Travel,
  model: AnyModel,
  traveller: string,
  conversation: string = crypto.randomUUID()
): Promise<Desk> => {
  const desk = await openTools(travel)
  const agent = desk.agent({ model, steps: 10 })

  const talk = async (prompt: string | undefined, answers: ReadonlyArray<Answer>): Promise<Turn> => {
    const result = await agent.ask(prompt, { conversation, context: { traveller }, answers })
    const requests = result._tag === "Paused" ? result.requests : []
    return {
      session: JSON.stringify(requests),
      text: result._tag === "Finished" ? result.output : "",
      waiting: requests.map(({ arguments: input, call }) => ({ id: call.id, tool: call.name, input }))
    }
  }
  return {
    say: (text) => talk(text, []),
    reply: (session, replies) => {
      const requests: ReadonlyArray<DeferredCall> = JSON.parse(session)
      const answers = requests.flatMap((to): ReadonlyArray<Answer> => {
        const reply = replies[to.call.id]
        return reply === undefined ? [] : [{ to, reply: replyOf(reply) }]
      })
      return talk(undefined, answers)
    }
  }
}

const replyOf = (reply: Replies[string]): Reply =>
  "result" in reply ? { result: reply.result } : reply.approved ? "approve" : { deny: "not today" }
