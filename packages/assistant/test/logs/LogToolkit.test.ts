import { describe, expect, it } from "@effect/vitest"
import { LogToolkit, Owner, RecentLogs } from "@wield/assistant"
import { ToolRunner, Toolset } from "@wield/core"
import { Effect, Layer, Logger } from "effect"
import { newUser } from "../users/newUser.js"

const logs = (options?: RecentLogs.Options) =>
  Layer.provideMerge(RecentLogs.layer(options), Logger.remove(Logger.defaultLogger))

const runner = Effect.flatMap(Toolset.fromToolkit(LogToolkit.toolkit), (toolset) => ToolRunner.make(toolset))

const forUser = (user: string) => Effect.annotateLogs("user_id", user)

describe("the tool for the log", () => {
  it.effect("gives the last ten lines of the user, or as many as asked for", () =>
    Effect.gen(function* () {
      const { call, owner } = newUser(yield* runner)
      for (let number = 0; number < 15; number++) yield* Effect.logInfo(`entry ${number}`).pipe(forUser(owner))
      const ten = yield* call("tail_elroy_logs", {})
      expect(ten._tag).toBe("Success")
      expect(ten.encoded).toMatchObject({ lines: { length: 10 } })
      const two = yield* call("tail_elroy_logs", { lines: 2 })
      expect(two.encoded).toEqual({
        lines: [expect.stringContaining('message="entry 13"'), expect.stringContaining('message="entry 14"')]
      })
      for (const lines of [0, -1, 1.5, 1001, "10", null]) {
        expect((yield* call("tail_elroy_logs", { lines }))._tag).toBe("InvalidArguments")
      }
    }).pipe(Effect.provide(Layer.provideMerge(LogToolkit.layer, logs())))
  )

  it.effect("keeps the lines of two users apart, and those of nobody, whatever a model sends", () =>
    Effect.gen(function* () {
      const made = yield* runner
      const [ada, bob] = [newUser(made), newUser(made)]
      yield* Effect.all(
        [
          Effect.logInfo("of ada").pipe(forUser(ada.owner)),
          Effect.logInfo("of bob, for ada", { user_id: ada.owner }).pipe(forUser(bob.owner)),
          Effect.logInfo(`of nobody user_id=${ada.owner}`),
          Effect.logInfo("of bob within ada").pipe(forUser(bob.owner), forUser(ada.owner))
        ],
        { concurrency: "unbounded" }
      )
      const seen = yield* ada.call("tail_elroy_logs", { lines: 100, user_id: bob.owner, USER_ID: bob.owner })
      expect(seen.encoded).toEqual({ lines: [expect.stringContaining("of ada")] })
      const others = yield* bob.call("tail_elroy_logs", { lines: 100 })
      expect(others.encoded).toMatchObject({ lines: { length: 2 } })
    }).pipe(Effect.provide(Layer.provideMerge(LogToolkit.layer, logs())))
  )

  it.effect("shows the crash of a tool of that user, and what its handler logs, without an annotation", () =>
    Effect.gen(function* () {
      const execute = () => Effect.zipRight(Effect.logInfo("before it crashed"), Effect.die(new Error("no connection")))
      const crashing = yield* Toolset.dynamic([{ name: "crash", execute }])
      const tools = Toolset.combine(yield* Toolset.fromToolkit(LogToolkit.toolkit), crashing)
      const made = yield* ToolRunner.make(tools, { observe: { causes: true } })
      const [ada, bob] = [newUser(made), newUser(made)]
      expect((yield* ada.call("crash", {}))._tag).toBe("Defect")
      const seen = yield* ada.call("tail_elroy_logs", {})
      expect(seen.encoded).toEqual({
        lines: [
          expect.stringContaining("before it crashed"),
          expect.stringMatching(/The tool crash failed internally .*no connection/)
        ]
      })
      expect((yield* bob.call("tail_elroy_logs", {})).encoded).toEqual({ lines: [] })
    }).pipe(Effect.provide(Layer.provideMerge(LogToolkit.layer, logs())))
  )

  for (const [name, filter, expected] of [
    ["ownLines", RecentLogs.ownLines, ["mine"]],
    ["ownAndUnownedLines", RecentLogs.ownAndUnownedLines, ["mine", "unowned"]],
    ["allLines", RecentLogs.allLines, ["mine", "theirs", "unowned"]],
    ["one's own filter", (entry: RecentLogs.Entry) => entry.level._tag === "Warning", ["unowned"]]
  ] as const) {
    it.effect(`shows with ${name} ${expected.join(", ")}`, () =>
      Effect.gen(function* () {
        const { call, owner } = newUser(yield* runner)
        yield* Effect.logInfo("mine").pipe(forUser(owner))
        yield* Effect.logInfo("theirs").pipe(forUser(Owner.UserId.make("somebody")))
        yield* Effect.logWarning("unowned")
        const { encoded } = yield* call("tail_elroy_logs", {})
        expect(encoded).toEqual({ lines: expected.map((text) => expect.stringContaining(`message=${text}`)) })
      }).pipe(Effect.provide(Layer.provideMerge(LogToolkit.layerWith({ filter }), logs())))
    )
  }

  it.effect("is read-only, and hides who the user is", () =>
    Effect.gen(function* () {
      const [definition] = yield* (yield* runner).definitions
      expect(definition).toMatchObject({ name: "tail_elroy_logs", facts: { isReadOnly: true, isDestructive: false } })
      expect(JSON.stringify(definition)).not.toContain("user_id")
    }).pipe(Effect.provide(Layer.provideMerge(LogToolkit.layer, logs())))
  )
})
