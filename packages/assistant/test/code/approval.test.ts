/** What is written is the difference that was approved, in the file it was made from, or nothing. */
import { NodeContext } from "@effect/platform-node"
import { FileSystem } from "@effect/platform"
import { describe, expect, layer } from "@effect/vitest"
import { Agent, ConversationStore, DeferredCall } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { CodeEditor, CodeToolkit } from "@wield/assistant"
import { Journal, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Context, Effect, Layer } from "effect"
import { newFolder } from "./folders.js"
import { makeModel } from "./models.js"

const parameters = { working_dir: "app", file_name: "a.txt", instruction: "Do what is to be done" }
const call = (id: string) => ToolCall.make(id, "make_coding_edit", parameters)

/** The coding model gives another edit each time it is asked. */
const answers = ["shown", "unseen", "unseen too", "nor this"].map((replace) => [{ search: "one", replace }])

type Folder = Effect.Effect.Success<ReturnType<typeof newFolder>>

const guarded = (context: Context.Context<CodeEditor.CodeEditor>) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.fromToolkit(CodeToolkit.toolkit)
    const approval = { make_coding_edit: CodeToolkit.askWithDiff(Context.get(context, CodeEditor.CodeEditor)) }
    return { toolset, approval }
  }).pipe(Effect.provide(Layer.provide(CodeToolkit.layer, Layer.succeedContext(context))))

/** The editor of a process that was started anew, over the same folder. */
const restarted = (folder: Folder) => {
  const model = makeModel()
  model.state.answers = [...answers]
  return Layer.build(CodeEditor.layer({ roots: { app: folder.root } }).pipe(Layer.provide(model.layer)))
}

const startFolder = Effect.gen(function* () {
  const folder = yield* newFolder()
  yield* folder.write("a.txt", "one\n")
  folder.model.answers = [...answers]
  return folder
})

const setup = Effect.gen(function* () {
  const folder = yield* startFolder
  const { approval, toolset } = yield* guarded(folder.context)
  const runner = yield* ToolRunner.make(toolset, { approval })
  const asked = yield* runner.forRun({}).run(call("1"))
  if (asked._tag !== "Deferred") return yield* Effect.dieMessage(asked._tag)
  expect(asked.why).toContain("-one\n+shown\n")
  return { folder, runner, asked }
})

const theirs = "one\n// theirs\n"

const changes: Record<string, (folder: Folder) => Effect.Effect<unknown, unknown, FileSystem.FileSystem>> = {
  "was changed": (folder) => folder.write("a.txt", theirs),
  "was deleted": (folder) => Effect.flatMap(FileSystem.FileSystem, (files) => files.remove(folder.at("a.txt"))),
  "was edited by another call": (folder) =>
    folder.editor.edit({ workingDir: "app", fileName: "a.txt", instruction: "Something else" })
}

const state = (folder: Folder) => Effect.option(folder.read("a.txt"))

describe("an approved difference", () => {
  layer(NodeContext.layer)((it) => {
    for (const [what, change] of Object.entries(changes)) {
      it.scoped(`is denied at every click, after a check too, when the file ${what}`, () =>
        Effect.gen(function* () {
          for (const isChecked of [false, true]) {
            const { asked, folder, runner } = yield* setup
            yield* change(folder)
            const before = yield* state(folder)
            const run = runner.forRun({})
            if (isChecked) yield* run.check(asked, Response.approve)
            for (const clicked of [run, run, runner.forRun({})]) {
              const denied = yield* clicked.resume(asked, Response.approve)
              expect(denied).toMatchObject({
                _tag: "Denied",
                reason: expect.stringContaining("Ask for the edit again")
              })
              expect(yield* state(folder)).toEqual(before)
            }
            // As it was once more: what was refused stays so.
            yield* folder.write("a.txt", "one\n")
            expect(yield* run.resume(asked, Response.approve)).toMatchObject({ _tag: "Denied" })
            expect(yield* folder.read("a.txt")).toBe("one\n")
            // Asked for again, it is shown again, and can be approved.
            const again = yield* runner.run(call("2"))
            if (again._tag !== "Deferred") return yield* Effect.dieMessage(again._tag)
            expect(again.why).toContain("+unseen")
            const made = yield* runner.forRun({}).resume(again, Response.approve)
            expect(made).toMatchObject({ _tag: "Success", encoded: { diff: again.why } })
          }
        })
      )
    }

    it.scoped("is made once, whoever clicks twice, and for one of two calls that showed it", () =>
      Effect.gen(function* () {
        const { asked, folder, runner } = yield* setup
        const other = yield* runner.run(call("2"))
        if (other._tag !== "Deferred") return yield* Effect.dieMessage(other._tag)
        expect(other.why).toBe(asked.why)
        const run = runner.forRun({})
        const clicks = Effect.all([run.resume(asked, Response.approve), run.resume(asked, Response.approve)], {
          concurrency: 2
        })
        expect((yield* clicks).map(({ _tag }) => _tag)).toEqual(["Success", "Success"])
        expect(yield* folder.read("a.txt")).toBe("shown\n")
        yield* folder.write("a.txt", "one\n")
        for (const waiting of [other, asked]) {
          const denied = yield* runner.forRun({}).resume(waiting, Response.approve)
          expect(denied).toMatchObject({ _tag: "Denied", reason: expect.stringContaining("made already") })
        }
        expect(yield* folder.read("a.txt")).toBe("one\n")
        expect(folder.model.asked).toHaveLength(1)
      })
    )

    it.scoped("is not made of other arguments, nor approved by an approval that showed none", () =>
      Effect.gen(function* () {
        const { asked, folder, runner } = yield* setup
        const edited = Response.approveWith({ ...parameters, instruction: "Do more" })
        const denied = yield* runner.forRun({}).resume(asked, edited)
        expect(denied).toMatchObject({ _tag: "Denied", reason: expect.stringContaining("arguments were changed") })
        const { toolset } = yield* guarded(folder.context)
        const plain = yield* ToolRunner.make(toolset, { approval: () => ({ _tag: "Ask", why: "sure?" }) })
        const unseen = yield* plain.run(call("3"))
        if (unseen._tag !== "Deferred") return yield* Effect.dieMessage(unseen._tag)
        expect(yield* runner.forRun({}).resume(unseen, Response.approve)).toMatchObject({
          _tag: "Denied",
          reason: expect.stringContaining("no difference that was shown")
        })
        expect(yield* folder.read("a.txt")).toBe("one\n")
      })
    )

    it.scoped("is denied by an editor that has not shown it, as after a restart", () =>
      Effect.gen(function* () {
        const { asked, folder } = yield* setup
        const { approval, toolset } = yield* guarded(yield* restarted(folder))
        const runner = yield* ToolRunner.make(toolset, { approval })
        for (const run of [runner.forRun({}), runner.forRun({})]) {
          const denied = yield* run.resume(asked, Response.approve)
          expect(denied).toMatchObject({ _tag: "Denied", reason: expect.stringContaining("no longer in memory") })
        }
        expect(yield* folder.read("a.txt")).toBe("one\n")
      })
    )

    for (const kind of ["in memory", "over a file store"] as const) {
      for (const [what, isChanged, isRestarted, text] of [
        ["made as it was shown", false, false, "shown\n"],
        ["denied when the file was changed", true, false, theirs],
        ["denied in a new process", false, true, "one\n"]
      ] as const) {
        it.scoped(`is ${what}, through an agent ${kind}`, () =>
          Effect.gen(function* () {
            const folder = yield* startFolder
            const path = `${folder.above}/agent.db`
            const store =
              kind === "in memory"
                ? Layer.merge(ConversationStore.layerMemory, Journal.layerMemory)
                : FileStore.layer({ path })
            const services = yield* Layer.build(store)
            const agentOf = (
              context: Context.Context<CodeEditor.CodeEditor>,
              ...script: ReadonlyArray<ScriptedModel.Part>
            ) =>
              Effect.gen(function* () {
                const { approval, toolset } = yield* guarded(context)
                const model = yield* ScriptedModel.make(script)
                return yield* Agent.make({ model, toolset, policy: { approval, journal: yield* Journal.Journal } })
              })
            yield* Effect.gen(function* () {
              const conversations = yield* ConversationStore.ConversationStore
              const done = ScriptedModel.text("done")
              const agent = yield* agentOf(folder.context, ScriptedModel.call("make_coding_edit", parameters), done)
              const conversation = yield* conversations.create({ id: "c" })
              const paused = yield* Agent.run(agent, { conversation, prompt: "Edit it" })
              if (paused._tag !== "Paused") return yield* Effect.dieMessage(paused._tag)
              if (isChanged) yield* folder.write("a.txt", theirs)
              const answering = isRestarted ? yield* agentOf(yield* restarted(folder), done) : agent
              const given = { conversation, answers: paused.requests.map((request) => DeferredCall.approve(request)) }
              const result = yield* Agent.run(answering, given)
              expect(result._tag).toBe("Finished")
              const told = JSON.stringify(result.entries)
              expect(told.includes("denied and not run")).toBe(isChanged || isRestarted)
              expect(yield* folder.read("a.txt")).toBe(text)
              expect((yield* Agent.run(answering, given)).entries).toEqual(result.entries)
              expect(yield* folder.read("a.txt")).toBe(text)
            }).pipe(Effect.provide(services))
          })
        )
      }
    }

    it.scoped("that there is none of fails as it does without the rule", () =>
      Effect.gen(function* () {
        const folder = yield* startFolder
        const { approval, toolset } = yield* guarded(folder.context)
        const runner = yield* ToolRunner.make(toolset, { approval })
        folder.model.answers = [(word) => `<<${word} decline>>\nNothing to do`, ...answers]
        const outcome = yield* runner.run(call("1"))
        expect(outcome).toMatchObject({ _tag: "Failure", encoded: { _tag: "EditDeclined", reason: "Nothing to do" } })
        expect(folder.model.asked).toHaveLength(1)
        expect(yield* folder.read("a.txt")).toBe("one\n")
      })
    )
  })
})
