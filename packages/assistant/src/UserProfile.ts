/** What the user is called. */
import { SqlClient } from "@effect/sql/SqlClient"
import { aFlag, fields, orThrow } from "@wield/core/Options"
import { fromStored, toStored } from "@wield/agent/SqlOperation"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { UserId } from "./Owner.js"
import { migrate } from "./store/migrations.js"
import { runOperation } from "./store/operation.js"
import type { StoreError } from "./StoreError.js"

/**
 * Which name of the user.
 *
 * @category models
 */
export type NameKind = "full" | "preferred"

/**
 * What setting a name came to: it replaced `previous`, or another one was kept.
 *
 * @category models
 */
export type NameSet =
  | { readonly _tag: "Set"; readonly name: string; readonly previous: Option.Option<string> }
  | { readonly _tag: "Kept"; readonly name: string }

/**
 * The names of users.
 *
 * @category services
 */
export interface Service {
  readonly name: (user: UserId, kind: NameKind) => Effect.Effect<Option.Option<string>, StoreError>
  /** Keeps another name that is there already, unless it is to be replaced. */
  readonly setName: (
    user: UserId,
    kind: NameKind,
    name: string,
    options?: { readonly isReplacing?: boolean | undefined }
  ) => Effect.Effect<NameSet, StoreError>
}

/**
 * The names of users.
 *
 * @category services
 */
export class UserProfile extends Context.Tag("@wield/assistant/UserProfile")<UserProfile, Service>() {}

/**
 * The names of users in the client's database; makes what tables are missing.
 *
 * @category layers
 */
export const layer: Layer.Layer<UserProfile, StoreError, SqlClient> = Layer.effect(
  UserProfile,
  Effect.map(Effect.zipRight(migrate, SqlClient), (sql) => {
    const column = (kind: NameKind) => sql.literal(kind === "full" ? "full_name" : "preferred_name")
    const readName = (user: UserId, kind: NameKind) =>
      Effect.map(
        sql<{ readonly name: string | null }>`SELECT ${column(kind)} AS name FROM wield_assistant_profiles
          WHERE user_id = ${toStored(user)}`,
        ([row]) => Option.map(Option.fromNullable(row?.name), fromStored)
      )
    return {
      name: (user, kind) => runOperation("read a name")(readName(user, kind)),
      setName: (user, kind, name, options = {}) =>
        Effect.gen(function* () {
          orThrow(fields({ isReplacing: aFlag })(options), "How a name is set")
          const changed = yield* Clock.currentTimeMillis
          // Written to first, so that another change of the name waits.
          yield* sql`INSERT INTO wield_assistant_profiles ${sql.insert({ user_id: toStored(user), changed })}
            ON CONFLICT (user_id) DO UPDATE SET changed = excluded.changed`
          const previous = yield* readName(user, kind)
          if (Option.isSome(previous) && previous.value !== name && options.isReplacing !== true) {
            return { _tag: "Kept", name: previous.value } as const
          }
          yield* sql`UPDATE wield_assistant_profiles SET ${column(kind)} = ${toStored(name)}
            WHERE user_id = ${toStored(user)}`
          return { _tag: "Set", name, previous } as const
        }).pipe(sql.withTransaction, runOperation("set a name"))
    }
  })
)
