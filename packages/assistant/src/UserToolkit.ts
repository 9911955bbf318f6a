/** Tools with which a model learns and keeps what the user is called. */
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { owned, type UserId } from "./Owner.js"
import { adviceField } from "./store/advice.js"
import { nameOf } from "./store/name.js"
import { orDie } from "./store/operation.js"
import { failsWith, ofUser, reads, sets, textOf } from "./tools/facts.js"
import { type NameKind, UserProfile } from "./UserProfile.js"

/**
 * The user has another name already, which was not to be replaced.
 *
 * @category errors
 */
export class NameKept extends Schema.TaggedError<NameKept>("@wield/assistant/NameKept")("NameKept", {
  /** The name that the user has. */
  name: Schema.String,
  advice: adviceField("If it has to be changed, call again with override_existing: true")
}) {
  override get message(): string {
    return `The user's name is ${JSON.stringify(this.name)} already. ${this.advice}`
  }
}

/**
 * A name has to say something.
 *
 * @category errors
 */
export class BlankName extends Schema.TaggedError<BlankName>("@wield/assistant/BlankName")("BlankName", {
  advice: adviceField("Ask the user, and give what they say")
}) {
  override get message(): string {
    return `The name is blank. ${this.advice}`
  }
}

const Found = Schema.Struct({
  /** `null` while it is not known. */
  name: Schema.NullOr(Schema.String)
})

const Changed = Schema.Struct({
  name: Schema.String,
  /** What it was before; `null` where it was not known. */
  previous: Schema.NullOr(Schema.String)
})

const override = (kind: string) =>
  Schema.optional(
    Schema.Boolean.annotations({
      description: `Whether to replace a ${kind} that is known already. Only where it has turned out to be wrong`
    })
  )

/**
 * Tools with which a model learns and keeps what the user is called.
 *
 * @category toolkits
 */
export const toolkit = Toolkit.make(
  Tool.make("get_user_full_name", {
    description: "The user's full name; null while it is not known.",
    parameters: { ...owned },
    success: Found
  }).pipe(ofUser(reads)),
  Tool.make("get_user_preferred_name", {
    description: "What the user wants to be called; null while it is not known.",
    parameters: { ...owned },
    success: Found
  }).pipe(ofUser(reads)),
  Tool.make("set_user_full_name", {
    description:
      "Keeps the user's full name. Use it when the user says it: early on, without asking for it, and seldom later.",
    parameters: {
      ...owned,
      full_name: textOf("The user's full name"),
      override_existing: override("full name")
    },
    success: Changed,
    ...failsWith(NameKept, BlankName)
  }).pipe(ofUser(sets)),
  Tool.make("set_user_preferred_name", {
    description: "Keeps what the user wants to be called. Use it when the user says it: early on, and seldom later.",
    parameters: {
      ...owned,
      preferred_name: textOf("What the user wants to be called"),
      override_existing: override("preferred name")
    },
    success: Changed,
    ...failsWith(NameKept, BlankName)
  }).pipe(ofUser(sets))
)

/**
 * The handlers of the toolkit.
 *
 * @category layers
 */
export const layer = toolkit.toLayer(
  Effect.gen(function* () {
    const profile = yield* UserProfile
    const readName = (user: UserId, kind: NameKind) =>
      orDie(Effect.map(profile.name(user, kind), (name) => ({ name: Option.getOrNull(name) })))
    const set = (user: UserId, kind: NameKind, name: string, isReplacing = false) =>
      Effect.gen(function* () {
        if (nameOf(name) === "") return yield* new BlankName()
        const done = yield* profile.setName(user, kind, nameOf(name), { isReplacing })
        if (done._tag === "Set") return { name: done.name, previous: Option.getOrNull(done.previous) }
        return yield* new NameKept({ name: done.name })
      }).pipe(orDie)
    return {
      get_user_full_name: ({ user_id }) => readName(user_id, "full"),
      get_user_preferred_name: ({ user_id }) => readName(user_id, "preferred"),
      set_user_full_name: ({ full_name, override_existing, user_id }) =>
        set(user_id, "full", full_name, override_existing),
      set_user_preferred_name: ({ override_existing, preferred_name, user_id }) =>
        set(user_id, "preferred", preferred_name, override_existing)
    }
  })
)
