/** What recording costs while no page is open: for each event, beside the same calls and a model's text without it. */
import { ToolCall } from "@wield/core"
import { Recorder } from "@wield/studio"
import * as Effect from "effect/Effect"
import { assertEqual, batched, keep, measure } from "../harness/measure.js"
import { duration, type Group, type Measured, rowOf, timingTable } from "../harness/table.js"
import { makeRunner, off } from "../peers/wield.js"
import { small, toolName } from "../task/orders.js"

const plain = "not recorded"
const recorded = "recorded"

const calls = async (): Promise<Measured> => {
  const runner = makeRunner((parameters) => Effect.succeed(small.handle(parameters)), off)
  const batch = Array.from({ length: 100 }, (_, index) => ToolCall.make(`call_${index}`, toolName, small.arguments))
  const recorder = await Effect.runPromise(Recorder.make())
  const countOf = (outcomes: ReadonlyArray<unknown>) => `${outcomes.length}`
  const contenders = [
    { name: plain, run: async () => countOf(await Effect.runPromise(runner.settle(batch))) },
    {
      name: recorded,
      run: async () =>
        countOf(
          await Effect.runPromise(
            Recorder.calls({ name: "bench" }, (watcher) => runner.settle(batch, watcher)).pipe(
              Effect.provideService(Recorder.Recorder, recorder)
            )
          )
        )
    }
  ].map(({ name, run }) =>
    batched(name, run, async (times) => {
      for (let time = 0; time < times; time++) keep(await run())
    })
  )
  await assertEqual(contenders, "100")
  const table = timingTable("100 calls in a batch", await measure(contenders), plain)
  // Each call has a start and an end, and the run too.
  const perEvent = (rowOf(table, recorded).minimum - rowOf(table, plain).minimum) / 202
  return {
    tables: [table],
    goals: [
      {
        name: "recorder, an event of a call, with its stages",
        goal: "≤ 1 µs",
        measured: duration(perEvent),
        isMet: perEvent <= 1e3
      }
    ]
  }
}

const texts = async (): Promise<Measured> => {
  const recorder = await Effect.runPromise(Recorder.make())
  const recording = await Effect.runPromise(recorder.begin({ name: "bench" }))
  const name = "a piece of text"
  const piece = { _tag: "TextDelta", text: "and so on " } as const
  const contender = batched(
    name,
    async () => "",
    (times) => {
      for (let time = 0; time < times; time++) recording.event(piece)
    }
  )
  const table = timingTable("events of a model", await measure([contender]))
  const perEvent = rowOf(table, name).minimum
  return {
    tables: [table],
    goals: [
      {
        name: "recorder, a piece of a model's text",
        goal: "≤ 1 µs",
        measured: duration(perEvent),
        isMet: perEvent <= 1e3
      }
    ]
  }
}

export const groups: ReadonlyArray<Group> = [
  { name: "calls", measure: calls },
  { name: "texts", measure: texts }
]
