/** Wield's runner under three policies, started in the ways that a program starts an effect. */
import * as Toolkit from "@effect/ai/Toolkit"
import * as Tool from "@effect/ai/Tool"
import { Approval, Hidden, Journal, type Policy, ToolCall, ToolRunner, Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { batched, type Contender, keep } from "../harness/measure.js"
import { FindOrders, fields, handlersOf, kitOf, result } from "../task/effectSchema.js"
import { description, type Parameters, type Result, type Task, toolName } from "../task/orders.js"
import { RecordingTracer } from "./recordingTracer.js"
import type { Call } from "./peer.js"

export type Handle = (parameters: Parameters) => Effect.Effect<Result>

const kit = Toolkit.make(FindOrders)

export const makeRunner = (handle: Handle, policy: Policy.Policy<typeof kit.tools> = {}) =>
  Effect.runSync(
    Effect.scoped(
      Effect.flatMap(Toolset.fromLayer(kit, kit.toLayer({ [toolName]: handle })), (toolset) =>
        ToolRunner.make(toolset, policy)
      )
    )
  )

export type Runner = ReturnType<typeof makeRunner>

/** A runner of so many tools, each under a name of its own. */
export const makeRunnerOf = (count: number) => {
  const many = kitOf(count)
  return Effect.runSync(
    Effect.scoped(
      Effect.flatMap(Toolset.fromLayer(many, many.toLayer(handlersOf(count))), (toolset) => ToolRunner.make(toolset))
    )
  )
}

/** The result's JSON text as the pipeline made it. */
export const textOf = (outcome: Effect.Effect.Success<ReturnType<Runner["run"]>>): string => {
  if (outcome._tag !== "Success") throw new Error(`the call ended as ${outcome._tag}`)
  return outcome.text
}

export const off = { repeatGuard: false } as const

export const wieldCalls = (label: string, runner: Runner, argumentText: string): ReadonlyArray<Call> => {
  const call = ToolCall.make("call_1", toolName, argumentText)
  return [
    {
      name: `Wield, ${label}: runSync each`,
      isSynchronous: true,
      call: () => textOf(Effect.runSync(runner.run(call)))
    },
    {
      name: `Wield, ${label}: runPromise each`,
      isSynchronous: false,
      call: async () => textOf(await Effect.runPromise(runner.run(call)))
    }
  ]
}

/** Many calls, one after the other, in one fiber. */
export const inOneFiber = (label: string, runner: Runner, argumentText: string): Contender => {
  const call = ToolCall.make("call_1", toolName, argumentText)
  return batched(
    `Wield, ${label}: in one fiber`,
    async () => textOf(await Effect.runPromise(runner.run(call))),
    (times) => Effect.runPromise(repeated(times, () => runner.run(call)))
  )
}

const repeated = (times: number, run: () => ReturnType<Runner["run"]>): Effect.Effect<void> => {
  let time = 0
  return Effect.whileLoop({
    while: () => time++ < times,
    body: run,
    step: (outcome) => keep(textOf(outcome))
  })
}

/** So many calls in one batch. */
export const batchOf = (
  label: string,
  runner: Runner,
  argumentText: string,
  count: number
): ReadonlyArray<Contender> => {
  const calls = Array.from({ length: count }, (_, index) => ToolCall.make(`call_${index}`, toolName, argumentText))
  const texts = (outcomes: ReadonlyArray<Effect.Effect.Success<ReturnType<Runner["run"]>>>): string => {
    let last = ""
    for (const outcome of outcomes) last = textOf(outcome)
    return last
  }
  return [
    batched(
      `Wield, ${label}: runAll, runSync`,
      async () => texts(Effect.runSync(runner.runAll(calls))),
      (times) => {
        for (let time = 0; time < times; time++) keep(texts(Effect.runSync(runner.runAll(calls))))
      },
      count
    ),
    batched(
      `Wield, ${label}: runAll, runPromise`,
      async () => texts(await Effect.runPromise(runner.runAll(calls))),
      async (times) => {
        for (let time = 0; time < times; time++) keep(texts(await Effect.runPromise(runner.runAll(calls))))
      },
      count
    )
  ]
}

const Hiding = Tool.make(toolName, {
  description,
  parameters: { ...fields, tenant: Schema.String },
  success: result
}).pipe(Hidden.fields("tenant"))

const hidingKit = Toolkit.make(Hiding)

/** How many calls one run makes; then comes the next run, with its own id, context and journal entries. */
export const callsPerRun = 20

/**
 * Everything at once: a hidden field from the call context, an approval rule
 * that reads the arguments, a timeout, retries, a journal in memory, the repeat
 * guard, a bound of results, and a tracer that records every span.
 */
export const everythingOn = (task: Task): { readonly each: Contender; readonly fiber: Contender } => {
  const journal = Journal.unsafeMemory()
  const runtime = ManagedRuntime.make(Layer.setTracer(new RecordingTracer()))
  const runner = Effect.runSync(
    Effect.scoped(
      Effect.flatMap(
        Toolset.fromLayer(
          hidingKit,
          hidingKit.toLayer({ [toolName]: (parameters) => Effect.succeed(task.handle(parameters)) })
        ),
        (toolset) =>
          ToolRunner.make(toolset, {
            approval: {
              [toolName]: ({ parameters }) =>
                parameters.minimum < 1_000 ? Approval.allow : Approval.ask("a large sum")
            },
            limits: { default: { timeout: "10 seconds" }, tools: { [toolName]: { retry: Schedule.recurs(2) } } },
            journal,
            resultBound: { maxBytes: 1_000_000 }
          })
      )
    )
  )
  let number = 0
  const nextRun = () => {
    const id = `run_${number++}`
    return { id, runner: runner.forRun({ id, context: { tenant: "acme" } }) }
  }
  let current = nextRun()
  const next = (): ReturnType<typeof current.runner.run> => {
    const index = number++
    if (index % callsPerRun === 0) {
      Effect.runSync(journal.forget(current.id))
      current = nextRun()
    }
    return current.runner.run(ToolCall.make(`call_${index}`, toolName, task.arguments))
  }
  const text = (outcome: Effect.Effect.Success<ReturnType<typeof next>>): string => {
    if (outcome._tag !== "Success") throw new Error(`the call ended as ${outcome._tag}`)
    return outcome.text
  }
  const once = async () => text(await runtime.runPromise(next()))
  return {
    each: batched("Wield, everything on: runSync each", once, (times) => {
      for (let time = 0; time < times; time++) keep(text(runtime.runSync(next())))
    }),
    fiber: batched("Wield, everything on: in one fiber", once, (times) => {
      let time = 0
      return runtime.runPromise(
        Effect.whileLoop({
          while: () => time++ < times,
          body: () => next(),
          step: (outcome) => keep(text(outcome))
        })
      )
    })
  }
}
