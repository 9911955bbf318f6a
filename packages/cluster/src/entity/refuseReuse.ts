/**
 * The engine takes a message for the one that is stored under its id, whatever the two say: another prompt would be given
 * the run of the first. So a message is compared with one that is stored already. What is new costs no statement.
 */
import { PersistenceError } from "@effect/cluster/ClusterError"
import { MessageStorage } from "@effect/cluster/MessageStorage"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Json from "@wield/core/Json"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { IdReused } from "../Runs.js"
import { Work } from "./rpcs.js"

const body = Schema.Struct({ message: Schema.optional(Schema.Unknown), context: Schema.optional(Schema.Unknown) })

const read = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ version: Schema.Number, body })))

/** What of a message is not as it was. One of another version may say the same in another way. */
const differenceOf = (before: string, now: string): "message" | "context" | undefined =>
  Option.getOrUndefined(
    Option.zipWith(read(before), read(now), (before, now) =>
      before.version !== now.version
        ? undefined
        : (["message", "context"] as const).find(
            (part) => Json.canonical(before.body[part] ?? null) !== Json.canonical(now.body[part] ?? null)
          )
    )
  )

/** Over the storage of messages, which dies of such a message: the engine has no error for it. */
export const refuseReuse: Layer.Layer<MessageStorage, never, MessageStorage | SqlClient> = Layer.effect(
  MessageStorage,
  Effect.gen(function* () {
    const storage = yield* MessageStorage
    const sql = (yield* SqlClient).withoutTransforms()
    return {
      ...storage,
      saveRequest: (message) =>
        Effect.tap(storage.saveRequest(message), (saved) => {
          const { address } = message.envelope
          const payload: unknown = message.envelope.payload
          // Other entities of the program keep their messages in the same tables.
          if (saved._tag === "Success" || !(payload instanceof Work)) return Effect.void
          return sql<{ readonly payload: string }>`SELECT payload FROM cluster_messages
            WHERE id = ${sql.literal(String(saved.originalId))}`.pipe(
            PersistenceError.refail,
            Effect.flatMap(([row]) => {
              const differs = row && differenceOf(row.payload, JSON.stringify(payload))
              const { entityId: conversation, entityType: entity } = address
              return differs === undefined
                ? Effect.void
                : Effect.die(new IdReused({ entity, conversation, id: payload.id, differs }))
            })
          )
        })
    }
  })
)
