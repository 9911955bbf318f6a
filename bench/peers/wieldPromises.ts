/** The package `wield`: a tool of an async function, called by the program, and by responses of a model. */
import { tool, wield } from "wield"
import * as jsonSchema from "../task/jsonSchema.js"
import { description, type Parameters, type Result, type Task, toolName } from "../task/orders.js"
import * as zodSchema from "../task/zodSchema.js"
import type { z } from "zod"
import type { Call } from "./peer.js"
import { callsPerRun } from "./wield.js"

type Execute = (parameters: Parameters) => Promise<Result>

const toolsOf = (execute: Execute) => [
  {
    schema: "JSON Schema",
    tool: tool(toolName, {
      description,
      parameters: jsonSchema.parameters,
      outputSchema: jsonSchema.result,
      // The schema says what they are.
      execute: (parameters) => execute(parameters as unknown as Parameters)
    })
  },
  {
    schema: "zod",
    tool: tool(toolName, {
      description,
      parameters: zodSchema.parameters,
      outputSchema: zodSchema.result,
      // Its type wants lists that can be changed.
      execute: (parameters) => execute(parameters) as Promise<z.infer<typeof zodSchema.result>>
    })
  }
]

export const promiseCalls = async (task: Task, execute: Execute): Promise<ReadonlyArray<Call>> => {
  const contenders: Array<Call> = []
  for (const { schema, tool } of toolsOf(execute)) {
    const tools = await wield({ tools: [tool] })
    let made = 0
    let run = tools.run()
    const nextRun = () => (made++ % callsPerRun === 0 ? (run = tools.run()) : run)
    contenders.push(
      {
        name: `wield, ${schema}: run.call`,
        isSynchronous: false,
        call: async () => JSON.stringify(await nextRun().call(toolName, JSON.parse(task.arguments)))
      },
      {
        name: `wield, ${schema}: run.answer`,
        isSynchronous: false,
        call: async () => {
          const { outcomes } = await nextRun().answer("openai-chat", responseTo(task, made))
          const [outcome] = outcomes
          return outcome?._tag === "Success" ? outcome.text : String(outcome?._tag)
        }
      }
    )
  }
  return contenders
}

const responseTo = (task: Task, number: number) => ({
  id: `chatcmpl-${number}`,
  object: "chat.completion",
  created: 1_764_000_000,
  model: "some-model",
  choices: [
    {
      index: 0,
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: `call_${number}`, type: "function", function: { name: toolName, arguments: task.arguments } }
        ]
      }
    }
  ],
  usage: { prompt_tokens: 812, completion_tokens: 93, total_tokens: 905 }
})
