import { Approval, Handler, NeedsInput, type Policy, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Cause, Effect, Exit, FastCheck, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { runs } from "../../../../test/sizes.js"

/** What the functions did, in their order. */
type Log = Array<string>

const tick = () => new Promise((resolve) => setImmediate(resolve))

const functions: { readonly [name: string]: (call: Handler.Call) => unknown } = {
  at_once: () => ({ done: true }),
  soon: async () => "soon",
  later: async () => {
    await tick()
    return ["later"]
  },
  nothing: async () => undefined,
  no_json: async () => ({ at: () => 1 }),
  fails: async () => {
    throw new Error("for the model")
  },
  crashes: () => {
    throw new TypeError("internal")
  },
  hangs: () => new Promise(() => {}),
  asks: ({ input }) => input?.reply ?? new NeedsInput({ asks: "Which?", accepts: { type: "string" } }),
  spreads: async (call) => {
    const { idempotencyKey, signal } = { ...call }
    return [idempotencyKey === call.idempotencyKey, signal.aborted]
  },
  pays: async () => "paid",
  in_order: async () => {
    await tick()
    return "in order"
  }
}

const failureOf = (thrown: unknown) => (thrown instanceof TypeError ? undefined : String(thrown))

const makeRun = (log: Log, policy: Rules) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const toolset = yield* Toolset.constant([
        ...Object.entries(functions).map(([name, execute]) => ({
          name,
          inputSchema: { type: "object", properties: { n: { type: "integer" } } },
          facts: { isSequential: name === "in_order" },
          execute: Handler.fromFunction((_, call) => {
            log.push(`${name} ${call.id}`)
            return execute(call)
          }, failureOf)
        })),
        { name: "by_effect", execute: () => Effect.delay(Effect.succeed("by effect"), 1) }
      ])
      const runner = yield* ToolRunner.make(toolset, policy)
      return runner.forRun({ id: "run_1" })
    })
  )

const hostOf = (
  signal?: AbortSignal
): { readonly host: ToolRunner.PromiseHost; readonly end: () => Promise<unknown> } => {
  const fiber = Effect.runFork(Effect.async<never>(() => {}))
  return {
    end: () => Effect.runPromise(Fiber.interrupt(fiber)),
    host: {
      fiber,
      run: async (effect) => {
        const exit = await Effect.runPromiseExit(effect, signal === undefined ? {} : { signal })
        if (Exit.isSuccess(exit)) return exit.value
        throw Cause.isInterruptedOnly(exit.cause) ? signal?.reason : Cause.squash(exit.cause)
      },
      onInterrupt: (interrupt) => {
        const hear = () => interrupt(signal?.reason)
        if (signal?.aborted === true) hear()
        else signal?.addEventListener("abort", hear, { once: true })
        return () => signal?.removeEventListener("abort", hear)
      }
    }
  }
}

type Rules = Policy.Policy<Toolset.DynamicTools>

const given: ReadonlyArray<Rules> = [
  {},
  {
    limits: { dynamic: { pays: { rate: { calls: 2, window: "1 hour" } }, later: { cache: { timeToLive: "1 hour" } } } }
  },
  { concurrency: 2, unknownArguments: "reject" },
  { approval: { pays: () => Approval.ask("money"), soon: () => Approval.deny("not now") }, repeatGuard: 2 },
  { approval: () => Effect.succeed(Approval.allow), limits: { dynamic: { later: { concurrency: 1 } } } }
]

const policies = given.map(({ limits, ...policy }): Rules => ({
  ...policy,
  limits: { dynamic: { ...limits?.dynamic, hangs: { timeout: "5 millis" } } }
}))

const call = FastCheck.tuple(
  FastCheck.constantFrom("call_1", "call_2", "call_3", "call_4"),
  FastCheck.constantFrom(...Object.keys(functions), "by_effect", "no_such_tool"),
  FastCheck.constantFrom<unknown>("{}", '{"n":1}', '{"n":"1"}', "{", {}, { n: 2 }, undefined)
).map(([id, name, sent]) => ToolCall.make(id, name, sent))

const turns = FastCheck.array(FastCheck.array(call, { maxLength: 4 }), { minLength: 1, maxLength: 4 })

type Settle = (calls: ReadonlyArray<ToolCall.ToolCall>) => Promise<ReadonlyArray<unknown>>

/** Everything that a program can tell of it, but for references, which are random. */
const told = async (settle: Settle, log: Log, given: ReadonlyArray<ReadonlyArray<ToolCall.ToolCall>>) => {
  const outcomes: Array<unknown> = []
  for (const calls of given) outcomes.push(await settle(calls))
  const text = JSON.stringify({ outcomes, log: log.toSorted() }, (key, value: unknown) =>
    key === "reference" || key === "cause" || key === "retryAfter" ? "…" : value
  )
  return text.replace(/reference \w+/g, "reference …")
}

describe("a run for a program that knows promises", () => {
  it("comes to the same as one of an effect, whatever is called under whatever policy", async () => {
    const program = FastCheck.asyncProperty(FastCheck.constantFrom(...policies), turns, async (policy, given) => {
      const [log, other]: [Log, Log] = [[], []]
      const [run, same] = await Promise.all([makeRun(log, policy), makeRun(other, policy)])
      const { end, host } = hostOf()
      const byPromise = ToolRunner.byPromise(run, host)
      const byEffect = (calls: ReadonlyArray<ToolCall.ToolCall>) => Effect.runPromise(same.settle(calls))
      expect(await told(byPromise.settle, log, given)).toBe(await told(byEffect, other, given))
      await end()
    })
    await FastCheck.assert(program, { numRuns: runs(1600) })
  })

  it("ends with its signal, whenever that comes: nothing begins after it, and what had begun hears of it", async () => {
    const program = FastCheck.asyncProperty(
      // Those that take a fiber end with it, a moment later.
      FastCheck.array(
        call.filter(({ name }) => name !== "in_order" && name !== "by_effect"),
        { minLength: 1, maxLength: 4 }
      ),
      FastCheck.nat(4),
      async (calls, after) => {
        const log: Log = []
        const run = await makeRun(log, {})
        const controller = new AbortController()
        const { end, host } = hostOf(controller.signal)
        let atEnd = 0
        const stop = async () => {
          for (let turn = 0; turn < after; turn++) await Promise.resolve()
          controller.abort("left")
          atEnd = log.length
        }
        const settled = ToolRunner.byPromise(run, host).settle(calls)
        const [outcome] = await Promise.allSettled([settled, stop()])
        await tick()
        expect(log).toHaveLength(atEnd)
        expect(outcome.status === "rejected" ? outcome.reason : outcome.value.length).toBe(
          outcome.status === "rejected" ? "left" : calls.length
        )
        await end()
      }
    )
    await FastCheck.assert(program, { numRuns: runs(1600) })
  })

  it("begins nothing once it is over", async () => {
    const log: Log = []
    const run = await makeRun(log, {})
    const { end, host } = hostOf(AbortSignal.abort("left"))
    const settled = ToolRunner.byPromise(run, host).settle([
      ToolCall.make("call_1", "pays", {}),
      ToolCall.make("call_2", "at_once", {})
    ])
    await expect(settled).rejects.toBe("left")
    expect(log).toEqual([])
    await end()
  })
})
