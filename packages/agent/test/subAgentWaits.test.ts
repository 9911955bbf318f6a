import { describe, expect, it } from "@effect/vitest"
import { Agent, type AgentEvent, type AgentResult, ConversationStore, DeferredCall } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import {
  Approval,
  CurrentCall,
  Journal,
  NeedsInput,
  Outcome,
  Response,
  ToolCall,
  ToolResult,
  ToolRunner,
  Toolset
} from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Context, Deferred, Effect, Fiber, Layer, Redacted, Schema, Stream } from "effect"
import { temporaryFile } from "./store/temporaryFile.js"

const { call, text, turn } = ScriptedModel

const amount = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } as const

const bank = (paid: Array<number>) =>
  Toolset.dynamic([
    {
      name: "pay",
      inputSchema: amount,
      execute: (parameters) =>
        Effect.sync(() => {
          const { amount } = parameters as { readonly amount: number }
          paid.push(amount)
          return `paid ${amount}`
        })
    }
  ])

interface Shape {
  readonly paid: Array<number>
  readonly inner?: ReadonlyArray<ScriptedModel.Part | ScriptedModel.ScriptedTurn>
  readonly outer?: ReadonlyArray<ScriptedModel.Part | ScriptedModel.ScriptedTurn>
  readonly journal?: Journal.Service
  readonly toolset?: Toolset.Toolset<Toolset.DynamicTools>
  readonly signing?: { readonly secrets: readonly [Redacted.Redacted] }
}

const pays = turn(call("pay", { amount: 1 }, { id: "a" }), call("pay", { amount: 2 }, { id: "b" }))

/** A clerk who may ask an accountant, who may pay, if a person says so. */
const clerkOf = ({ inner, journal, outer, paid, signing, toolset }: Shape) =>
  Effect.gen(function* () {
    const accountant = yield* Agent.make({
      name: "accountant",
      model: yield* ScriptedModel.make(inner ?? [pays, text("All is paid.")]),
      toolset: toolset ?? (yield* bank(paid)),
      policy: { approval: ({ name }) => (name === "pay" ? Approval.ask("it costs") : Approval.allow), journal }
    })
    return yield* Agent.make({
      name: "clerk",
      model: yield* ScriptedModel.make(
        outer ?? [turn(call("accountant", { task: "Pay" }, { id: "c" })), text("Done.")]
      ),
      toolset: yield* Agent.toToolset(accountant, { name: "accountant", description: "Pays" }),
      policy: { journal },
      signing
    })
  })

interface Late {
  readonly arrived: Deferred.Deferred<void>
  readonly goesOn: Deferred.Deferred<void>
}

/** As another process has it. One that is late stands between what it has recorded of its answer, and the call. */
const processAt = (of: {
  readonly path: string
  readonly paid: Array<number>
  readonly late?: Late | undefined
  readonly shape: Partial<Shape>
}) =>
  Effect.gen(function* () {
    const { late, paid, path, shape } = of
    const context = yield* Layer.build(Layer.fresh(FileStore.layer({ path, synchronous: "normal" })))
    const journal = Context.get(context, Journal.Journal)
    const store = Context.get(context, ConversationStore.ConversationStore)
    const clerk = yield* clerkOf({ paid, journal, ...shape })
    const opened = yield* store.openOrCreate("wages")
    const append: typeof opened.append = (entries, after) =>
      Effect.tap(opened.append(entries, after), () =>
        late === undefined || !entries.some(({ responses }) => responses !== undefined)
          ? Effect.void
          : Effect.zipRight(Deferred.succeed(late.arrived, undefined), Deferred.await(late.goesOn))
      )
    // Each takes the other for dead, as after ten seconds without a sign of life.
    return { clerk, conversation: { ...opened, append, isOfOneProcess: true } as const }
  })

const pausedOf = <E>(result: AgentResult.AgentResult<unknown, E>) => {
  if (result._tag !== "Paused") throw new Error(`The run is ${result._tag}`)
  return result
}

describe("a call that waits within a sub-agent", () => {
  it.effect("pauses the whole run, whose requests say within what they wait", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const clerk = yield* clerkOf({ paid })
      const paused = pausedOf(yield* Agent.run(clerk, "Pay"))
      expect(paused.requests).toMatchObject([
        {
          name: "pay",
          why: "it costs",
          arguments: { amount: 1 },
          call: { id: "c/a" },
          within: [{ name: "accountant" }]
        },
        { name: "pay", arguments: { amount: 2 }, call: { id: "c/b" }, conversation: paused.conversation.id }
      ])
      const { conversation, requests } = paused
      const result = yield* Agent.run(clerk, { conversation, answers: requests.map(DeferredCall.approve) })
      expect([result._tag, result.text, paid]).toEqual(["Finished", "Done.", [1, 2]])
    })
  )

  it.effect("is answered in any order, some now and some later, and each answer counts once", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const clerk = yield* clerkOf({ paid })
      const { conversation, requests } = pausedOf(yield* Agent.run(clerk, "Pay"))
      const [one, two] = requests
      if (one === undefined || two === undefined) return expect.unreachable()
      const half = pausedOf(yield* Agent.run(clerk, { conversation, answers: [DeferredCall.approve(two)] }))
      expect([paid, half.requests.map(({ id }) => id)]).toEqual([[2], [one.id]])
      // It comes twice, as from a second tab.
      const again = pausedOf(yield* Agent.run(clerk, { conversation, answers: [DeferredCall.approve(two)] }))
      expect(again.requests).toEqual(half.requests)
      const contradicting = Agent.run(clerk, { conversation, answers: [DeferredCall.deny(two, "No.")] })
      expect(yield* Effect.flip(contradicting)).toMatchObject({ _tag: "AlreadyAnswered", response: "Approve" })
      // The request as it was at first.
      const answers = [DeferredCall.deny(one, "Too much.")]
      yield* Agent.check(clerk, { conversation, answers })
      expect((yield* Agent.run(clerk, { conversation, answers })).text).toBe("Done.")
      expect(paid).toEqual([2])
      yield* Agent.check(clerk, { conversation, answers })
      const late = Agent.check(clerk, { conversation, answers: [DeferredCall.approve(one)] })
      expect(yield* Effect.flip(late)).toMatchObject({ _tag: "AlreadyAnswered", response: "Deny" })
    })
  )

  it.scopedLive("goes on in another process", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const paid: Array<number> = []
      const processOf = (shape: Partial<Shape>) => processAt({ path, paid, shape })
      const first = yield* processOf({ inner: [pays], outer: [turn(call("accountant", { task: "Pay" }))] })
      const { requests } = pausedOf(yield* Agent.run(first.clerk, { conversation: first.conversation, prompt: "Pay" }))
      const json = JSON.stringify(yield* Schema.encode(Schema.Array(DeferredCall.DeferredCall))(requests))
      const read = yield* Schema.decodeUnknown(Schema.Array(DeferredCall.DeferredCall))(JSON.parse(json))
      const answers = read.map((request, place) =>
        place === 0 ? DeferredCall.approveWith(request, { amount: 3 }) : DeferredCall.deny(request, "No.")
      )
      const second = yield* processOf({ inner: [text("Three.")], outer: [text("Done.")] })
      const { conversation } = second
      const result = yield* Agent.run(second.clerk, { conversation, answers })
      const third = yield* processOf({ inner: [], outer: [] })
      const again = yield* Agent.run(third.clerk, { conversation: third.conversation, answers })
      expect([result.text, again.text, paid]).toEqual(["Done.", "Done.", [3]])
      const results = result.entries.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))
      expect(results.map(ToolResult.toText)).toEqual(["Three."])
    })
  )

  it.scopedLive("is answered in one way where two processes are given two at the same time", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const paid: Array<number> = []
      const late = { arrived: yield* Deferred.make<void>(), goesOn: yield* Deferred.make<void>() }
      const processOf = (shape: Partial<Shape>, isLate = false) =>
        processAt({ path, paid, late: isLate ? late : undefined, shape })
      const first = yield* processOf({ inner: [pays], outer: [turn(call("accountant", { task: "Pay" }))] })
      const { requests } = pausedOf(yield* Agent.run(first.clerk, { conversation: first.conversation, prompt: "Pay" }))
      const one = yield* processOf({ inner: [text("Paid.")], outer: [text("Done.")] })
      const other = yield* processOf({ inner: [text("Denied.")], outer: [text("Done.")] }, true)
      const answers = requests.map((request) => DeferredCall.deny(request, "No."))
      const { clerk, conversation } = other
      const denying = yield* Effect.fork(Effect.flip(Agent.run(clerk, { conversation, answers })))
      yield* Deferred.await(late.arrived)
      const approvals = requests.map(DeferredCall.approve)
      const result = yield* Agent.run(one.clerk, { conversation: one.conversation, answers: approvals })
      yield* Deferred.succeed(late.goesOn, undefined)
      expect(yield* Fiber.join(denying)).toMatchObject({ _tag: "AlreadyAnswered", response: "Approve" })
      expect([result.text, paid]).toEqual(["Done.", [1, 2]])
    })
  )

  it.effect("asks again where an answer does not fit what waits", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const clerk = yield* clerkOf({ paid })
      const { conversation, requests } = pausedOf(yield* Agent.run(clerk, "Pay"))
      const answers = requests.map((request) => DeferredCall.approve({ ...request, arguments: { amount: 0 } }))
      const again = pausedOf(yield* Agent.run(clerk, { conversation, answers }))
      expect([again.requests, paid]).toEqual([requests, []])
      const result = yield* Agent.run(clerk, { conversation, answers: again.requests.map(DeferredCall.approve) })
      expect([result._tag, paid]).toEqual(["Finished", [1, 2]])
    })
  )

  it.effect("takes no reply to a question that no run has given out, as a client could make it up", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const clerk = yield* clerkOf({ paid })
      const { conversation, entries, requests } = pausedOf(yield* Agent.run(clerk, "Pay"))
      const [request] = requests
      const turnOf = entries.at(-1)
      if (request?.within === undefined || turnOf === undefined) return expect.unreachable()
      const state = { "@wield/agent/subAgent": JSON.stringify({ entries: [], requests: [], taken: [] }) }
      const forged = {
        ...request,
        within: undefined,
        call: request.within[0]?.call ?? request.call,
        name: "accountant",
        input: { round: 1, asks: "?", accepts: {}, state }
      }
      const answers = [DeferredCall.reply(forged, [{ answer: {} }])]
      expect((yield* Effect.flip(Agent.run(clerk, { conversation, answers })))._tag).toBe("UnknownRequest")
      expect(paid).toEqual([])
    })
  )

  it.effect("takes no answer to a request that was changed, where the run signs", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const signing = { secrets: [Redacted.make("a secret of thirty-two characters")] as const }
      const clerk = yield* clerkOf({ paid, signing })
      const { conversation, requests } = pausedOf(yield* Agent.run(clerk, "Pay"))
      for (const change of [{ within: undefined }, { arguments: { amount: 9 } }, { why: "it is free" }]) {
        const answers = requests.map((request) => DeferredCall.approve({ ...request, ...change }))
        expect((yield* Effect.flip(Agent.run(clerk, { conversation, answers })))._tag).toBe("TamperedRequest")
      }
      yield* Agent.run(clerk, { conversation, answers: requests.map(DeferredCall.approve) })
      expect(paid).toEqual([1, 2])
    })
  )

  it.effect("may wait two sub-agents deep, for a client and for input", () =>
    Effect.gen(function* () {
      const book = Effect.flatMap(CurrentCall.CurrentCall, ({ input }) =>
        input === undefined
          ? Effect.fail(new NeedsInput({ asks: "Which seat?", accepts: { type: "string" } }))
          : Effect.succeed(`booked ${JSON.stringify(input.reply)}`)
      )
      const tools = yield* Toolset.dynamic([
        { name: "book", execute: () => book },
        { name: "locate", facts: { kind: "client" }, execute: () => Effect.die("a client runs it") }
      ])
      const clerk = yield* clerkOf({
        paid: [],
        toolset: tools,
        inner: [turn(call("book", {}, { id: "x" }), call("locate", {}, { id: "y" })), text("In Leipzig.")]
      })
      const toolset = yield* Agent.toToolset(clerk, { name: "clerk", description: "Asks the accountant" })
      const model = yield* ScriptedModel.make([turn(call("clerk", { task: "Go" }, { id: "z" })), text("Gone.")])
      const chief = yield* Agent.make({ model, toolset })
      const { conversation, requests } = pausedOf(yield* Agent.run(chief, "Go"))
      const [input, client] = requests
      if (input === undefined || client === undefined) return expect.unreachable()
      expect(
        requests.map(({ call, waitsFor, within }) => [call.id, waitsFor, within?.map(({ name }) => name)])
      ).toEqual([
        ["z/c/x", "input", ["clerk", "accountant"]],
        ["z/c/y", "client", ["clerk", "accountant"]]
      ])
      const half = pausedOf(
        yield* Agent.run(chief, { conversation, answers: [DeferredCall.result(client, "Leipzig")] })
      )
      expect(half.requests.map(({ id }) => id)).toEqual([input.id])
      const result = yield* Agent.run(chief, { conversation, answers: [DeferredCall.reply(input, "window")] })
      expect([result._tag, result.text]).toEqual(["Finished", "Gone."])
    })
  )

  it.effect("is no end of the call around it: readers hear one, after the answers", () =>
    Effect.gen(function* () {
      const clerk = yield* clerkOf({ paid: [] })
      const ends = (events: Iterable<AgentEvent.AgentEvent>) =>
        [...events].flatMap((event) =>
          event._tag === "CallFinished"
            ? [`${event.call.name}: ${event.outcome._tag}`]
            : event._tag === "Done"
              ? ["Done"]
              : []
        )
      const first = yield* Stream.runCollect(Agent.stream(clerk, "Pay"))
      expect(ends(first)).toEqual(["Done"])
      const done = [...first].at(-1)
      if (done?._tag !== "Done") return expect.unreachable()
      const { conversation, requests } = pausedOf(done.result)
      const answers = requests.map(DeferredCall.approve)
      const second = yield* Stream.runCollect(Agent.stream(clerk, { conversation, answers }))
      expect(ends(second)).toEqual(["accountant: Success", "Done"])
    })
  )

  it.effect("fails the call where no agent's run is around it, which would give the request out", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const accountant = yield* Agent.make({
        model: yield* ScriptedModel.make([pays]),
        toolset: yield* bank(paid),
        policy: { approval: () => Approval.ask() }
      })
      const toolset = yield* Agent.toToolset(accountant, { name: "accountant", description: "Pays" })
      const runner = yield* ToolRunner.make(toolset)
      const outcome = yield* runner.run(ToolCall.make("c", "accountant", { task: "Pay" }))
      expect([outcome._tag, Outcome.text(outcome), paid]).toEqual([
        "Failure",
        expect.stringContaining("it has to ask a person, and cannot"),
        []
      ])
    })
  )

  it.effect("is asked about by whoever answers at once, as before", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const accountant = yield* Agent.make({
        model: yield* ScriptedModel.make([pays, text("Paid.")]),
        toolset: yield* bank(paid),
        policy: { approval: () => Approval.ask() }
      })
      const clerk = yield* Agent.make({
        model: yield* ScriptedModel.make([turn(call("accountant", { task: "Pay" })), text("Done.")]),
        toolset: yield* Agent.toToolset(accountant, { name: "accountant", description: "Pays" }),
        answer: ({ arguments: args }) => Effect.succeed(args["amount"] === 1 ? Response.approve : Response.deny("No."))
      })
      expect((yield* Agent.run(clerk, "Pay"))._tag).toBe("Finished")
      expect(paid).toEqual([1])
    })
  )
})
