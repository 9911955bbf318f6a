/**
 * A toolset as @effect/ai takes tools: what `LanguageModel` is given as its
 * toolkit, whose calls run through the runner's pipeline.
 */
import type { Tool, Toolkit } from "@effect/ai"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { shadowTool } from "../internal/effectAi.js"
import { Defect, type Deferred, type Outcome, type Unhandled } from "../Outcome.js"
import type { Policy } from "../Policy.js"
import { makeRunner } from "../runner/makeRunner.js"
import { reference } from "../runner/reference.js"
import { render } from "../runner/render.js"
import type { Parameters, ShadowTool } from "../ShadowTool.js"
import type { ToolCall } from "../ToolCall.js"
import { toValue } from "../ToolResult.js"
import type { Operations } from "../ToolRunner.js"
import type { ToolsetError } from "../ToolsetError.js"
import type { DynamicTools, NeededContext, Toolset } from "./model.js"

/** What a call comes to that the tool itself did not end: the program gets the outcome, the model its text. */
export type NotRun = Deferred | Unhandled

/** The tools as @effect/ai knows them: their names and results; arguments are taken as they come. */
export type ToolkitTools<Tools, R = never, Raises extends boolean = false> = {
  readonly [Name in keyof Tools & string]: [Raises, FailureModeOf<Tools[Name]>] extends [true, "error"]
    ? RaisingTool<Name, Tool.Success<Tools[Name]> | NotRun, Tool.Failure<Tools[Name]>, R>
    : ShadowTool<Name, Tool.Success<Tools[Name]>, Tool.Failure<Tools[Name]> | NotRun, R>
} & (Tools extends DynamicTools ? { readonly [name: string]: ShadowTool<string, unknown, unknown, R> } : unknown)

type FailureModeOf<T> = T extends Tool.Tool<infer _Name, infer Config, infer _R> ? Config["failureMode"] : never

interface RaisingTool<Name extends string, A, E, R> extends Tool.Tool<
  Name,
  {
    readonly parameters: Parameters
    readonly success: Schema.Schema<A, unknown>
    readonly failure: Schema.Schema<E, unknown>
    readonly failureMode: "error"
  },
  R
> {}

export const toToolkit = <Tools, R = never, E = never, Raises extends boolean = false>(
  toolset: Toolset<Tools, R, E>,
  policy: Policy<NoInfer<Tools>> = {},
  options: { readonly raisesFailures?: Raises } = {}
): Effect.Effect<Toolkit.WithHandler<ToolkitTools<Tools, R | NeededContext<Tools>, Raises>>, E | ToolsetError> =>
  Effect.gen(function* () {
    const runner = yield* makeRunner(toolset, policy)
    const definitions = yield* runner.definitions
    const toolkit = {
      tools: Object.fromEntries(definitions.map((definition) => [definition.name, shadowTool(definition)])),
      handle: (name: string, args: unknown) =>
        // @effect/ai does not hand over the call's id; the journal and the log need one.
        Effect.flatMap(settled(runner, { id: crypto.randomUUID(), name, arguments: args }), (outcome) =>
          options.raisesFailures === true && outcome._tag === "Failure" && outcome.isRaised
            ? Effect.fail(outcome.failure)
            : Effect.succeed(handlerResult(outcome))
        )
    }
    // The names and results are those that the toolset's type tells.
    return toolkit as unknown as Toolkit.WithHandler<ToolkitTools<Tools, R | NeededContext<Tools>, Raises>>
  })

/** A toolset whose tools have come to collide since has nothing to run: the response is not to be lost by it. */
const settled = <Tools, R, E>(runner: Operations<Tools, R, E>, call: ToolCall): Effect.Effect<Outcome, never, R> =>
  Effect.catchAll(
    // One call, one outcome.
    Effect.map(runner.settle([call]), ([outcome]) => outcome as Outcome),
    (error) => failedInternally(call, Cause.fail(error))
  )

const failedInternally = (call: ToolCall, cause: Cause.Cause<unknown>): Effect.Effect<Outcome> => {
  const outcome = new Defect({ call, reference: reference(), cause })
  return Effect.as(
    Effect.logError(`The toolset failed before a call was run (reference ${outcome.reference})`, cause),
    outcome
  )
}

interface HandlerResult {
  readonly isFailure: boolean
  readonly result: unknown
  readonly encodedResult: unknown
}

const handlerResult = (outcome: Outcome): HandlerResult => {
  const rendered = render(outcome)
  // Only a deferred call has nothing to read.
  if (rendered === undefined) return { isFailure: true, result: outcome, encodedResult: waiting(outcome as Deferred) }
  return {
    isFailure: rendered.isError,
    result: valueOf(outcome),
    encodedResult: toValue(rendered)
  }
}

const valueOf = (outcome: Outcome): unknown => {
  switch (outcome._tag) {
    case "Success":
      return outcome.result
    case "Failure":
      return outcome.failure
    default:
      return outcome
  }
}

/** @effect/ai has no word for a call that waits, and the model must be answered. */
const waiting = ({ name, waitsFor }: Deferred): string => {
  switch (waitsFor) {
    case "approval":
      return `The call of ${name} needs a person's approval, which cannot be asked for here. It was not run.`
    case "client":
      return `The tool ${name} is run by the client, which cannot be reached here. It was not run.`
    case "input":
      return `The tool ${name} asks for input, which cannot be given here. It was not run to its end.`
  }
}
