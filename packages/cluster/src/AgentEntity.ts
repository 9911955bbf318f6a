/**
 * An agent whose conversations live in a cluster: each has one process at a
 * time, and goes on in another one when that dies.
 */
import { Sharding } from "@effect/cluster/Sharding"
import type { Agent, ConversationStore } from "@wield/agent"
import type { Toolset } from "@wield/core"
import { aDurationOrZero, fields, holds, orThrow } from "@wield/core/Options"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as AgentClient from "./AgentClient.js"
import { makeWatch } from "./entity/handOver.js"
import { makeHandlers } from "./entity/handlers.js"
import type { Served } from "./entity/home.js"
import { checkName, entityOf } from "./entity/rpcs.js"
import { Runs } from "./Runs.js"

/**
 * The conversations of an agent, by name: what a runner serves and a client
 * calls. `Context` is the call context of a run, `Output` what the agent answers
 * with.
 *
 * @category models
 */
export interface AgentEntity<Context = undefined, Output = string> {
  readonly name: string
  /** The client, in any process of the cluster. */
  readonly client: Effect.Effect<AgentClient.AgentClient<Context, Output>, never, Sharding | Runs>
  /**
   * Serves the conversations with an agent. Give the agent's policy the journal
   * of the cluster (`yield* Journal.Journal`), or a call that was begun before a
   * crash could run twice.
   */
  readonly toLayer: <Tools, R, E, E2, R2>(
    agent: Effect.Effect<Agent.Agent<Tools, Output, R, E>, E2, R2> & FitsContext<Context, Tools>,
    options?: {
      /** How long a run is tried again whose model cannot be reached; 1 hour unless given. */
      readonly retryFor?: Duration.DurationInput | undefined
    }
  ) => Layer.Layer<never, E2, R | Exclude<R2, Scope.Scope> | Sharding | Runs | ConversationStore.ConversationStore>
}

/** The context has what the hidden fields of the tools need. */
type FitsContext<Context, Tools> = [keyof Toolset.ContextOf<Tools>] extends [never]
  ? unknown
  : [Context] extends [Toolset.ContextOf<Tools>]
    ? unknown
    : { readonly "the entity's context lacks hidden fields of the agent's tools": Toolset.ContextOf<Tools> }

/**
 * Names the conversations of an agent. Runners and clients make it alike, in a
 * module that they share.
 *
 * The name stands in every row: change it, and what waits under the old one is
 * lost. A conversation belongs to one entity.
 *
 * @category constructors
 */
export const make = <ContextA = undefined, ContextI = undefined, Output = string, OutputI = Output>(
  name: string,
  options: {
    /**
     * The call context of a run, which hidden fields are filled from. It is kept as JSON with the message: keep ids
     * in it, and look secrets up in the runner.
     */
    readonly context?: Schema.Schema<ContextA, ContextI> | undefined
    /** What the agent answers with, where it is not text. */
    readonly output?: Schema.Schema<Output, OutputI> | undefined
  } = {}
): AgentEntity<ContextA, Output> => {
  Either.getOrThrowWith(checkName("an entity", name), ({ message }) => new TypeError(message))
  orThrow(checkOptions(options), "What else `AgentEntity.make` takes")
  // What a schema makes of JSON is known at run time only.
  const context = options.context as Schema.Schema<ContextA, unknown> | undefined
  // Without a schema the output is text.
  const output = (options.output ?? Schema.String) as Schema.Schema<Output, unknown>
  return {
    name,
    client: Effect.flatMap(Effect.all([Sharding, Runs]), ([sharding, runs]) =>
      AgentClient.make({ name, context, output }, sharding, runs)
    ),
    toLayer: (agent, given = {}) => {
      orThrow(anAgent(agent), "What an entity is served with")
      orThrow(checkServed(given), "How an entity is served")
      const { retryFor = "1 hour" } = given
      return Layer.unwrapScoped(
        Effect.gen(function* () {
          // What the agent and its schemas require is given where the layer is provided.
          const served = {
            name,
            agent: yield* agent,
            fork: Runtime.runFork(yield* Effect.runtime<never>()),
            context: context ?? Schema.Unknown,
            output,
            retryFor
          } as unknown as Served
          const handlers = makeHandlers(served, yield* makeWatch)
          // The handlers are those of the entity, by name.
          return entityOf(name).toLayer(handlers as never, { concurrency: "unbounded" }) as Layer.Layer<never>
        })
      ) as never
    }
  }
}

const aSchema = holds("a schema, such as Schema.Struct(…)", Schema.isSchema)

// Of a context that is misspelt, nothing would be kept.
const checkOptions = fields({ context: aSchema, output: aSchema })

const anAgent = holds("an effect that gives an agent, such as Agent.make(…)", Effect.isEffect)

const checkServed = fields({ retryFor: aDurationOrZero })
