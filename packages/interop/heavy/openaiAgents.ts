import { Agent, type Model, Runner, RunState, Usage } from "@openai/agents"
import { fromRun } from "@wield/interop/openai-agents"
import { Effect } from "effect"
import type { Call, Driver, Shop } from "../test/scenarios/table.js"
import { textOf } from "./http.js"

export class Scripted implements Model {
  readonly requests: Array<any> = []
  constructor(readonly calls: ReadonlyArray<Call>) {}
  async getResponse(request: any): Promise<any> {
    this.requests.push(JSON.parse(JSON.stringify({ input: request.input, tools: request.tools })))
    const output =
      this.requests.length === 1
        ? this.calls.map(({ arguments: text, id, name }) => ({
            type: "function_call",
            callId: id,
            name,
            status: "completed",
            arguments: text
          }))
        : [
            {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "done" }]
            }
          ]
    return { usage: new Usage(), output, responseId: undefined }
  }
  getStreamedResponse(): any {
    throw new Error("not streamed")
  }
}

export const openaiAgents: Driver = {
  sdk: "OpenAI Agents",
  drive: async ({ alter = (text) => text, calls, later, reply, shop, signal }) => {
    const model = new Scripted(calls)
    const runner = new Runner({ tracingDisabled: true })
    const open = async ({ run }: Shop) => {
      const { runOptions, tools } = await Effect.runPromise(fromRun(run))
      return {
        agent: new Agent({ name: "shop", model, tools }),
        options: { ...runOptions, ...(signal === undefined ? {} : { signal }) }
      }
    }
    const first = await open(shop)
    const result = await runner.run(first.agent, "go", first.options)
    if (result.interruptions.length > 0 && reply !== undefined) {
      const next = later === undefined ? first : await open(await later())
      const state = await RunState.fromString(next.agent, alter(result.state.toString()))
      for (const item of state.getInterruptions()) {
        if (reply === "approve") state.approve(item)
        else state.reject(item, { message: "not today" })
      }
      await runner.run(next.agent, state, next.options)
    }
    const { input } = model.requests.at(-1)
    const results = typeof input === "string" ? [] : input.filter(({ type }: any) => type === "function_call_result")
    return {
      definitions: JSON.stringify(model.requests[0].tools),
      sent: results.map(({ callId: id, output }: any) => ({
        id,
        text: output?.type === "text" ? output.text : textOf(output)
      }))
    }
  }
}
