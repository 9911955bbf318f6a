/** The same programs in code mode of Wield and of the AI SDK: what each comes to, and what has happened by then. */
import {
  experimental_continueCodeModeInterrupt,
  experimental_runCodeMode,
  type CodeModeInterrupt
} from "@ai-sdk/code-mode"
import { DeferredCall, WithinCall } from "@wield/agent"
import { CodeMode, ProgramThreads } from "@wield/code-mode"
import { Approval, Journal, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { tool } from "ai"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { afterAll, describe, expect, it } from "vitest"
import { z } from "zod"

/** What a program came to: what it waits for, its value, or an error. */
type Ended = { readonly waits: ReadonlyArray<number> } | { readonly value: unknown } | { readonly error: string }

interface Program {
  readonly begin: () => Promise<Ended>
  /** The same call, by a process that knows nothing but what was kept. */
  readonly beginAgain: () => Promise<Ended>
  /** Answers all that waits, in turn. */
  readonly answer: (approvals: ReadonlyArray<boolean>) => Promise<Ended>
  /** The same answers, to what waited then. */
  readonly answerAgain: () => Promise<Ended>
}

interface Effects {
  readonly effects: ReadonlyArray<string>
}

const scope = Effect.runSync(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const threads = Effect.runSync(Effect.cached(Layer.build(ProgramThreads.layer).pipe(Scope.extend(scope))))

const wield = async (code: string, limit: number): Promise<Program & Effects> => {
  const effects: Array<string> = []
  const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const
  const effect = (name: string): Toolset.DynamicTool => ({
    name,
    inputSchema,
    execute: ({ n }) => Effect.sync(() => (effects.push(`${name} ${String(n)}`), n))
  })
  const failing: Toolset.DynamicTool = { name: "fail", execute: () => Effect.die(new Error("password is x")) }
  const journal = Effect.runSync(Journal.memory)
  const processOf = () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const tools = yield* Toolset.dynamic([effect("read"), effect("pay"), effect("then"), failing])
        const programs = yield* CodeMode.make(tools, {
          limits: { time: limit },
          policy: { journal, approval: ({ name }) => (name === "pay" ? Approval.ask("it costs") : Approval.allow) }
        })
        return (yield* ToolRunner.make(programs, { journal })).forRun({ id: "run" })
      }).pipe(Scope.extend(scope), (run) => Effect.flatMap(threads, (known) => Effect.provide(run, known)))
    )
  const call = ToolCall.make("p", "run_program", { code })
  const run = await processOf()
  let waiting: Outcome.Outcome | undefined
  let answerAgain = () => Promise.reject<Ended>(new Error("nothing was answered"))
  const endedOf = (outcome: Outcome.Outcome): Ended => {
    waiting = outcome
    if (Outcome.isDeferred(outcome)) {
      return { waits: (WithinCall.requestsIn(outcome) ?? []).map(({ arguments: { n } }) => Number(n)) }
    }
    return outcome._tag === "Success" ? { value: outcome.result } : { error: Outcome.text(outcome) ?? "" }
  }
  return {
    effects,
    begin: () => Effect.runPromise(run.run(call)).then(endedOf),
    beginAgain: async () => endedOf(await Effect.runPromise((await processOf()).run(call))),
    answer: (approvals) => {
      const deferred = waiting
      if (deferred === undefined || !Outcome.isDeferred(deferred)) throw new Error("nothing waits")
      const answers = (WithinCall.requestsIn(deferred) ?? []).map((request, index) =>
        approvals[index] === true ? DeferredCall.approve(request) : DeferredCall.deny(request, "no")
      )
      const answered = Effect.gen(function* () {
        const reply = yield* WithinCall.replyTo(deferred, answers)
        return reply === undefined ? deferred : yield* run.resume(deferred, reply)
      })
      answerAgain = () => Effect.runPromise(answered).then(endedOf)
      return answerAgain()
    },
    answerAgain: () => answerAgain()
  }
}

const aiSdk = async (js: string, limit: number): Promise<Program & Effects> => {
  const effects: Array<string> = []
  const inputSchema = z.object({ n: z.number() })
  const effect = (name: string, needsApproval = false) =>
    tool({ inputSchema, needsApproval, execute: ({ n }) => (effects.push(`${name} ${n}`), n) })
  const failing = tool({
    inputSchema: z.object({}),
    execute: (): string => {
      throw new Error("password is x")
    }
  })
  const tools = { read: effect("read"), pay: effect("pay", true), then: effect("then"), fail: failing }
  const options = { executionPolicy: { timeoutMs: limit }, approval: { mode: "interrupt" } } as const
  let waiting: unknown
  let answerAgain = () => Promise.reject<Ended>(new Error("nothing was answered"))
  const endedOf = (work: () => Promise<unknown>): Promise<Ended> =>
    work().then(
      (value) => {
        waiting = value
        return isInterrupt(value) ? { waits: pendingOf(value) } : { value }
      },
      (error: unknown) => ({ error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
    )
  const begin = () => endedOf(() => experimental_runCodeMode({ js, tools, options }))
  return {
    effects,
    begin,
    beginAgain: begin,
    answer: (approvals) => {
      const first = waiting
      if (!isInterrupt(first)) throw new Error("nothing waits")
      answerAgain = () =>
        endedOf(async () => {
          let at: unknown = first
          for (const approved of approvals) {
            if (!isInterrupt(at)) return at
            const resolution = { approved, reason: "no" }
            at = await experimental_continueCodeModeInterrupt({ interrupt: at, resolution, tools, options })
          }
          return at
        })
      return answerAgain()
    },
    answerAgain: () => answerAgain()
  }
}

const isInterrupt = (value: unknown): value is CodeModeInterrupt =>
  typeof value === "object" && value !== null && Reflect.get(value, "type") === "code-mode-interrupt"

const pendingOf = ({ continuation }: CodeModeInterrupt) =>
  continuation.pendingInterruptions.map((pending) => Number(/"n":(\d+)/.exec(JSON.stringify(pending))?.[1]))

/** What is done with a program, and what it comes to each time, with all effects that there were by then. */
interface Case {
  readonly title: string
  readonly code: string
  readonly steps?: ReadonlyArray<Exclude<keyof Program, "answer"> | ReadonlyArray<boolean>>
  readonly wield: Came
  readonly aiSdk: Came
}

interface Came {
  readonly ended: ReadonlyArray<Ended>
  readonly effects: ReadonlyArray<string>
}

const came = (ended: Ended | ReadonlyArray<Ended>, ...effects: ReadonlyArray<string>): Came => ({
  ended: [ended].flat(),
  effects
})

const error = (part: string): Ended => ({ error: expect.stringContaining(part) })

const both = (...given: Parameters<typeof came>) => ({ wield: came(...given), aiSdk: came(...given) })

const cases: ReadonlyArray<Case> = [
  {
    title: "calls at once",
    code: "return await Promise.all([1, 2].map((n) => tools.read({ n })))",
    ...both({ value: [1, 2] }, "read 1", "read 2")
  },
  {
    title: "two approvals at once",
    code: "return await Promise.all([tools.pay({ n: 1 }), tools.read({ n: 2 }), tools.pay({ n: 3 })])",
    steps: ["begin", [true, true]],
    ...both([{ waits: [1, 3] }, { value: [1, 2, 3] }], "read 2", "pay 1", "pay 3")
  },
  {
    title: "a denial that the program catches, beside an approval",
    code: "return await Promise.all([1, 2].map((n) => tools.pay({ n }).catch(() => 'no')))",
    steps: ["begin", [false, true]],
    wield: came([{ waits: [1, 2] }, { value: ["no", 2] }], "pay 2"),
    aiSdk: came([{ waits: [1, 2] }, error("approval was denied")])
  },
  {
    title: "the same approval twice",
    code: "return await tools.pay({ n: 1 })",
    steps: ["begin", [true], "answerAgain"],
    wield: came([{ waits: [1] }, { value: 1 }, { value: 1 }], "pay 1"),
    aiSdk: came([{ waits: [1] }, { value: 1 }, { value: 1 }], "pay 1", "pay 1")
  },
  {
    title: "another process, that is given the same call",
    code: "await tools.read({ n: 1 })\nreturn await tools.pay({ n: 2 })",
    steps: ["begin", "beginAgain"],
    wield: came([{ waits: [2] }, { waits: [2] }], "read 1"),
    aiSdk: came([{ waits: [2] }, { waits: [2] }], "read 1", "read 1")
  },
  {
    title: "a loop that catches",
    code: "while (true) { try { while (true) {} } catch {} }",
    wield: came(error("met the limit time: 1000 ms")),
    aiSdk: came(error("timed out after 1000ms"))
  },
  {
    title: "a wrong type in a second call",
    code: "await tools.read({ n: 1 })\nreturn await tools.read({ n: 'two' })",
    wield: came(error('"line":2')),
    aiSdk: came(error("expected number, received string"), "read 1")
  },
  {
    title: "a secret in a tool's error",
    code: "return await tools.fail({})",
    wield: came(error("The tool fail failed internally")),
    aiSdk: came(error("Host tool failed"))
  },
  {
    title: "a call without await",
    code: "tools.pay({ n: 1 })\nreturn 1",
    wield: came(error("calls that it had not awaited: pay")),
    aiSdk: came(error("unawaited hostFunction bridge request"))
  },
  { title: "throwing null", code: "throw null", wield: came(error("threw null")), aiSdk: came(error("null")) },
  { title: "a tool named then", code: "return await tools.then({ n: 1 })", ...both({ value: 1 }, "then 1") }
]

const drivers = { wield, aiSdk }

describe.each(["wield", "aiSdk"] as const)("%s", (driver) => {
  it.each(cases)("$title", async ({ code, steps = ["begin"], ...expected }) => {
    const program = await drivers[driver](code, code.startsWith("while") ? 1_000 : 60_000)
    const ended: Array<Ended> = []
    for (const step of steps) {
      ended.push(await (typeof step === "string" ? program[step]() : program.answer(step)))
    }
    expect({ ended, effects: program.effects }).toEqual(expected[driver])
  })
})
