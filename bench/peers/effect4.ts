/** Effect 4's own AI module. Validates arguments and result. */
import { type Outcome, ToolCall, ToolRunner, Toolset } from "@wield/effect4"
import * as Effect from "effect4/Effect"
import * as Option from "effect4/Option"
import * as Schema from "effect4/Schema"
import * as Stream from "effect4/Stream"
import * as Tool from "effect4/ai/Tool"
import * as Toolkit from "effect4/ai/Toolkit"
import { description, statuses, type Task, toolName } from "../task/orders.js"
import { asynchronous, batched, type Contender, keep } from "../harness/measure.js"
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

const handlersOf = (task: Task) =>
  kit.toLayer({
    [toolName]: (given) => Effect.succeed(task.handle(given as Parameters<Task["handle"]>[0]))
  })

export const toolkitOf = (task: Task) => Effect.runPromise(Effect.provide(kit, handlersOf(task)))

/** Calls of Effect 4's own toolkit, and of the same toolkit by `@wield/effect4`. */
export const bridgedCalls = async (task: Task): Promise<ReadonlyArray<Contender>> => {
  const handlers = handlersOf(task)
  const toolkit = await toolkitOf(task)
  const runner = await Effect.runPromise(
    Effect.provide(Effect.flatMap(Toolset.fromToolkit(kit), ToolRunner.make), handlers)
  )
  const call = ToolCall.make("call_1", toolName, task.arguments)
  const ways = {
    [own]: () =>
      Effect.map(Effect.flatMap(toolkit.handle(toolName, JSON.parse(task.arguments)), Stream.runLast), (last) =>
        JSON.stringify(Option.getOrThrow(last).encodedResult)
      ),
    [bridge]: () => Effect.map(runner.run(call), textOf)
  }
  const calls = Array.from({ length: together }, (_, index) => ({ ...call, id: `call_${index}` }))
  const all = () => Effect.runPromise(Effect.map(runner.runAll(calls), (outcomes) => outcomes.map(textOf).at(-1) ?? ""))
  return [
    ...Object.entries(ways).flatMap(([name, make]) => [
      asynchronous(`${name}: runPromise each`, () => Effect.runPromise(make())),
      batched(
        `${name}: in one fiber`,
        () => Effect.runPromise(make()),
        (times) => {
          let time = 0
          return Effect.runPromise(Effect.whileLoop({ while: () => time++ < times, body: make, step: keep }))
        }
      )
    ]),
    batched(
      `${bridge}: runAll of ${together}`,
      all,
      async (times) => {
        for (let time = 0; time < times; time++) keep(await all())
      },
      together
    )
  ]
}

export const own = "Effect 4 handle"
export const bridge = "@wield/effect4 run"

/** How many calls one batch has. */
const together = 100

const textOf = (outcome: Outcome.Outcome): string => {
  if (outcome._tag !== "Success") throw new Error(`the call ended as ${outcome._tag}`)
  return outcome.text
}

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
