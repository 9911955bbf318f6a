/** How messages come to a conversation: sent again where one may not have come, and given up where no runner is. */
import { PersistenceError } from "@effect/cluster/ClusterError"
import type { Sharding } from "@effect/cluster/Sharding"
import * as Socket from "@effect/platform/Socket"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Key, Progress } from "../runs/model.js"
import { checkName, entityOf, isUnserved, refuse, noRunnerServes, type Work } from "./rpcs.js"

type FindProgress = (message: Key, tag: "prompt" | "answer" | "steer" | "cancel") => Effect.Effect<Progress, unknown>

export const makeSender = (entity: string, sharding: Context.Tag.Service<typeof Sharding>, progress: FindProgress) =>
  Effect.map(sharding.makeClient(entityOf(entity)), (client) => {
    const errorOf = (defect: unknown): Option.Option<Socket.SocketError | ReturnType<typeof refuse>> => {
      if (Socket.isSocketError(defect)) return Option.some(defect)
      return isUnserved(entity, defect) ? Option.some(refuse(noRunnerServes(entity))) : Option.none()
    }

    /**
     * Tried for five seconds where the database or the runner of the conversation has just gone: a message is taken once
     * by its id. The engine dies of a socket that breaks while it tells the runner, and answers by a defect itself.
     */
    const send = <A, E>(conversation: string, message: (to: ReturnType<typeof client>) => Effect.Effect<A, E>) =>
      Effect.flatMap(checkName("the conversation", conversation), () => message(client(conversation))).pipe(
        Effect.catchSomeDefect((defect) => Option.map(errorOf(defect), Effect.fail)),
        Effect.retry({
          while: (error) => Socket.isSocketError(error) || error instanceof PersistenceError,
          schedule: Schedule.spaced("200 millis"),
          times: 25
        })
      )

    /** Looks for a minute whether a message has come that far. */
    const reach = (isFar: (progress: Progress) => boolean, ...message: Parameters<FindProgress>) =>
      Effect.suspend(() => progress(...message)).pipe(
        // The database may be back at the next look.
        Effect.catchAllCause(() => Effect.succeed("Missing" as const)),
        Effect.delay("2 seconds"),
        Effect.repeat({ until: isFar, times: 29 }),
        Effect.filterOrFail(isFar, (progress) => {
          const later = progress === "Stored" ? ". It is stored, and the first that comes takes it" : ""
          return refuse(`no runner took it in a minute: give the layer of ${entity} to each${later}`)
        })
      )

    return {
      /** Until it is stored. The engine waits for a runner that stands still, or does not serve the entity. */
      deliver: (conversation: string, tag: "prompt" | "answer", work: Work) =>
        Effect.raceFirst(
          send(conversation, (to) => to[tag](work, { discard: true })),
          reach((progress) => progress !== "Missing", { entity, conversation, id: work.id }, tag)
        ),
      /** Until it is answered, however long that takes a runner that has taken it. */
      ask: (conversation: string, tag: "steer" | "cancel", work: Work) =>
        Effect.raceFirst(
          send(conversation, (to) => to[tag](work)),
          Effect.zipRight(
            reach((progress) => progress === "Taken", { entity, conversation, id: work.id }, tag),
            Effect.never
          )
        )
    }
  })
