/**
 * One span per call, by the GenAI conventions of OpenTelemetry
 * (`execute_tool`), made only when there is a tracer. Arguments and results
 * enter it only when asked for.
 */
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"
import { jsonText } from "../internal/jsonText.js"
import { isError, type Outcome } from "../Outcome.js"
import type { Execution } from "./execution.js"

/** Effect always has a tracer; the one it starts with records nothing. */
const silent = Context.get(DefaultServices.liveServices, Tracer.Tracer)

export const isTraced = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  Context.get(fiber.getFiberRef(DefaultServices.currentServices), Tracer.Tracer) !== silent

export const traced = (execution: Execution, pipeline: Effect.Effect<Outcome>): Effect.Effect<Outcome> => {
  const { call, machine, offer } = execution
  const definition = offer.entries.get(call.name)?.definition
  // The name of an unknown tool is the model's own text; it may be anything.
  const name = definition === undefined ? "execute_tool" : `execute_tool ${definition.name}`
  const observe = machine.policy.observe
  let outcome: Outcome | undefined
  const failing = Effect.flatMap(pipeline, (ended) => {
    outcome = ended
    return Effect.zipRight(
      Effect.annotateCurrentSpan({
        "wield.outcome": ended._tag,
        ...(isError(ended) ? { "error.type": ended._tag } : {}),
        ...(observe?.results === true && ended._tag === "Success" ? { "gen_ai.tool.call.result": ended.text } : {})
      }),
      // A span takes its status from the effect it is around; the message names the outcome only.
      isError(ended) ? Effect.fail(new Error(`The call ended as ${ended._tag}`)) : Effect.succeed(ended)
    )
  })
  return failing.pipe(
    Effect.withSpan(name, {
      captureStackTrace: false,
      kind: "internal",
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.call.id": call.id,
        ...(definition === undefined
          ? {}
          : {
              "gen_ai.tool.name": definition.name,
              "gen_ai.tool.type": definition.facts.kind === "provider" ? "extension" : "function",
              ...(definition.description === undefined ? {} : { "gen_ai.tool.description": definition.description })
            }),
        ...(observe?.arguments === true ? { "gen_ai.tool.call.arguments": argumentText(call.arguments) } : {})
      }
    }),
    Effect.catchAll((error) => (outcome === undefined ? Effect.die(error) : Effect.succeed(outcome)))
  )
}

const argumentText = (sent: unknown): string =>
  typeof sent === "string" ? sent : Either.getOrElse(jsonText(sent), (reason) => `[not JSON: ${reason}]`)
