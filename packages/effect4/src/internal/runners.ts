/** Runners and runs in effects of Effect 4. Inside, the types of tools are erased; the runner's own type has them. */
import {
  type Approval as Approval3,
  Effect as Effect3,
  type ToolRunner as ToolRunner3,
  type Toolset as Toolset3
} from "@wield/effect3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Allow } from "../Approval.js"
import type { DynamicTools } from "../Toolset.js"
import type { Deferred, Outcome } from "../Outcome.js"
import type { Response } from "../Response.js"
import type { Run, RunEvent, Runner, RunOptions, Waiting } from "../ToolRunner.js"
import { outcomeFrom3 } from "./outcomes.js"
import { into4, streamInto4 } from "./seam.js"

type Erased<R> = ToolRunner3.Operations<Toolset3.DynamicTools, R, unknown>
type Run3 = ToolRunner3.Run<Toolset3.DynamicTools, never, unknown>

/** Services that lie under those of the caller. */
type Given = Context.Context<never> | undefined

const beneath =
  (given: Given) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    given === undefined
      ? effect
      : Effect.updateContext(effect, (own: Context.Context<never>) => Context.merge(given, own))

const operationsOf = (self: Erased<never>, given: Given) => {
  const within = beneath(given)
  const outcome = <E>(effect: Effect3.Effect<ToolRunner3.OutcomeOf<Toolset3.DynamicTools>, E>) =>
    within(into4(Effect3.map(effect, outcomeFrom3)))
  const all = <E>(effect: Effect3.Effect<ReadonlyArray<ToolRunner3.OutcomeOf<Toolset3.DynamicTools>>, E>) =>
    within(into4(Effect3.map(effect, (outcomes) => outcomes.map(outcomeFrom3))))
  // The names and parameters of the tools were checked by the runner's own type.
  const callErased = self.call as (name: string, parameters: unknown) => Effect3.Effect<unknown, unknown>
  return {
    definitions: within(into4(self.definitions)),
    run: (call: Waiting["call"]) => outcome(self.run(call)),
    runAll: (calls: ReadonlyArray<Waiting["call"]>) => all(self.runAll(calls)),
    settle: (calls: ReadonlyArray<Waiting["call"]>) => all(self.settle(calls)),
    stream: (calls: ReadonlyArray<Waiting["call"]>) => {
      const events = Stream.map(streamInto4(self.stream(calls)), eventFrom3)
      return given === undefined
        ? events
        : Stream.updateContext(events, (own: Context.Context<never>) => Context.merge(given, own))
    },
    call: (name: string, parameters: unknown) => within(into4(callErased(name, parameters)))
  }
}

const eventFrom3 = (event: ToolRunner3.RunEvent): RunEvent<DynamicTools> =>
  // Of tools that only the run time knows, as the outcome is.
  (event._tag === "Finished" ? { ...event, outcome: outcomeFrom3(event.outcome) } : event) as RunEvent<DynamicTools>

const isAllow = (value: Approval3.Allow | object): value is Approval3.Allow => "_tag" in value && value._tag === "Allow"

export const runFrom3 = <Tools, R>(run: Run3, given?: Given): Run<Tools, R> => {
  const within = beneath(given)
  const erased = {
    ...operationsOf(run, given),
    resume: (deferred: Waiting, response: Response) =>
      within(into4(Effect3.map(run.resume(deferred, responseTo3(response)), outcomeFrom3))),
    check: (deferred: Waiting, response: Response) => within(into4(run.check(deferred, responseTo3(response)))),
    resumeAll: <E, R2>(
      outcomes: ReadonlyArray<Outcome>,
      answer: (deferred: Deferred) => Response | Effect.Effect<Response, E, R2>
    ) =>
      Effect.forEach(outcomes, (one) => {
        if (one._tag !== "Deferred") return Effect.succeed(one)
        const given = answer(one)
        return Effect.flatMap(Effect.isEffect(given) ? given : Effect.succeed(given), (response) =>
          erased.resume(one, response)
        )
      }),
    preview: (call: Waiting["call"]) =>
      within(into4(Effect3.map(run.preview(call), (end): Allow | Outcome => (isAllow(end) ? end : outcomeFrom3(end))))),
    lastAsk: (callId: string) => into4(run.lastAsk(callId)),
    forRun: (options: object) => runFrom3(run.forRun(options), given)
  }
  // The types that were erased; they were checked where the runner was made.
  return erased as unknown as Run<Tools, R>
}

/** That it is JSON is looked at by the runner. */
const responseTo3 = (response: Response) => response as Parameters<Run3["resume"]>[1]

export const runnerFrom3 = <Tools, R>(
  runner: ToolRunner3.Runner<Toolset3.DynamicTools, never, unknown>,
  given?: Given
): Runner<Tools, R> => {
  const erased = {
    ...operationsOf(runner, given),
    forRun: (options: RunOptions) => runFrom3(runner.forRun(options), given)
  }
  // As above.
  return erased as unknown as Runner<Tools, R>
}
