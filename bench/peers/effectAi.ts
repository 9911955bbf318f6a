/** @effect/ai's own way: `handle` of a toolkit. Validates arguments and result. */
import * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FindOrders, fields, result } from "../task/effectSchema.js"
import { type Task, toolName } from "../task/orders.js"
import type { Call } from "./peer.js"

export const kit = Toolkit.make(FindOrders)

export const handled = (
  handle: (parameters: Parameters<Task["handle"]>[0]) => Effect.Effect<ReturnType<Task["handle"]>>
) => Effect.runSync(kit.pipe(Effect.provide(kit.toLayer({ [toolName]: handle }))))

type Given = Parameters<ReturnType<typeof handled>["handle"]>[1]

export const effectAiCalls = (task: Task): ReadonlyArray<Call> => {
  const toolkit = handled((parameters) => Effect.succeed(task.handle(parameters)))
  const decode = Schema.decodeUnknownSync(Schema.Struct(fields))
  const encode = Schema.encodeSync(result)
  const call = () =>
    // `handle` is typed to take decoded parameters and decodes them itself.
    Effect.map(toolkit.handle(toolName, JSON.parse(task.arguments) as Given), (answer) =>
      JSON.stringify(answer.encodedResult)
    )
  return [
    {
      name: "Effect 3 Schema in+out, interpreted",
      isSynchronous: true,
      call: () => JSON.stringify(encode(task.handle(decode(JSON.parse(task.arguments)))))
    },
    { name: "@effect/ai: handle, runSync", isSynchronous: true, call: () => Effect.runSync(call()) },
    { name: "@effect/ai: handle, runPromise", isSynchronous: false, call: () => Effect.runPromise(call()) }
  ]
}
