/** Effect 4's own AI module. Validates arguments and result. */
import * as Effect from "effect4/Effect"
import * as Schema from "effect4/Schema"
import * as Stream from "effect4/Stream"
import * as Tool from "effect4/ai/Tool"
import * as Toolkit from "effect4/ai/Toolkit"
import { description, statuses, type Task, toolName } from "../task/orders.js"
import type { Call } from "./peer.js"

const parameters = Schema.Struct({
  customer: Schema.String,
  status: Schema.Literals(statuses),
  limit: Schema.optionalKey(Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 100 }))),
  minimum: Schema.Number,
  items: Schema.Array(
    Schema.Struct({
      sku: Schema.String,
      quantity: Schema.Number.check(Schema.isInt()),
      note: Schema.optionalKey(Schema.String)
    })
  ),
  includeArchived: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
})

const success = Schema.Struct({
  status: Schema.String,
  count: Schema.Number.check(Schema.isInt()),
  total: Schema.Number,
  tags: Schema.Array(Schema.String)
})

const kit = Toolkit.make(Tool.make(toolName, { description, parameters, success }))

export const toolkitOf = (task: Task) =>
  Effect.runPromise(
    kit.pipe(
      Effect.provide(
        kit.toLayer({
          [toolName]: (given) => Effect.succeed(task.handle(given as Parameters<Task["handle"]>[0]))
        })
      )
    )
  )

export const effect4Calls = async (task: Task): Promise<ReadonlyArray<Call>> => {
  const toolkit = await toolkitOf(task)
  return [
    {
      name: "Effect 4: handle, runPromise",
      isSynchronous: false,
      call: async () => {
        const last = await Effect.runPromise(
          Effect.flatMap(toolkit.handle(toolName, JSON.parse(task.arguments)), Stream.runLast)
        )
        if (last._tag === "None") throw new Error("no result came")
        return JSON.stringify(last.value.encodedResult)
      }
    }
  ]
}
