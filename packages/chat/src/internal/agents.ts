/** Conversations that an agent of this process runs. */
import * as Agent from "@wield/agent/Agent"
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as Digest from "@wield/core/Digest"
import * as Quota from "@wield/core/Quota"
import * as Toolset from "@wield/core/Toolset"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Options, PageTool } from "../Chat.js"
import { Refused } from "../ChatError.js"
import { internal, isStale, refuse } from "./refuse.js"
import type { Given, Runner } from "./runner.js"

/** Inside, types are erased: what an agent requires stands in the type of `make`, which has it. */
type AnyAgent = Agent.Agent<Toolset.DynamicTools, unknown, never, unknown>

/** In this process. */
export const agentRunner = (agent: AnyAgent, services: Context.Context<never>): Runner => ({
  isRunElsewhere: (conversation) => Agent.isRunElsewhere(agent, conversation),
  run: ({ answers, keep, tell, ...input }) => {
    const ask = (given: Pick<Given, "answers"> & Partial<Given>) =>
      Agent.run(
        agent,
        // The caller has what the tools need; `Caller` says so.
        given as Agent.Input<{}, unknown>,
        {
          onEvent: (event) =>
            event._tag === "Done"
              ? // What waits is known before the page can answer it.
                Effect.zipRight(
                  Effect.orDie(keep(event.result._tag === "Paused" ? event.result.requests : [])),
                  tell(AgentEvent.toJson(event))
                )
              : Effect.asVoid(tell(AgentEvent.toJson(event)))
        }
      )
    return ask({ ...input, answers }).pipe(
      // What was altered or has expired meanwhile is asked about again, and nothing runs.
      Effect.catchIf(
        (error) => answers !== undefined && isStale(error),
        () => ask({ conversation: input.conversation, context: input.context, answers: undefined })
      ),
      Effect.provide(services)
    )
  }
})

/** Makes agents for pages with tools of their own; the last ones are kept. */
export const makeAgents = <Tools, Output, R, E, MakeE, MakeR>(
  agent: Options<Tools, Output, R, E, MakeE, MakeR, unknown, unknown>["agent"],
  context: Context.Context<MakeR>
): Effect.Effect<(tools: ReadonlyArray<PageTool>) => Effect.Effect<AnyAgent, Refused>> =>
  Effect.sync(() => {
    // As `AnyAgent` says.
    if (typeof agent !== "function") return () => Effect.succeed(agent as unknown as AnyAgent)
    const made = new Map<string, AnyAgent>()
    // A page that names its tools otherwise is held to the limits that it was held to before.
    const limited = Quota.shareLimits()
    return (tools: ReadonlyArray<PageTool>) =>
      Effect.gen(function* () {
        const key = Digest.ofValues(tools)
        const known = made.get(key)
        if (known !== undefined) return known
        const ofPage = yield* Toolset.dynamic(
          tools.map(({ description, name, parameters }) => ({
            name,
            description,
            inputSchema: parameters,
            facts: { kind: "client" as const },
            // It runs in the page.
            execute: () => Effect.void
          }))
        ).pipe(Effect.mapError((error) => new Refused({ code: "InvalidRequest", detail: error.message })))
        const fresh = yield* limited(agent({ tools: ofPage })).pipe(
          Effect.provide(context),
          Effect.catchAll((error) =>
            // What is wrong with the tools of a page is for the page to mend.
            Predicate.hasProperty(error, "_tag") && error._tag === "ToolNameCollision" && tools.length > 0
              ? refuse("InvalidRequest", "A tool of the page has the name of another tool")
              : internal("the agent could not be made", Cause.fail(error))
          )
        )
        // As above.
        const erased = fresh as unknown as AnyAgent
        made.set(key, erased)
        for (const oldest of made.keys()) if (made.size > 20) made.delete(oldest)
        return erased
      })
  })
