/**
 * Prompts at a time, or by cron. Each is sent once for its name and instant,
 * whatever runners die.
 */
import * as ClusterCron from "@effect/cluster/ClusterCron"
import * as Entity from "@effect/cluster/Entity"
import type { Sharding } from "@effect/cluster/Sharding"
import type { Content } from "@wield/core"
import { aDuration, aFunction, aName, anything, fields, holds, orThrow } from "@wield/core/Options"
import * as Cron from "effect/Cron"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { AgentClient, Prompt, Run, WithContext } from "./AgentClient.js"
import type { AgentEntity } from "./AgentEntity.js"
import type { ClusterError, IdReused, Runs } from "./Runs.js"

/** The id of a prompt by its name and instant: who sends it twice sends it once. */
const promptIdOf = (name: string, at: DateTime.DateTime): string => `${name} ${DateTime.formatIso(at)}`

/**
 * Sends a prompt now that is due at a time. It is kept by the cluster: nothing
 * waits for it in this process. It comes up to one poll later, which is a third
 * of the runners' `takeover`.
 *
 * Sent again under the same name for the same time, it is the same run.
 *
 * @category scheduling
 */
export const at = <Context, Output>(
  client: AgentClient<Context, Output>,
  conversation: string,
  options: Omit<Prompt<Context>, "promptId" | "at"> & {
    readonly name: string
    readonly at: DateTime.DateTime.Input
  }
): Effect.Effect<Run<Output>, ClusterError | IdReused> => {
  orThrow(checkAt(options), "What `Schedule.at` takes")
  const { name, ...prompt } = options
  // `prompt` refuses another value than a time.
  const promptId = Option.match(DateTime.make(prompt.at), { onNone: () => name, onSome: (at) => promptIdOf(name, at) })
  // `Omit` forgets that the context goes with its type.
  return client.prompt(conversation, { ...prompt, promptId } as unknown as Prompt<Context>)
}

// Without a time, it would be sent at once.
const aTime = holds("a time, such as a Date", (value) => value !== undefined)

const checkAt = fields({ name: aName, at: aTime, prompt: anything, context: anything }, ["name", "at", "prompt"])

const checkCron = fields(
  {
    name: aName,
    cron: holds("a Cron, such as Cron.unsafeParse(…)", Cron.isCron),
    conversation: aFunction,
    prompt: anything,
    skipIfOlderThan: aDuration,
    context: anything
  },
  ["name", "cron", "conversation", "prompt"]
)

/**
 * A prompt at each time of a cron expression. Give the layer to all runners: a
 * time that falls to one without it is lost, with those after it. A time that all
 * missed is made up for once they are back, if not older than `skipIfOlderThan`.
 *
 * @category scheduling
 */
export const cron = <Context, Output>(
  entity: AgentEntity<Context, Output>,
  options: {
    /** Names the schedule in the cluster. */
    readonly name: string
    readonly cron: Cron.Cron
    /** The conversation of each time: one for all of them, or one each. */
    readonly conversation: (at: DateTime.Utc) => string
    readonly prompt: string | ReadonlyArray<Content.Part>
    /** 1 day unless given. */
    readonly skipIfOlderThan?: Duration.DurationInput | undefined
  } & WithContext<Context>
): Layer.Layer<never, never, Sharding | Runs> => {
  orThrow(checkCron(options), "What `Schedule.cron` takes")
  const { context, conversation, cron, name, prompt, skipIfOlderThan } = options
  return ClusterCron.make({
    name,
    cron,
    skipIfOlderThan,
    execute: Effect.gen(function* () {
      // The id of the cron's own entity is the time that it stands for.
      const address = yield* Effect.serviceOption(Entity.CurrentAddress)
      const time = Option.flatMap(address, ({ entityId }) => DateTime.make(entityId))
      const at = DateTime.toUtc(Option.isSome(time) ? time.value : yield* DateTime.now)
      const client = yield* entity.client
      // The context is required where the type of the schedule says so.
      const given = { prompt, context, promptId: promptIdOf(name, at) } as unknown as Prompt<Context>
      // A runner with the prompt as it was before a deploy may have sent that of this time.
      yield* Effect.catchTag(client.prompt(conversation(at), given), "IdReused", () => Effect.void)
    })
  })
}
