/** What recording costs while no page is open: for each event, beside the same calls and a model's text without it. */
import { Stage, ToolCall, type ToolRunner } from "@wield/core"
import { Recorder } from "@wield/studio"
import * as Effect from "effect/Effect"
import { assertEqual, batched, keep, measure } from "../harness/measure.js"
import { duration, type Group, type Measured, rowOf, timingTable } from "../harness/table.js"
import { makeRunner, off } from "../peers/wield.js"
import { small, toolName } from "../task/orders.js"

const plain = "not recorded"
const watched = "starts and ends recorded"
const recorded = "stages recorded, too"

const calls = async (): Promise<Measured> => {
  const runner = makeRunner((parameters) => Effect.succeed(small.handle(parameters)), off)
  const batch = Array.from({ length: 100 }, (_, index) => ToolCall.make(`call_${index}`, toolName, small.arguments))
  const recorder = await Effect.runPromise(Recorder.make())
  const settle = (watcher?: ToolRunner.Watcher) => runner.settle(batch, watcher)
  const record = (deaf: boolean) =>
    Recorder.calls({ name: "bench" }, (watcher) =>
      deaf ? Effect.provideService(settle(watcher), Stage.Listener, undefined) : settle(watcher)
    ).pipe(Effect.provideService(Recorder.Recorder, recorder))
  const contenders = [
    { name: plain, effect: settle() },
    { name: watched, effect: record(true) },
    { name: recorded, effect: record(false) }
  ].map(({ effect, name }) => {
    const run = async () => `${(await Effect.runPromise(effect)).length}`
    return batched(name, run, async (times) => {
      for (let time = 0; time < times; time++) keep(await run())
    })
  })
  await assertEqual(contenders, "100")
  const table = timingTable("100 calls in a batch", await measure(contenders), plain)
  const minimum = (name: string) => rowOf(table, name).minimum
  // Each call has a start and an end, and the run too.
  const perEvent = (minimum(watched) - minimum(plain)) / 202
  // Each call goes through ten stages.
  const perStage = (minimum(recorded) - minimum(watched)) / 1000
  const goalOf = (what: string, measured: number) => ({
    name: `recorder, ${what}`,
    goal: "≤ 1 µs",
    measured: duration(measured),
    isMet: measured <= 1e3
  })
  return {
    tables: [table],
    goals: [goalOf("the start or end of a call", perEvent), goalOf("a stage of a call", perStage)]
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
