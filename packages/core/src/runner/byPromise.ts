/** The calls of a run for a program that knows promises: without a fiber, where nothing takes one. */
import * as Effect from "effect/Effect"
import { unheard } from "../CurrentCall.js"
import type { Outcome } from "../Outcome.js"
import type { ToolCall } from "../ToolCall.js"
import type * as ToolRunner from "../ToolRunner.js"
import { isTraced } from "../Traces.js"
import { batch, checkCalls, mostInTurn } from "./batch.js"
import { Execution } from "./execution.js"
import { finish } from "./finish.js"
import type { Machine } from "./machine.js"
import { type Host, walk } from "./pipeline.js"
import type { Run } from "./run.js"
import { outcomeOfStop } from "./uncertain.js"

/** Of a run: what its calls share. */
export interface Parts {
  readonly machine: Machine
  readonly current: () => Run
}

/** Of a program's own calls. */
export const ofProgram = ({ current, machine }: Parts): Parts => ({ machine, current: () => current().ofProgram })

export const settleByPromise = async (
  { current, machine }: Parts,
  host: ToolRunner.PromiseHost,
  calls: ReadonlyArray<ToolCall>,
  watcher: ToolRunner.Watcher | undefined
): Promise<ReadonlyArray<Outcome>> => {
  checkCalls(calls)
  const { known, policy } = machine
  const run = current()
  const isPlain =
    known !== undefined &&
    watcher === undefined &&
    policy.concurrency === undefined &&
    run.ledger?.isInMemory !== false &&
    calls.length <= mostInTurn &&
    !isTraced(host.fiber) &&
    (calls.length === 1 || !calls.some(({ name }) => known.entries.get(name)?.definition.facts.isSequential === true))
  if (!isPlain) {
    // What is over already does not begin.
    const reasons: Array<unknown> = []
    host.onInterrupt((reason) => void reasons.push(reason))()
    if (reasons.length > 0) throw reasons[0]
    return host.run(batch(machine, current, calls, watcher))
  }
  const hosting = hostingBy(host)
  const ended = calls.map((call) => {
    const execution = new Execution(machine, run, known, call, unheard, undefined, host.fiber)
    run.begin()
    return walk(execution, hosting)
  })
  try {
    // Most turns have one call.
    return ended.length === 1 && ended[0] !== undefined ? [await ended[0]] : await Promise.all(ended)
  } catch (error) {
    // What was interrupted comes to its end first.
    await Promise.allSettled(ended)
    throw error
  }
}

const hostingBy = ({ onInterrupt, run }: ToolRunner.PromiseHost): Host => ({
  run,
  wait: (execution, start) => {
    let isOver = false
    let cancel = () => {}
    let resolve: () => void = () => {}
    let reject: (reason: unknown) => void = () => {}
    const reasons: Array<unknown> = []
    const forget = onInterrupt((reason) => {
      reasons.push(reason)
      cancel()
      const finished = finish(execution, outcomeOfStop(execution))
      if (Effect.isEffect(finished)) Effect.runFork(finished)
      reject(reason)
    })
    // What is over already does not begin.
    if (reasons.length > 0) return Promise.reject(reasons[0])
    cancel = start(() => {
      isOver = true
      forget()
      resolve()
    })
    // A function that gives no promise has ended by now.
    if (isOver) return undefined
    return new Promise((done, failed) => {
      resolve = done
      reject = failed
      // It has interrupted itself.
      if (reasons.length > 0) {
        cancel()
        failed(reasons[0])
      }
    })
  }
})
