import { describe, expect, layer } from "@effect/vitest"
import { UserProfile, UserToolkit } from "@wield/assistant"
import { ToolRunner, Toolset } from "@wield/core"
import { Effect, Layer } from "effect"
import { databases } from "../databases/databases.js"
import { causeOf, untyped } from "../../../../test/untyped.js"
import { newUser } from "../users/newUser.js"

const user = Effect.gen(function* () {
  return newUser(yield* ToolRunner.make(yield* Toolset.fromToolkit(UserToolkit.toolkit)))
})

const kinds = [
  { get: "get_user_full_name", set: "set_user_full_name", field: "full_name" },
  { get: "get_user_preferred_name", set: "set_user_preferred_name", field: "preferred_name" }
] as const

for (const { client, name } of databases) {
  describe(`the tools for the user's names over ${name}`, () => {
    layer(UserToolkit.layer.pipe(Layer.provideMerge(UserProfile.layer), Layer.provideMerge(client)))((it) => {
      for (const { field, get, set } of kinds) {
        it.effect(`keep a ${field}, and replace it only where that is said`, () =>
          Effect.gen(function* () {
            const { call } = yield* user
            expect((yield* call(get, {})).encoded).toEqual({ name: null })
            expect((yield* call(set, { [field]: " Ada " })).encoded).toEqual({ name: "Ada", previous: null })
            const refused = yield* call(set, { [field]: "Mallory" })
            expect(refused._tag).toBe("Failure")
            expect(refused.encoded).toMatchObject({
              _tag: "NameKept",
              name: "Ada",
              advice: expect.stringContaining("override_existing: true")
            })
            expect((yield* call(set, { [field]: "Mallory", override_existing: false })).encoded).toEqual(
              refused.encoded
            )
            expect((yield* call(get, {})).encoded).toEqual({ name: "Ada" })
            // What it is already is no other name.
            expect((yield* call(set, { [field]: "Ada" })).encoded).toEqual({ name: "Ada", previous: "Ada" })
            expect((yield* call(set, { [field]: "Augusta", override_existing: true })).encoded).toEqual({
              name: "Augusta",
              previous: "Ada"
            })
            expect((yield* call(get, {})).encoded).toEqual({ name: "Augusta" })
            // The other name is another one.
            for (const other of kinds.filter((kind) => kind.field !== field)) {
              expect((yield* call(other.get, {})).encoded).toEqual({ name: null })
            }
          })
        )

        it.effect(`replace no ${field} by a word in the place of true`, () =>
          Effect.gen(function* () {
            const { setName } = yield* UserProfile.UserProfile
            const set = untyped<Effect.Effect<unknown>>(setName)("ada", "full", "Mallory", { isReplacing: "false" })
            expect(yield* causeOf(set)).toContain('isReplacing must be true or false, but is "false"')
          })
        )

        it.effect(`refuse a ${field} that is blank, and leave the one that there was`, () =>
          Effect.gen(function* () {
            const { call } = yield* user
            yield* call(set, { [field]: "Ada" })
            for (const blank of ["", "  ", "\n\t"]) {
              const refused = yield* call(set, { [field]: blank, override_existing: true })
              expect(refused).toMatchObject({ _tag: "Failure", encoded: { _tag: "BlankName" } })
            }
            expect((yield* call(get, {})).encoded).toEqual({ name: "Ada" })
          })
        )

        it.effect(`give a ${field} back as it was given`, () =>
          Effect.gen(function* () {
            const { call } = yield* user
            for (const given of [
              "Zoë 👩‍👩‍👧",
              "שלום",
              "a\0b \ud800",
              "C:\\u0000",
              "'); DROP TABLE wield_assistant_profiles; --",
              "x".repeat(1_000_000)
            ]) {
              yield* call(set, { [field]: given, override_existing: true })
              expect((yield* call(get, {})).encoded).toEqual({ name: given })
            }
          })
        )

        it.effect(`keep one ${field} of several that are set at once`, () =>
          Effect.gen(function* () {
            const { call } = yield* user
            const done = yield* Effect.forEach(
              Array.from({ length: 10 }, (_, number) => `Ada ${number}`),
              (given) => call(set, { [field]: given }),
              { concurrency: "unbounded" }
            )
            const { encoded: kept } = yield* call(get, {})
            const [only, ...others] = done.filter(({ _tag }) => _tag === "Success")
            expect(others).toEqual([])
            expect(only?.encoded).toMatchObject({ ...(kept as object), previous: null })
            for (const { _tag, encoded } of done) {
              if (_tag !== "Success") expect(encoded).toMatchObject({ _tag: "NameKept", ...(kept as object) })
            }
          })
        )
      }

      it.effect("keep both names where they are set at once", () =>
        Effect.gen(function* () {
          const { call } = yield* user
          yield* Effect.all(
            [
              call("set_user_full_name", { full_name: "Ada Lovelace" }),
              call("set_user_preferred_name", { preferred_name: "Ada" })
            ],
            { concurrency: "unbounded" }
          )
          expect((yield* call("get_user_full_name", {})).encoded).toEqual({ name: "Ada Lovelace" })
          expect((yield* call("get_user_preferred_name", {})).encoded).toEqual({ name: "Ada" })
        })
      )

      it.effect("know a name however its accents are encoded", () =>
        Effect.gen(function* () {
          const { call } = yield* user
          const composed = "Zo\u00eb"
          yield* call("set_user_full_name", { full_name: composed.normalize("NFD") })
          expect((yield* call("set_user_full_name", { full_name: composed })).encoded).toEqual({
            name: composed,
            previous: composed
          })
        })
      )
    })
  })
}
