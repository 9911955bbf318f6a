/**
 * Sub-agents: two agents as tools of a third. Each call is a conversation of its
 * own, with the sub-agent's model, tools and limits; the third sees its answer
 * only. Models are scripts, so no key is needed.
 */
import * as assert from "node:assert/strict"
import { Tool, Toolkit } from "@effect/ai"
import { Agent, AgentResult, DeferredCall, Stop } from "@wield/agent"
import { Approval, Outcome, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema, Stream } from "effect"

const { call, text, turn, usage } = ScriptedModel

class Warehouse extends Toolkit.make(
  Tool.make("stock", { parameters: { item: Schema.String }, success: Schema.Int }).annotate(Tool.Readonly, true)
) {}
class Office extends Toolkit.make(Tool.make("order", { parameters: { item: Schema.String, count: Schema.Int } })) {}
const ordered: Array<string> = []

const WarehouseLive = Warehouse.toLayer({ stock: ({ item }) => Effect.succeed(item === "mug" ? 3 : 0) })
const OfficeLive = Office.toLayer({
  order: ({ count, item }) => Effect.sync(() => void ordered.push(`${count} ${item}`))
})

const Report = Schema.Struct({ item: Schema.String, missing: Schema.Int })

/** What a tool tells of its progress may be anything. */
const isCallStarted = Schema.is(
  Schema.Struct({
    _tag: Schema.Literal("CallStarted"),
    call: Schema.Struct({ id: Schema.String, name: Schema.String, arguments: Schema.Unknown })
  })
)

const program = Effect.gen(function* () {
  // A small model counts, and answers with a value rather than with words.
  const counter = yield* Agent.make({
    name: "counter",
    model: yield* ScriptedModel.make(
      [
        turn(call("stock", { item: "mug" }), usage({ input: 40, output: 5 })),
        turn(call("final_answer", { item: "mug", missing: 7 }), usage({ input: 60, output: 9 }))
      ],
      { id: "small" }
    ),
    toolset: yield* Toolset.fromToolkit(Warehouse),
    output: Report,
    stop: Stop.steps(5)
  })
  // Another one orders, and has to ask for it.
  const buyer = yield* Agent.make({
    name: "buyer",
    model: yield* ScriptedModel.make(
      [turn(call("order", { item: "mug", count: 7 }), usage({ input: 30, output: 8 })), text("Ordered 7 mugs.")],
      { id: "small" }
    ),
    toolset: yield* Toolset.fromToolkit(Office),
    policy: { approval: { order: ({ parameters }) => Approval.ask(`it buys ${parameters.count}`) } }
  })

  const manager = yield* Agent.make({
    model: yield* ScriptedModel.make(
      [
        turn(call("count", { task: "We want 10 mugs. How many are missing?" }), usage({ input: 20, output: 20 })),
        turn(call("buy", { task: "Order 7 mugs." }), usage({ input: 50, output: 20 })),
        turn(text("Seven mugs were missing, and are ordered."), usage({ input: 80, output: 10 }))
      ],
      { id: "large" }
    ),
    toolset: Toolset.combine(
      yield* Agent.toToolset(counter, { name: "count", description: "Counts what the warehouse has" }),
      yield* Agent.toToolset(buyer, { name: "buy", description: "Orders from the supplier" })
    )
  })

  const tell = (input: Agent.Input<{}> | string) =>
    Agent.stream(manager, input).pipe(
      Stream.tap((event) =>
        Effect.sync(() => {
          if (event._tag === "CallStarted") console.log(`${event.call.name}: ${JSON.stringify(event.call.arguments)}`)
          // What happens within a sub-agent is the progress of its call.
          if (event._tag === "CallProgress" && isCallStarted(event.value)) {
            console.log(`    ${event.value.call.name} ${JSON.stringify(event.value.call.arguments)}`)
          }
          if (event._tag === "CallFinished") console.log(`  = ${Outcome.text(event.outcome)}`)
        })
      ),
      Stream.runLast,
      Effect.flatten,
      Effect.map((last) => (last._tag === "Done" ? last.result : assert.fail(last._tag)))
    )

  // The order waits for a person, and so the whole run does.
  const paused = yield* tell("Stock up on mugs.")
  assert.ok(paused._tag === "Paused" && ordered.length === 0)
  const answers = paused.requests.map((request) => {
    const path = request.within?.map(({ name }) => name).join(" > ")
    console.log(`asked: ${path} > ${request.name} ${JSON.stringify(request.arguments)}, ${request.why}: yes`)
    return DeferredCall.approve(request)
  })
  const result = yield* tell({ conversation: paused.conversation, answers })
  console.log(yield* AgentResult.output(result))
  for (const [model, { input, output }] of result.usageByModel) console.log(`${model}: ${input} in, ${output} out`)
  assert.deepEqual(ordered, ["7 mug"])
  assert.deepEqual([...paused.usageByModel.keys()].sort(), ["large", "small"])
})

await Effect.runPromise(program.pipe(Effect.provide([WarehouseLive, OfficeLive])))
