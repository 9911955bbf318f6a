import { Tool, Toolkit } from "@effect/ai"
import { expect, layer } from "@effect/vitest"
import { Agent, type AgentResult, DeferredCall, WithinCall } from "@wield/agent"
import { CodeMode, ProgramThreads } from "@wield/code-mode"
import { Approval, Facts, Journal, Outcome, type Policy, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Fiber, Option, Schema, Stream } from "effect"
import { readFileSync } from "node:fs"

const amount = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const

const tool = (effects: Array<string>, name: string): Toolset.DynamicTool => ({
  name,
  inputSchema: amount,
  execute: ({ n }) => Effect.sync(() => `${name} ${effects.push(`${name} ${String(n)}`) === 0 ? "" : String(n)}`)
})

const askToPay: Approval.Rule = ({ name }) => (name === "pay" ? Approval.ask("it costs") : Approval.allow)

interface Entry {
  readonly key: Journal.Key
  readonly ending: Journal.Ending
}

/** What a new process has: nothing but the journal. */
const processOf = (journal: Journal.Service, tools: ReadonlyArray<Toolset.DynamicTool>, approval = askToPay) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic(tools)
    const programs = yield* CodeMode.make(toolset, { policy: { journal, approval } })
    return goingOn(yield* ToolRunner.make(programs, { journal }))
  })

const Kit = Toolkit.make(
  Tool.make("pick", { parameters: { n: Schema.Number }, success: Schema.String }).pipe(Facts.client)
)
const ofClient = Toolset.fromLayer(Kit, Kit.toLayer({}))

const goingOn = (runner: ToolRunner.Runner<Toolset.DynamicTools, never, never>) => {
  const run = runner.forRun({ id: "run" })
  return {
    begin: (code: string) => run.run(ToolCall.make("p", "run_program", { code })),
    answer: (waiting: Outcome.Outcome, ...answers: ReadonlyArray<DeferredCall.Answer>) =>
      Effect.gen(function* () {
        // The definition of the tool has the tools, which may be others by now.
        const { call } = deferredOf(waiting)
        const deferred = (yield* run.asks(call)) ?? deferredOf(waiting)
        const reply = yield* WithinCall.replyTo(deferred, answers)
        return reply === undefined ? waiting : yield* run.resume(deferred, reply)
      })
  }
}

const deferredOf = (outcome: Outcome.Outcome): Outcome.Deferred => {
  if (!Outcome.isDeferred(outcome)) throw new Error(`The call ended: ${Outcome.text(outcome)}`)
  return outcome
}

const requestsOf = (outcome: Outcome.Outcome): ReadonlyArray<DeferredCall.DeferredCall> =>
  WithinCall.requestsIn(deferredOf(outcome)) ?? []

const requestFor = (outcome: Outcome.Outcome, n: number): DeferredCall.DeferredCall => {
  const found = requestsOf(outcome).find((request) => request.arguments.n === n)
  if (found === undefined) throw new Error(`No request for ${n}`)
  return found
}

const waits = (outcome: Outcome.Outcome) => requestsOf(outcome).map(({ arguments: { n } }) => n)

const valueOf = (outcome: Outcome.Outcome): unknown =>
  outcome._tag === "Success" ? outcome.result : Outcome.text(outcome)

/** Two payments beside two readings, then one more of each. */
const code = `
const first = await Promise.all([tools.read({ n: 1 }), tools.pay({ n: 2 }), tools.read({ n: 3 }), tools.pay({ n: 4 })]
  .map((one) => one.catch((error: ToolError) => error.outcome)))
const last = await tools.pay({ n: 5 })
return [...first, last, await tools.read({ n: 6 })]`

const all = ["read 1", "pay 2", "read 3", "pay 4", "pay 5", "read 6"]

layer(ProgramThreads.layer)("a program that waits", (it) => {
  it.scoped("goes on in other processes, with approvals in any order, and does everything once", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const effects: Array<string> = []
      const tools = [tool(effects, "read"), tool(effects, "pay")]
      const first = yield* (yield* processOf(journal, tools)).begin(code)
      expect(requestsOf(first)).toMatchObject([
        { name: "pay", why: "it costs", call: { id: "p/1" }, within: [{ name: "run_program" }] },
        { name: "pay", arguments: { n: 4 }, call: { id: "p/3" } }
      ])
      expect(effects).toEqual(["read 1", "read 3"])
      // The later one first, in another process.
      const approval = DeferredCall.approve(requestFor(first, 4))
      const half = yield* (yield* processOf(journal, tools)).answer(first, approval)
      expect(waits(half)).toEqual([2])
      expect(effects).toEqual(["read 1", "read 3", "pay 4"])
      // The same approval comes again, alone and beside another.
      const { answer } = yield* processOf(journal, tools)
      expect(yield* answer(half, approval)).toBe(half)
      const next = yield* answer(half, approval, DeferredCall.approve(requestFor(half, 2)))
      expect(waits(next)).toEqual([5])
      const end = yield* (yield* processOf(journal, tools)).answer(next, DeferredCall.approve(requestFor(next, 5)))
      expect(valueOf(end)).toEqual(all)
      expect(effects).toEqual(["read 1", "read 3", "pay 4", "pay 2", "pay 5", "read 6"])
    })
  )

  it.scoped.each(["a journal", "no journal"])("counts what its client carries out once, over passes with %s", (kind) =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const limits = { default: { rate: { calls: 2, window: "1 hour" } } } as const
      const programs = yield* CodeMode.make(yield* ofClient, {
        policy: kind === "a journal" ? { journal, limits } : { limits }
      })
      const { answer, begin } = goingOn(yield* ToolRunner.make(programs, { journal }))
      const pick = (n: number) => `tools.pick({ n: ${n} }).catch((error: ToolError) => error.outcome)`
      const first = yield* begin(`return [...await Promise.all([${pick(1)}, ${pick(2)}]), await ${pick(3)}]`)
      expect(waits(first)).toEqual([1, 2])
      const half = yield* answer(first, DeferredCall.result(requestFor(first, 2), "two"))
      expect(waits(half)).toEqual([1])
      const end = yield* answer(half, DeferredCall.result(requestFor(half, 1), "one"))
      expect(valueOf(end)).toEqual(["one", "two", "Limited"])
    })
  )

  it.scoped("that ends before its client has answered all says so, and not that nothing was run", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const programs = yield* CodeMode.make(yield* ofClient, { policy: { journal } })
      const { answer, begin } = goingOn(yield* ToolRunner.make(programs, { journal }))
      const first = yield* begin("return await Promise.race([tools.pick({ n: 1 }), tools.pick({ n: 2 })])")
      const end = yield* answer(first, DeferredCall.result(requestFor(first, 2), "two"))
      expect(valueOf(end)).toContain("pick waited for an answer and may have taken effect in part")
    })
  )

  it.scoped(
    "goes on with what release 0.1.0 has recorded, and refuses the record of a version that it does not know",
    () =>
      Effect.gen(function* () {
        const effects: Array<string> = []
        const goOn = (entries: string) =>
          Effect.gen(function* () {
            const journal = yield* Journal.memory
            // As the fixture was written.
            for (const { ending, key } of JSON.parse(entries) as ReadonlyArray<Entry>)
              yield* journal.finish(key, ending)
            const { answer, begin } = yield* processOf(journal, [tool(effects, "read"), tool(effects, "pay")])
            const waiting = yield* begin(code)
            return yield* answer(waiting, DeferredCall.approve(requestFor(waiting, 2)))
          })
        const recorded = readFileSync(new URL("./records/0.1.0.json", import.meta.url), "utf8")
        expect(waits(yield* goOn(recorded))).toEqual([4])
        expect(effects).toEqual(["pay 2"])
        const refused = yield* goOn(recorded.replace('"version": 1', '"version": 2'))
        expect(valueOf(refused)).toMatch(/was begun by another version, so it was not gone on with. Nothing was run/)
        expect(effects).toEqual(["pay 2"])
      })
  )

  const unreadable = /record of this program cannot be read, so it was not gone on with. Nothing was run/
  const otherWay = /went another way than before .*, so it was not gone on with. Nothing more was run/
  it.scoped.each<readonly [part: string, other: string, message: RegExp]>([
    ['"json":"\\"read 3\\""', '"json":"\\"read"', unreadable],
    ['"at":0', '"at":0.5', unreadable],
    ['"at":0', '"at":"1970"', unreadable],
    ['"started":0', '"started":1e999', unreadable],
    ['{"_tag":"Success","encoded":[{"number":2', '{"_tag":"Failure","encoded":[{"number":2', unreadable],
    ['"number":2,"at"', '"number":-2,"at"', unreadable],
    ['"number":2,"at"', '"number":1,"at"', otherWay],
    ['"number":2,"at"', '"number":99,"at"', otherWay],
    ['"number":2,"at"', '"number":0,"at"', otherWay]
  ])("runs nothing where its record has, for %s, %s", ([part, other, message]) =>
    Effect.gen(function* () {
      const effects: Array<string> = []
      const file = readFileSync(new URL("./records/0.1.0.json", import.meta.url), "utf8")
      const recorded = JSON.stringify(JSON.parse(file))
      expect(recorded).toContain(part)
      const journal = yield* Journal.memory
      // As the fixture was written, but for one part.
      const entries = JSON.parse(recorded.replace(part, () => other)) as ReadonlyArray<Entry>
      for (const { ending, key } of entries) yield* journal.finish(key, ending)
      const { answer, begin } = yield* processOf(journal, [tool(effects, "read"), tool(effects, "pay")])
      const waiting = yield* begin(code)
      expect(valueOf(yield* answer(waiting, DeferredCall.approve(requestFor(waiting, 2))))).toMatch(message)
      expect(effects).toEqual([])
    })
  )

  it.scoped("is not gone on with where a journal knows of its record, and not what it was", () =>
    Effect.gen(function* () {
      const effects: Array<string> = []
      const memory = yield* Journal.memory
      const { begin } = yield* processOf(memory, [tool(effects, "read"), tool(effects, "pay")])
      const waiting = yield* begin(code)
      const cutOff: Journal.Service = {
        ...memory,
        look: (key) => (key.call.startsWith("program:") ? Effect.succeed({ _tag: "Interrupted" }) : memory.look(key))
      }
      const { answer } = yield* processOf(cutOff, [tool(effects, "read"), tool(effects, "pay")])
      const approved = yield* answer(waiting, DeferredCall.approve(requestFor(waiting, 2)))
      expect(valueOf(approved)).toMatch(unreadable)
      expect(effects).toEqual(["read 1", "read 3"])
    })
  )

  it.scoped("can still be answered after an answer to something else that was shown", () =>
    Effect.gen(function* () {
      const effects: Array<string> = []
      const { answer, begin } = yield* processOf(yield* Journal.memory, [tool(effects, "pay")])
      const first = yield* begin("return await tools.pay({ n: 1 })")
      const request = requestFor(first, 1)
      for (const wrong of [
        { ...request, arguments: { n: 9 } },
        { ...request, call: { ...request.call, arguments: { n: 9 } } }
      ]) {
        expect(waits(yield* answer(first, DeferredCall.approve(wrong)))).toEqual([1])
        expect(effects).toEqual([])
      }
      expect(valueOf(yield* answer(first, DeferredCall.approve(request)))).toBe("pay 1")
    })
  )

  it.scoped("catches a denial, which cancels nothing beside it", () =>
    Effect.gen(function* () {
      const effects: Array<string> = []
      const { answer, begin } = yield* processOf(yield* Journal.memory, [tool(effects, "read"), tool(effects, "pay")])
      const first = yield* begin(code)
      const next = yield* answer(
        first,
        DeferredCall.deny(requestFor(first, 2), "too much"),
        DeferredCall.approve(requestFor(first, 4))
      )
      expect(waits(next)).toEqual([5])
      const end = yield* answer(next, DeferredCall.deny(requestFor(next, 5), "no more"))
      expect(valueOf(end)).toMatch(/denied and not run: no more/)
      expect(effects).toEqual(["read 1", "read 3", "pay 4"])
    })
  )

  it.scoped("runs a call with the arguments that a person put in place of the program's", () =>
    Effect.gen(function* () {
      const effects: Array<string> = []
      const { answer, begin } = yield* processOf(yield* Journal.memory, [tool(effects, "pay")])
      const first = yield* begin("return await tools.pay({ n: 1 })")
      const end = yield* answer(first, DeferredCall.approveWith(requestFor(first, 1), { n: 9 }))
      expect(valueOf(end)).toBe("pay 9")
    })
  )

  it.scoped("runs no call past an edit that does not fit, nor past a no, where its rule allows it by now", () =>
    Effect.gen(function* () {
      const effects: Array<string> = []
      const journal = yield* Journal.memory
      const tools = [tool(effects, "pay")]
      const text = "return await tools.pay({ n: 1 }).catch((error) => error.outcome)"
      const first = yield* (yield* processOf(journal, tools)).begin(text)
      const { answer } = yield* processOf(journal, tools, () => Approval.allow)
      const again = yield* answer(first, DeferredCall.approveWith(requestFor(first, 1), { n: "nine" }))
      expect(waits(again)).toEqual([1])
      expect(valueOf(yield* answer(again, DeferredCall.deny(requestFor(again, 1), "no")))).toBe("Denied")
      expect(effects).toEqual([])
    })
  )

  it.scoped("goes on where tools were added", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const effects: Array<string> = []
      const tools = [tool(effects, "pay")]
      const first = yield* (yield* processOf(journal, tools)).begin("return await tools.pay({ n: 1 })")
      const { answer } = yield* processOf(journal, [tool(effects, "another"), ...tools])
      expect(valueOf(yield* answer(first, DeferredCall.approve(requestFor(first, 1))))).toBe("pay 1")
    })
  )

  it.scoped("writes down who answered which of its calls", () =>
    Effect.gen(function* () {
      const inner = yield* Journal.memory
      const begun: Array<readonly [string, string | undefined]> = []
      const journal: Journal.Service = {
        ...inner,
        begin: (key, name) =>
          Effect.zipRight(
            Effect.map(Journal.AnsweredBy, (who) => begun.push([name, who])),
            inner.begin(key, name)
          )
      }
      const tools = yield* Toolset.dynamic([tool([], "read"), tool([], "pay")])
      const toolset = yield* CodeMode.make(tools, { policy: { journal, approval: askToPay } })
      const code = "await tools.pay({ n: 1 }); return await tools.read({ n: 2 })"
      const model = yield* ScriptedModel.make([
        ScriptedModel.call("run_program", { code }),
        ScriptedModel.text("Done.")
      ])
      const agent = yield* Agent.make({ model, toolset, policy: { journal } })
      const paused = yield* Agent.run(agent, "Pay, and look")
      const [request] = paused._tag === "Paused" ? paused.requests : []
      if (request === undefined) return expect.unreachable()
      const answers = [DeferredCall.withBy(DeferredCall.approve(request), { who: "ada", way: "page" })]
      expect((yield* Agent.run(agent, { conversation: paused.conversation, answers }))._tag).toBe("Finished")
      expect(begun).toContainEqual(["pay", "ada (page)"])
      expect(begun).toContainEqual(["read", undefined])
    })
  )

  it.scoped("reads of a tool that was removed, and keeps what it had of it", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const effects: Array<string> = []
      const text = `const before = await tools.read({ n: 1 })
        const paid = await tools.pay({ n: 2 })
        return [before, paid, await tools.read({ n: 3 }).catch((error) => error.outcome)]`
      const first = yield* (yield* processOf(journal, [tool(effects, "read"), tool(effects, "pay")])).begin(text)
      const { answer } = yield* processOf(journal, [tool(effects, "pay")])
      const end = yield* answer(first, DeferredCall.approve(requestFor(first, 2)))
      expect(valueOf(end)).toEqual(["read 1", "pay 2", "Unavailable"])
    })
  )

  it.scoped("asks again about a call whose tool has changed, and does not run it", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const effects: Array<string> = []
      const first = yield* (yield* processOf(journal, [tool(effects, "pay")])).begin(
        "return await tools.pay({ n: 1 }).catch((error) => error.outcome)"
      )
      const changed = { ...tool(effects, "pay"), description: "Pays in another currency" }
      const { answer } = yield* processOf(journal, [changed])
      const again = yield* answer(first, DeferredCall.approve(requestFor(first, 1)))
      expect(waits(again)).toEqual([1])
      expect(effects).toEqual([])
      const strict = {
        ...changed,
        inputSchema: { type: "object", properties: { m: { type: "string" } }, required: ["m"] } as const
      }
      const last = yield* processOf(journal, [strict])
      expect(valueOf(yield* last.answer(again, DeferredCall.approve(requestFor(again, 1))))).toBe("InvalidArguments")
      expect(effects).toEqual([])
    })
  )

  it.scoped("is not gone on with where its record is missing", () =>
    Effect.gen(function* () {
      const outer = yield* Journal.memory
      const effects: Array<string> = []
      const run = (inner: Journal.Service) =>
        Effect.gen(function* () {
          const toolset = yield* Toolset.dynamic([tool(effects, "read"), tool(effects, "pay")])
          const programs = yield* CodeMode.make(toolset, { policy: { journal: inner, approval: askToPay } })
          return (yield* ToolRunner.make(programs, { journal: outer })).forRun({ id: "run" })
        })
      const begun = yield* run(yield* Journal.memory)
      const first = yield* begun.run(
        ToolCall.make("p", "run_program", { code: "await tools.read({ n: 1 }); return await tools.pay({ n: 2 })" })
      )
      const reply = yield* WithinCall.replyTo(deferredOf(first), [DeferredCall.approve(requestFor(first, 2))])
      const lost = yield* run(yield* Journal.memory)
      const end = yield* lost.resume(deferredOf(first), reply ?? Response.approve)
      expect(valueOf(end)).toMatch(/no record of what this program has done/)
      expect(effects).toEqual(["read 1"])
    })
  )

  it.scoped(
    "says that a call is uncertain which was begun and whose end is not recorded, and never runs it again",
    () =>
      Effect.gen(function* () {
        const memory = yield* Journal.memory
        const effects: Array<string> = []
        const hasBegun = yield* Deferred.make<void>()
        const slow: Toolset.DynamicTool = {
          ...tool(effects, "read"),
          execute: () =>
            Effect.sync(() => effects.push("read")).pipe(
              Effect.zipRight(Deferred.succeed(hasBegun, undefined)),
              Effect.zipRight(Effect.never)
            )
        }
        const text = "return [await tools.read({ n: 1 }).catch((error) => error.outcome), Math.random(), Date.now()]"
        // The process ends while the tool runs: nothing more of it is written down.
        let isDead = false
        const dying: Journal.Service = {
          ...memory,
          finish: (key, ending) => (isDead ? Effect.void : memory.finish(key, ending)),
          interrupt: (key) => (isDead ? Effect.void : memory.interrupt(key))
        }
        const fiber = yield* Effect.fork((yield* processOf(dying, [slow])).begin(text))
        yield* Deferred.await(hasBegun)
        isDead = true
        yield* Fiber.interrupt(fiber)
        const end = yield* (yield* processOf(memory, [slow])).begin(text)
        expect(valueOf(end)).toMatchObject(["Uncertain", expect.any(Number), expect.any(Number)])
        expect(effects).toEqual(["read"])
      })
  )

  it.scoped("is refused, before anything runs, where its text is not the one that was begun", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const effects: Array<string> = []
      const toolset = yield* Toolset.dynamic([tool(effects, "read"), tool(effects, "pay")])
      const programs = yield* CodeMode.make(toolset, { policy: { journal, approval: askToPay } })
      // The call itself is approved first, with another text the second time.
      const policy: Policy.Policy = { approval: () => Approval.ask("a program") }
      const run = Effect.map(ToolRunner.make(programs, policy), (runner) => runner.forRun({ id: "run" }))
      const begun = yield* run
      const asked = deferredOf(
        yield* begun.run(ToolCall.make("p", "run_program", { code: "return await tools.pay({ n: 1 })" }))
      )
      expect(Outcome.isDeferred(yield* begun.resume(asked, Response.approve))).toBe(true)
      const other = Response.approveWith({ code: "return await tools.read({ n: 1 })" })
      const end = yield* (yield* run).resume(asked, other)
      expect(valueOf(end)).toMatch(/not the one that was begun/)
      expect(effects).toEqual([])
    })
  )
})

const pausedOf = <E>(result: AgentResult.AgentResult<unknown, E>) => {
  if (result._tag !== "Paused") throw new Error(`The run is ${result._tag}`)
  return result
}

layer(ProgramThreads.layer)("an agent with code mode", (it) => {
  it.scoped("pauses for what its program asks, and goes on by its answers", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const effects: Array<string> = []
      const toolset = yield* Toolset.dynamic([tool(effects, "read"), tool(effects, "pay")])
      const programs = yield* CodeMode.make(toolset, { policy: { journal, approval: askToPay } })
      const model = yield* ScriptedModel.make([
        ScriptedModel.call("run_program", { code }, { id: "p" }),
        ScriptedModel.text("Done.")
      ])
      const agent = yield* Agent.make({ model, toolset: programs, policy: { journal } })
      const { conversation, requests } = pausedOf(yield* Agent.run(agent, "Pay"))
      const [two, four] = requests
      if (two === undefined || four === undefined) throw new Error("two are asked for")
      const half = pausedOf(yield* Agent.run(agent, { conversation, answers: [DeferredCall.approve(four)] }))
      expect(half.requests.map(({ arguments: { n } }) => n)).toEqual([2])
      const next = pausedOf(
        yield* Agent.run(agent, { conversation, answers: half.requests.map((one) => DeferredCall.deny(one, "no")) })
      )
      const end = yield* Agent.run(agent, { conversation, answers: next.requests.map(DeferredCall.approve) })
      expect(end.text).toBe("Done.")
      expect(effects).toEqual(["read 1", "read 3", "pay 4", "pay 5", "read 6"])
    })
  )

  it.scoped("tells what its program calls, as the progress of the program's call", () =>
    Effect.gen(function* () {
      const programs = yield* CodeMode.make(yield* Toolset.dynamic([tool([], "read"), tool([], "pay")]), {
        policy: { approval: askToPay }
      })
      const code = "await tools.read({ n: 1 })\nreturn await tools.pay({ n: 2 })"
      const model = yield* ScriptedModel.make([
        ScriptedModel.call("run_program", { code }),
        ScriptedModel.text("Done.")
      ])
      const agent = yield* Agent.make({ model, toolset: programs })
      const heard: Array<string> = []
      const listen = (input: Agent.Input<unknown>) =>
        Agent.stream(agent, input).pipe(
          Stream.tap((event) =>
            Effect.sync(() => {
              if (event._tag !== "CallProgress") return
              const { _tag, call, outcome } = JSON.parse(JSON.stringify(event.value))
              heard.push([_tag, call.name, outcome?._tag].join(" ").trim())
            })
          ),
          Stream.runLast
        )
      const paused = Option.getOrThrow(yield* listen({ prompt: "Pay" }))
      expect(heard).toEqual(["CallStarted read", "CallFinished read Success", "CallFinished pay Deferred"])
      if (paused._tag !== "Done") throw new Error("The run is not over")
      const { conversation, requests } = pausedOf(paused.result)
      yield* listen({ conversation, answers: requests.map(DeferredCall.approve) })
      expect(heard.slice(3)).toEqual(["CallStarted pay", "CallFinished pay Success"])
    })
  )

  it.scoped("asks a person at once where the agent has one", () =>
    Effect.gen(function* () {
      const effects: Array<string> = []
      const programs = yield* CodeMode.make(yield* Toolset.dynamic([tool(effects, "read"), tool(effects, "pay")]), {
        policy: { approval: askToPay }
      })
      const model = yield* ScriptedModel.make([
        ScriptedModel.call("run_program", { code }, { id: "p" }),
        ScriptedModel.text("Done.")
      ])
      const answer = ({ arguments: { n } }: DeferredCall.DeferredCall) =>
        Effect.succeed(n === 2 ? Response.deny("no") : Response.approve)
      const agent = yield* Agent.make({ model, toolset: programs, answer })
      expect((yield* Agent.run(agent, "Pay")).text).toBe("Done.")
      expect(effects.toSorted()).toEqual(["pay 4", "pay 5", "read 1", "read 3", "read 6"])
    })
  )
})
