import { fromRun } from "@wield/interop/genkit"
import { Effect } from "effect"
import { genkit as makeGenkit } from "genkit/beta"
import type { Driver, Shop } from "../test/scenarios/table.js"

export const genkit: Driver = {
  sdk: "Genkit",
  without: { "broken JSON": "the model's plugin parses", "unknown name": "`generate` rejects" },
  drive: async ({ alter = (text) => text, calls, later, reply, shop, signal }) => {
    const requests: Array<any> = []
    const ai = makeGenkit({})
    const model = ai.defineModel(
      { name: "scripted", supports: { tools: true, multiturn: true } },
      async (request: any) => {
        requests.push(JSON.parse(JSON.stringify(request)))
        const content =
          requests.length === 1
            ? calls.map(({ arguments: text, id, name }) => ({
                toolRequest: { ref: id, name, input: JSON.parse(text) }
              }))
            : [{ text: "done" }]
        return { message: { role: "model" as const, content }, finishReason: "stop" as const }
      }
    )
    const open = ({ run }: Shop) => Effect.runPromise(fromRun(ai, run, { signal }))
    const tools = await open(shop)
    const response = await ai.generate({
      model,
      prompt: "go",
      tools,
      ...(signal === undefined ? {} : { abortSignal: signal })
    })
    if (response.interrupts.length > 0 && reply !== undefined) {
      const saved = JSON.parse(alter(JSON.stringify({ messages: response.messages, interrupts: response.interrupts })))
      const next = later === undefined ? tools : await open(await later())
      const restart = saved.interrupts.map((part: any) => {
        const { id } = part.metadata.interrupt.waiting
        return next
          .find((tool) => tool.__action.name.endsWith(part.toolRequest.name))!
          .restart(part, { id, reply: reply === "approve" ? "approve" : { deny: "not today" } })
      })
      await ai.generate({ model, messages: saved.messages, tools: next, resume: { restart } })
    }
    const last = requests.at(-1).messages.at(-1).content as ReadonlyArray<any>
    return {
      definitions: JSON.stringify(requests[0].tools),
      sent: last
        .filter(({ toolResponse }) => toolResponse !== undefined)
        .map(({ toolResponse: { output, ref: id } }) => ({
          id,
          text: output?.error ?? (typeof output === "string" ? output : JSON.stringify(output ?? null))
        }))
    }
  }
}
