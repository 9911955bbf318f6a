import { NodeContext } from "@effect/platform-node"
import { describe, expect, layer } from "@effect/vitest"
import type { Toolkit } from "@effect/ai"
import { CodeToolkit } from "@wield/assistant"
import { type Policy, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Layer } from "effect"
import { newFolder } from "./folders.js"

const parameters = { working_dir: "app", file_name: "a.txt", instruction: "Do what is to be done" }

const newRunner = (
  folder: Effect.Effect.Success<ReturnType<typeof newFolder>>,
  policy: Policy.Policy<Toolkit.Tools<typeof CodeToolkit.toolkit>> = {}
) =>
  Effect.gen(function* () {
    return yield* ToolRunner.make(yield* Toolset.fromToolkit(CodeToolkit.toolkit), policy)
  }).pipe(Effect.provide(Layer.provide(CodeToolkit.layer, Layer.succeedContext(folder.context))))

describe("the tool for edits", () => {
  layer(NodeContext.layer)((it) => {
    it.scoped("gives what the edit has done", () =>
      Effect.gen(function* () {
        const folder = yield* newFolder()
        yield* folder.write("a.txt", "one\n")
        folder.model.answers = [[{ search: "one", replace: "two" }]]
        const runner = yield* newRunner(folder)
        const outcome = yield* runner.run(ToolCall.make("1", "make_coding_edit", parameters))
        expect(outcome).toMatchObject({
          _tag: "Success",
          encoded: { file: "app/a.txt", added: 1, removed: 1, created: false, attempts: 1 }
        })
        expect(folder.model.asked[0]).toContain("Do what is to be done")
        const [definition] = yield* runner.definitions
        expect(definition?.facts).toMatchObject({ isReadOnly: false, isDestructive: true, isIdempotent: false })
      })
    )

    it.scoped("gives every failure as one that the model reads", () =>
      Effect.gen(function* () {
        const folder = yield* newFolder({ attempts: 1 })
        yield* folder.write("a.txt", "one\n")
        const runner = yield* newRunner(folder)
        let calls = 0
        const tagOf = (changed: object = {}) =>
          Effect.map(
            runner.run(ToolCall.make(`${++calls}`, "make_coding_edit", { ...parameters, ...changed })),
            (outcome) => [outcome._tag, outcome._tag === "Failure" ? outcome.encoded : undefined]
          )
        expect(yield* tagOf({ working_dir: "/etc" })).toMatchObject(["Failure", { _tag: "FileRefused" }])
        folder.model.answers = [
          () => "Done.",
          (word) => `<<${word} decline>>\nNothing to do`,
          "no network",
          Effect.as(Effect.orDie(folder.write("a.txt", "theirs\n")), [{ search: "one", replace: "two" }])
        ]
        // The model reads the fields, which say what to do next.
        for (const tag of ["EditRejected", "EditDeclined", "CodingModelFailed", "FileChanged"]) {
          const [outcome, read] = yield* tagOf()
          expect(JSON.stringify(read)).toMatch(/advice|reason/)
          expect([outcome, read]).toMatchObject(["Failure", { _tag: tag, file: "app/a.txt" }])
        }
        expect(yield* folder.read("a.txt")).toBe("theirs\n")
      })
    )

    it.scoped("asks with the difference where the policy does so, and writes what was agreed to", () =>
      Effect.gen(function* () {
        const folder = yield* newFolder()
        yield* folder.write("a.txt", "one\n")
        const runner = yield* newRunner(folder, {
          approval: { make_coding_edit: CodeToolkit.askWithDiff(folder.editor) }
        })
        folder.model.answers = [[{ search: "one", replace: "two" }], [{ search: "two", replace: "three" }]]
        const deferred = yield* runner.run(ToolCall.make("1", "make_coding_edit", parameters))
        if (deferred._tag !== "Deferred") return expect(deferred._tag).toBe("Deferred")
        expect(deferred.why).toContain("-one\n+two\n")
        expect(yield* folder.read("a.txt")).toBe("one\n")
        const made = yield* runner.forRun({}).resume(deferred, Response.approve)
        expect(made).toMatchObject({ _tag: "Success", encoded: { diff: deferred.why } })
        expect(yield* folder.read("a.txt")).toBe("two\n")

        // What was approved is not made of a file that is another one by then.
        const again = yield* runner.run(ToolCall.make("2", "make_coding_edit", parameters))
        if (again._tag !== "Deferred") return expect(again._tag).toBe("Deferred")
        yield* folder.write("a.txt", "two, by somebody else\n")
        const denied = yield* runner.forRun({}).resume(again, Response.approve)
        expect(denied).toMatchObject({
          _tag: "Denied",
          reason: expect.stringContaining("has changed the file since it was read")
        })
        expect(yield* folder.read("a.txt")).toBe("two, by somebody else\n")

        const outside = ToolCall.make("3", "make_coding_edit", { ...parameters, working_dir: "/etc" })
        expect(yield* runner.run(outside)).toMatchObject({ _tag: "Failure", encoded: { _tag: "FileRefused" } })
      })
    )
  })
})
