import { describe, expect, layer } from "@effect/vitest"
import { CurrentContext, Goals, GoalToolkit, Owner, SearchIndex } from "@wield/assistant"
import { ToolRunner, Toolset } from "@wield/core"
import { Effect, Layer, TestClock } from "effect"
import { databases } from "../databases/databases.js"

const user = (name: string) => Owner.UserId.make(name)
const conversation = Owner.ConversationId.make("conversation")

let users = 0

/** A runner for a new user, who is told. */
const newUser = Effect.gen(function* () {
  const owner = user(`user ${++users}`)
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(GoalToolkit.toolkit))
  const run = runner.forRun({ context: { user_id: owner, conversation_id: conversation } })
  let calls = 0
  const call = (name: string, parameters: object) =>
    run.run({ id: `call ${++calls}`, name, arguments: JSON.stringify(parameters) })
  return { owner, call }
})

const encoded = (outcome: { readonly _tag: string }) => ("encoded" in outcome ? outcome.encoded : outcome)

for (const { client, name } of databases) {
  const services = Layer.mergeAll(Goals.layer, CurrentContext.layer).pipe(
    Layer.provideMerge(SearchIndex.layer()),
    Layer.provideMerge(client)
  )
  describe(`the tools for goals over ${name}`, () => {
    layer(Layer.provideMerge(GoalToolkit.layer, services))((it) => {
      it.effect("make a goal, show it, and keep it in the context", () =>
        Effect.gen(function* () {
          const { call, owner } = yield* newUser
          yield* TestClock.setTime(Date.UTC(2026, 0, 31))
          const made = yield* call("create_goal", {
            goal_name: "Learn the violin",
            strategy: "A lesson a week",
            time_to_completion: "1 month",
            priority: 0
          })
          expect(made._tag).toBe("Success")
          expect(encoded(made)).toMatchObject({
            name: "Learn the violin",
            priority: 0,
            due: "2026-02-28T00:00:00.000Z"
          })
          expect(encoded(yield* call("print_goal", { goal_name: "Learn the violin" }))).toEqual(encoded(made))
          const members = yield* Effect.flatMap(CurrentContext.CurrentContext, ({ members }) =>
            members(owner, conversation)
          )
          expect(members.map(({ type }) => type)).toEqual(["goal"])
        })
      )

      it.effect("read times to completion in any case, singular or plural, and refuse others", () =>
        Effect.gen(function* () {
          const { call } = yield* newUser
          yield* TestClock.setTime(0)
          for (const [text, due] of [
            ["3 HOURS", "1970-01-01T03:00:00.000Z"],
            ["1 day", "1970-01-02T00:00:00.000Z"],
            [" 2  Weeks ", "1970-01-15T00:00:00.000Z"],
            ["1 YEARS", "1971-01-01T00:00:00.000Z"]
          ] as const) {
            expect(encoded(yield* call("create_goal", { goal_name: text, time_to_completion: text }))).toMatchObject({
              due
            })
          }
          for (const text of ["", "soon", "3", "DAYS", "-1 DAYS", "1.5 days", "3 fortnights", "999999999999 days"]) {
            const refused = yield* call("create_goal", { goal_name: `x${text}`, time_to_completion: text })
            expect(refused._tag).toBe("Failure")
            expect(encoded(refused)).toMatchObject({ _tag: "InvalidGoal", field: "time_to_completion" })
          }
        })
      )

      it.effect("refuse a second goal of one name, a blank name, and a priority that is none", () =>
        Effect.gen(function* () {
          const { call } = yield* newUser
          yield* call("create_goal", { goal_name: "Run" })
          expect(encoded(yield* call("create_goal", { goal_name: "Run" }))).toEqual({
            _tag: "GoalNameTaken",
            name: "Run",
            advice: "Add a status update to that goal, or choose another name"
          })
          const advice = "Nothing was written. Call again with what is expected in this field"
          const refused = { _tag: "InvalidGoal", advice }
          expect(encoded(yield* call("create_goal", { goal_name: "  " }))).toMatchObject({
            ...refused,
            field: "goal_name"
          })
          expect(encoded(yield* call("rename_goal", { old_goal_name: "Run", new_goal_name: "" }))).toMatchObject({
            ...refused,
            field: "new_goal_name"
          })
          expect(
            encoded(yield* call("add_goal_status_update", { goal_name: "Run", status_update_or_note: "\n" }))
          ).toMatchObject({ ...refused, field: "status_update_or_note" })
          expect((yield* call("create_goal", { goal_name: "Swim", priority: 5 }))._tag).toBe("InvalidArguments")
        })
      )

      it.effect("tell the names there are when there is no goal of a name", () =>
        Effect.gen(function* () {
          const { call } = yield* newUser
          for (const tool of [
            "print_goal",
            "delete_goal_permanently",
            "mark_goal_completed",
            "add_goal_to_current_context"
          ]) {
            expect(encoded(yield* call(tool, { goal_name: "Rnu" }))).toEqual({
              _tag: "GoalNotFound",
              name: "Rnu",
              known: [],
              advice: expect.stringContaining("names in known")
            })
          }
          yield* call("create_goal", { goal_name: "Run" })
          expect(encoded(yield* call("rename_goal", { old_goal_name: "Rnu", new_goal_name: "Walk" }))).toEqual({
            _tag: "GoalNotFound",
            name: "Rnu",
            known: ["Run"],
            advice: expect.stringContaining("names in known")
          })
        })
      )

      it.effect("know a goal by its name, however its accents are encoded and whatever blanks are around it", () =>
        Effect.gen(function* () {
          const { call } = yield* newUser
          const name = "Open a caf\u00e9"
          const decomposed = ` ${name.normalize("NFD")}\n`
          expect(encoded(yield* call("create_goal", { goal_name: decomposed }))).toMatchObject({ name })
          expect(encoded(yield* call("create_goal", { goal_name: name }))).toEqual({
            _tag: "GoalNameTaken",
            name,
            advice: "Add a status update to that goal, or choose another name"
          })
          expect(encoded(yield* call("print_goal", { goal_name: decomposed }))).toMatchObject({ name })
          expect(
            encoded(yield* call("rename_goal", { old_goal_name: decomposed, new_goal_name: ` ${name}` }))
          ).toMatchObject({ name })
          expect(encoded(yield* call("mark_goal_completed", { goal_name: decomposed }))).toMatchObject({
            memory: `Completed goal: ${name}`
          })
          expect((yield* call("delete_goal_permanently", { goal_name: decomposed }))._tag).toBe("Success")
        })
      )

      it.effect("take names of 200 characters, and refuse longer ones with the limit", () =>
        Effect.gen(function* () {
          const { call } = yield* newUser
          // Each of these takes as many bytes in a database as a character can.
          for (const character of ["x", "\\", "\ud800", "永"]) {
            const goal_name = character.repeat(200)
            expect((yield* call("create_goal", { goal_name }))._tag).toBe("Success")
            expect((yield* call("mark_goal_completed", { goal_name }))._tag).toBe("Success")
          }
          yield* call("create_goal", { goal_name: "Run" })
          const refused = { _tag: "InvalidGoal", expected: "a name of at most 200 characters" }
          for (const name of ["x".repeat(201), "永".repeat(1_000_000)]) {
            const received = name.slice(0, 200)
            expect(encoded(yield* call("create_goal", { goal_name: name }))).toMatchObject({
              ...refused,
              field: "goal_name",
              received
            })
            expect(encoded(yield* call("rename_goal", { old_goal_name: "Run", new_goal_name: name }))).toMatchObject({
              ...refused,
              field: "new_goal_name",
              received
            })
            expect(encoded(yield* call("print_goal", { goal_name: name }))).toMatchObject({
              _tag: "GoalNotFound",
              name: received
            })
          }
        })
      )

      it.effect("put no completed goal in the context, and tell the active ones instead", () =>
        Effect.gen(function* () {
          const { call, owner } = yield* newUser
          yield* call("create_goal", { goal_name: "Run" })
          yield* call("mark_goal_completed", { goal_name: "Run" })
          yield* call("create_goal", { goal_name: "Swim" })
          yield* call("drop_goal_from_current_context", { goal_name: "Swim" })
          expect(encoded(yield* call("add_goal_to_current_context", { goal_name: "Run" }))).toEqual({
            _tag: "GoalNotFound",
            name: "Run",
            known: ["Swim"],
            advice: expect.stringContaining("names in known")
          })
          const context = yield* CurrentContext.CurrentContext
          expect(yield* context.members(owner, conversation)).toEqual([])
        })
      )

      it.effect("tell the names of completed goals too, where one would do", () =>
        Effect.gen(function* () {
          const { call } = yield* newUser
          yield* call("create_goal", { goal_name: "Run" })
          yield* call("mark_goal_completed", { goal_name: "Run" })
          for (const tool of ["print_goal", "delete_goal_permanently"]) {
            expect(encoded(yield* call(tool, { goal_name: "run" }))).toMatchObject({ known: ["Run"] })
          }
          expect(encoded(yield* call("mark_goal_completed", { goal_name: "Run" }))).toMatchObject({ known: [] })
        })
      )

      it.effect("rename a goal, unless another has the name", () =>
        Effect.gen(function* () {
          const { call } = yield* newUser
          yield* call("create_goal", { goal_name: "Run" })
          yield* call("create_goal", { goal_name: "Swim" })
          expect(encoded(yield* call("rename_goal", { old_goal_name: "Run", new_goal_name: "Swim" }))).toEqual({
            _tag: "GoalNameTaken",
            name: "Swim",
            advice: "Add a status update to that goal, or choose another name"
          })
          expect(encoded(yield* call("rename_goal", { old_goal_name: "Run", new_goal_name: "Walk" }))).toMatchObject({
            name: "Walk"
          })
          expect((yield* call("print_goal", { goal_name: "Run" }))._tag).toBe("Failure")
        })
      )

      it.effect("complete a goal and leave a memory of it", () =>
        Effect.gen(function* () {
          const { call, owner } = yield* newUser
          yield* call("create_goal", { goal_name: "Marathon" })
          yield* call("add_goal_status_update", { goal_name: "Marathon", status_update_or_note: "Ran ten kilometres" })
          const done = yield* call("mark_goal_completed", {
            goal_name: "Marathon",
            closing_comments: "Finished in Vienna"
          })
          expect(encoded(done)).toMatchObject({ goal: { state: "completed" }, memory: "Completed goal: Marathon" })
          const index = yield* SearchIndex.SearchIndex
          const found = yield* index.search(owner, { text: "Vienna" })
          expect(found.hits.map(({ type }) => type)).toEqual(["memory"])
          expect(found.hits[0]?.text).toContain("Ran ten kilometres")
          const members = yield* Effect.flatMap(CurrentContext.CurrentContext, ({ members }) =>
            members(owner, conversation)
          )
          expect(members).toEqual([])
          // Its name is free again; until it is taken, the completed one is shown.
          expect(encoded(yield* call("print_goal", { goal_name: "Marathon" }))).toMatchObject({ state: "completed" })
          expect((yield* call("create_goal", { goal_name: "Marathon" }))._tag).toBe("Success")
        })
      )

      it.effect("delete a goal so that nothing of it is left", () =>
        Effect.gen(function* () {
          const { call, owner } = yield* newUser
          yield* call("create_goal", { goal_name: "Secret plan", description: "zeppelin" })
          expect(encoded(yield* call("delete_goal_permanently", { goal_name: "Secret plan" }))).toEqual({
            deleted: "Secret plan"
          })
          expect((yield* call("print_goal", { goal_name: "Secret plan" }))._tag).toBe("Failure")
          const index = yield* SearchIndex.SearchIndex
          expect((yield* index.search(owner, { text: "zeppelin plan" })).hits).toEqual([])
        })
      )

      it.effect("keep the goals of two users apart, whatever a model sends", () =>
        Effect.gen(function* () {
          const [ada, bob] = [yield* newUser, yield* newUser]
          yield* ada.call("create_goal", { goal_name: "Secret" })
          for (const [tool, parameters] of [
            ["print_goal", { goal_name: "Secret" }],
            ["rename_goal", { old_goal_name: "Secret", new_goal_name: "Mine" }],
            ["add_goal_status_update", { goal_name: "Secret", status_update_or_note: "seen" }],
            ["mark_goal_completed", { goal_name: "Secret" }],
            ["delete_goal_permanently", { goal_name: "Secret" }],
            ["add_goal_to_current_context", { goal_name: "Secret" }],
            ["drop_goal_from_current_context", { goal_name: "Secret" }]
          ] as const) {
            const outcome = yield* bob.call(tool, { ...parameters, user_id: ada.owner, USER_ID: ada.owner })
            expect(encoded(outcome)).toEqual({
              _tag: "GoalNotFound",
              name: "Secret",
              known: [],
              advice: expect.stringContaining("names in known")
            })
          }
          expect(encoded(yield* ada.call("print_goal", { goal_name: "Secret" }))).toMatchObject({
            state: "active",
            updates: []
          })
          // The same name is free for the other user.
          expect((yield* bob.call("create_goal", { goal_name: "Secret" }))._tag).toBe("Success")
        })
      )

      it.effect("lose nothing of what is done at once", () =>
        Effect.gen(function* () {
          const { call } = yield* newUser
          const made = yield* Effect.all(
            Array.from({ length: 8 }, () => call("create_goal", { goal_name: "One" })),
            {
              concurrency: "unbounded"
            }
          )
          expect(made.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
          yield* Effect.all(
            Array.from({ length: 20 }, (_, number) =>
              call("add_goal_status_update", { goal_name: "One", status_update_or_note: `update ${number}` })
            ),
            { concurrency: "unbounded" }
          )
          const shown = encoded(yield* call("print_goal", { goal_name: "One" }))
          expect(shown).toMatchObject({ updates: { length: 20 } })
        })
      )
    })
  })
}
