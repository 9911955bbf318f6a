import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation } from "@wield/agent"
import { Approval, CallLost, Journal, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Fiber, Layer, Option, Redacted, Stream } from "effect"
import { type Api, Recorder } from "@wield/studio"
import { makeTree } from "../ui/parts/tree.js"

const toolset = Toolset.dynamic([
  {
    name: "find",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    execute: ({ text }) => Effect.succeed(`found ${String(text)}`)
  },
  { name: "pay", execute: () => Effect.succeed("paid") }
])

const makeAgent = (turns: Parameters<typeof ScriptedModel.make>[0]) =>
  Effect.gen(function* () {
    const journal = (yield* Recorder.Recorder).journal(yield* Journal.memory)
    return yield* Agent.make({
      model: yield* ScriptedModel.make(turns),
      toolset: yield* toolset,
      policy: { journal, approval: ({ name }) => (name === "pay" ? Approval.ask("it costs") : Approval.allow) }
    })
  })

const talk = [[ScriptedModel.call("find", { text: "tea" })], [ScriptedModel.text("There is tea.")]].map((parts) =>
  ScriptedModel.turn(...parts)
)

describe("Recorder", () => {
  it.effect("says of a call that is uncertain why it is", () =>
    Effect.gen(function* () {
      const lost = Toolset.dynamic([{ name: "pay", execute: () => new CallLost({ reason: "the server went away" }) }])
      const model = yield* ScriptedModel.make([ScriptedModel.call("pay"), ScriptedModel.text("I do not know.")])
      yield* Recorder.run(yield* Agent.make({ model, toolset: yield* lost }), "Pay")
      const events = yield* (yield* Recorder.Recorder).events({ after: 0, limit: 1000 })
      const outcomes = events.flatMap(({ event }) => (event._tag === "CallFinished" ? [event.outcome] : []))
      expect(outcomes).toMatchObject([{ _tag: "Uncertain", reason: "lost" }])
    }).pipe(Effect.provide(Recorder.layer()))
  )

  it.effect.each([true, false])("shows what a sub-agent does within its call, its results recorded: %s", (isRecorded) =>
    Effect.gen(function* () {
      const toolset = yield* Agent.toToolset(yield* makeAgent(talk), { name: "clerk", description: "Looks" })
      const model = yield* ScriptedModel.make([
        ScriptedModel.call("clerk", { task: "Tea?" }),
        ScriptedModel.text("There is.")
      ])
      yield* Recorder.run(yield* Agent.make({ model, toolset }), "Tea?")
      const { nodes } = makeTree(yield* (yield* Recorder.Recorder).events({ after: 0, limit: 1000 }))
      const calls = nodes.flatMap((node) => (node.kind === "turn" ? node.children : []))
      expect(JSON.stringify(calls).includes("found tea")).toBe(isRecorded)
      expect(calls.find(({ kind }) => kind === "call")).toMatchObject({
        name: "clerk",
        inner: [
          { kind: "turn", children: [{ kind: "call", name: "find", outcome: { _tag: "Success" } }] },
          { kind: "turn", children: [{ kind: "text", text: "There is tea." }] }
        ]
      })
    }).pipe(Effect.provide(Recorder.layer({ results: isRecorded })))
  )

  it.effect("shows what the journal is asked about calls, by their ids, and about nothing else", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.Recorder
      const agent = yield* makeAgent(talk)
      // Of several processes: that the run goes on stands in the journal as well.
      const conversation = { ...(yield* Conversation.make()), isDurable: true }
      yield* Recorder.run(agent, { conversation, prompt: "Is there tea?" })
      const events = (yield* recorder.events({ after: 0, limit: 1000 })).map(({ event }) => event)
      const ids = events.flatMap((event) => (event._tag === "CallStarted" ? [event.call.id] : []))
      expect(ids).toHaveLength(1)
      expect(events.filter(({ _tag }) => _tag === "Journal")).toEqual([
        { _tag: "Journal", call: ids[0], action: "begin", known: "Fresh" },
        { _tag: "Journal", call: ids[0], action: "finish" }
      ])
    }).pipe(Effect.provide(Recorder.layer()))
  )

  it.effect("shows the end of a call in its own run, where another run of the conversation has begun meanwhile", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.Recorder
      const journal = recorder.journal(yield* Journal.memory)
      const [began, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Effect.zipRight(Deferred.succeed(began, undefined), Deferred.await(goOn))
      const toolset = yield* Toolset.dynamic([{ name: "wait", execute: () => slow }])
      const run = (yield* ToolRunner.make(toolset, { journal })).forRun({ id: "order 7" })
      const first = yield* Effect.fork(
        Recorder.calls({ name: "first", conversation: "order 7" }, (watcher, id) =>
          Effect.as(run.settle([ToolCall.make("call_1", "wait", {})], watcher), id)
        )
      )
      yield* Deferred.await(began)
      yield* Recorder.calls({ name: "second", conversation: "order 7" }, () =>
        Effect.zipRight(Deferred.succeed(goOn, undefined), Fiber.await(first))
      )
      const events = yield* recorder.events({ after: 0, limit: 1000 })
      const id = yield* Fiber.join(first)
      expect(events.flatMap(({ event, run }) => (event._tag === "Journal" ? [[event.action, run]] : []))).toEqual([
        ["begin", id],
        ["finish", id]
      ])
    }).pipe(Effect.provide(Recorder.layer()))
  )

  it.effect("records a run with its turns, calls and tokens", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.Recorder
      const result = yield* Recorder.run(yield* makeAgent(talk), "Is there tea?")
      expect(result.text).toBe("There is tea.")
      const [run] = yield* recorder.runs
      expect(run).toMatchObject({
        status: "finished",
        steps: 2,
        calls: 1,
        errors: 0,
        usage: { input: 200, output: 20 }
      })
      const events = yield* recorder.events({ after: 0, limit: 1000 })
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
      // On a busy machine a call may be seen to wait.
      const all = events.map(({ event }) => event._tag).filter((tag) => !/Delta$|^CallWaits$/.test(tag))
      // A journal is not asked in the stream of events: its events may come before others.
      expect(all.filter((tag) => tag === "Journal")).toHaveLength(2)
      const tags = all.filter((tag) => tag !== "Journal")
      expect(tags).toEqual([
        "RunStarted",
        "TurnStarted",
        "CallAnnounced",
        "CallStarted",
        "CallFinished",
        "TurnFinished",
        "UsageKnown",
        "TurnStarted",
        "TurnFinished",
        "UsageKnown",
        "RunEnded"
      ])
      const finished = events.find(({ event }) => event._tag === "CallFinished")?.event
      expect(finished).toMatchObject({ outcome: { _tag: "Success", text: "found tea", value: "found tea" } })
      const { stages = [] } = finished?._tag === "CallFinished" ? finished : {}
      expect(stages.map(({ stage }) => stage).slice(-2)).toEqual(["handle", "encode"])
      expect(stages.every(({ milliseconds }) => milliseconds >= 0)).toBe(true)
    }).pipe(Effect.provide(Recorder.layer()))
  )

  it.live("says which stage a call waits in, while it waits", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.Recorder
      const answer = yield* Deferred.make<string>()
      const rule = Effect.as(Deferred.await(answer), Approval.allow)
      const runner = yield* ToolRunner.make(
        yield* Toolset.dynamic(["ask", "pay"].map((name) => ({ name, execute: () => Deferred.await(answer) }))),
        { approval: ({ name }) => (name === "pay" ? rule : Approval.allow) }
      )
      const fiber = yield* Effect.fork(
        Recorder.calls({ name: "two at once" }, (watcher) =>
          runner.settle([ToolCall.make("call_1", "ask", {}), ToolCall.make("call_2", "pay", {})], watcher)
        )
      )
      const all = recorder.events({ after: 0, limit: 100 })
      const waiting = yield* Stream.merge(Stream.void, recorder.news).pipe(
        Stream.mapEffect(() => all),
        Stream.filter((events) => events.filter(({ event }) => event._tag === "CallWaits").length === 2),
        Stream.runHead
      )
      const stagesOf = (events: ReadonlyArray<Api.Event>) =>
        makeTree(events).nodes.flatMap((node) =>
          node.kind === "call"
            ? [node.stages.map(({ endedAt, title }) => `${title}${endedAt === undefined ? "" : " …"}`)]
            : []
        )
      expect(stagesOf(Option.getOrThrow(waiting))).toEqual([
        ["started", "waits in handle"],
        ["started", "waits in authorize"]
      ])
      yield* Deferred.succeed(answer, "tea")
      yield* Fiber.join(fiber)
      const [ask] = stagesOf(yield* all)
      expect(ask).not.toContain("waits in handle")
      expect(ask?.slice(-3)).toEqual(["handle …", "encode …", "Success"])
    }).pipe(Effect.provide(Recorder.layer()))
  )

  it.effect("leaves out arguments, results and texts that it was told to leave out", () =>
    Effect.gen(function* () {
      yield* Recorder.run(yield* makeAgent(talk), "Is there tea?")
      const recorder = yield* Recorder.Recorder
      const text = JSON.stringify(yield* recorder.events({ after: 0, limit: 1000 }))
      expect(text).not.toContain("tea")
      expect(text).toContain("CallFinished")
    }).pipe(Effect.provide(Recorder.layer({ arguments: false, results: false, texts: false })))
  )

  it.effect("records how a run failed or was interrupted", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.Recorder
      const runner = yield* ToolRunner.make(yield* toolset)
      yield* Effect.ignore(Recorder.calls({ name: "fails" }, () => Effect.fail("no more")))
      const waiting = yield* Effect.fork(Recorder.calls({ name: "waits" }, () => Effect.never))
      yield* Effect.yieldNow()
      yield* waiting.interruptAsFork(waiting.id())
      yield* waiting.await
      yield* Recorder.calls({ name: "works" }, (watcher) =>
        runner.settle([ToolCall.make("1", "find", {}), ToolCall.make("2", "find", { text: "a" })], watcher)
      )
      const runs = yield* recorder.runs
      expect(runs.map(({ calls, errors, name, status }) => ({ name, status, calls, errors }))).toEqual([
        { name: "works", status: "finished", calls: 2, errors: 1 },
        { name: "waits", status: "interrupted", calls: 0, errors: 0 },
        { name: "fails", status: "failed", calls: 0, errors: 0 }
      ])
    }).pipe(Effect.provide(Recorder.layer()))
  )

  it.effect("keeps no more runs and bytes than its bounds, the newest", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.Recorder
      for (let index = 0; index < 30; index++) yield* Recorder.calls({ name: `run ${index}` }, () => Effect.void)
      expect((yield* recorder.runs).map(({ name }) => name)).toEqual(["run 29", "run 28", "run 27"])
      const recording = yield* recorder.begin({ name: "long" })
      for (let index = 0; index < 1000; index++) recording.event({ _tag: "TextDelta", text: "x".repeat(1000) })
      const [run] = yield* recorder.runs
      expect(run?.dropped).toBeGreaterThan(900)
      const events = yield* recorder.events({ after: 0, limit: 1000 })
      expect(events.length).toBeLessThanOrEqual(100)
      expect(events.at(-1)?.sequence).toBe((yield* recorder.last).last)
      expect((yield* recorder.last).dropped).toBe((events[0]?.sequence ?? 0) - 1)
    }).pipe(Effect.provide(Recorder.layer({ runs: 3, bytes: 100_000 })))
  )

  it.effect("imports what it exported elsewhere, byte for byte", () =>
    Effect.gen(function* () {
      const exported = yield* Effect.gen(function* () {
        yield* Recorder.run(yield* makeAgent(talk), "Is there tea?")
        const recorder = yield* Recorder.Recorder
        const [run] = yield* recorder.runs
        return { run, file: yield* recorder.export(run?.id ?? "") }
      }).pipe(Effect.provide(Recorder.layer()))
      yield* Effect.gen(function* () {
        const recorder = yield* Recorder.Recorder
        yield* Recorder.calls({ name: "something else" }, () => Effect.void)
        const file = exported.file
        if (file === undefined) return expect.unreachable()
        const imported = yield* recorder.import(JSON.parse(JSON.stringify(file)))
        expect(imported).toEqual({ ...exported.run, first: 3, last: (exported.run?.events ?? 0) + 2 })
        expect(JSON.stringify(yield* recorder.export(file.id))).toBe(JSON.stringify(file))
        expect(yield* recorder.import(file)).toBeUndefined()
      }).pipe(Effect.provide(Recorder.layer()))
    })
  )

  it.effect("writes a line for each event into a file", () => {
    const folder = mkdtempSync(join(tmpdir(), "wield-"))
    const file = join(folder, "runs.jsonl")
    return Effect.gen(function* () {
      const events = yield* Effect.gen(function* () {
        yield* Recorder.run(yield* makeAgent(talk), "Is there tea?")
        return yield* (yield* Recorder.Recorder).events({ after: 0, limit: 1000 })
      }).pipe(Effect.provide(Recorder.layerFile(file).pipe(Layer.provide(NodeContext.layer))))
      const lines = readFileSync(file, "utf8").trimEnd().split("\n")
      expect(lines.map((line) => JSON.parse(line))).toEqual(events)
    }).pipe(Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true }))))
  })

  it.effect("gives news of events, and shows secrets of progress as redacted", () =>
    Effect.gen(function* () {
      const recorder = yield* Recorder.Recorder
      const recording = yield* recorder.begin({ name: "calls" })
      const call = ToolCall.make("1", "find", {})
      yield* recorder.news.pipe(
        Stream.take(1),
        Stream.runDrain,
        Effect.zipRight(Effect.void),
        Effect.race(
          Effect.forever(
            Effect.zipRight(recording.watcher.progress(call)({ key: Redacted.make("s3cret") }), Effect.yieldNow())
          )
        )
      )
      const text = JSON.stringify(yield* recorder.events({ after: 0, limit: 10_000 }))
      expect(text).toContain("<redacted>")
      expect(text).not.toContain("s3cret")
    }).pipe(Effect.provide(Recorder.layer()))
  )
})
