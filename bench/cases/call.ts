/** One tool call, whole: JSON text in, JSON text out. */
import * as Effect from "effect/Effect"
import {
  asynchronous,
  assertEqual,
  batched,
  type Contender,
  keep,
  measure,
  type MeasureOptions,
  standard,
  synchronous
} from "../harness/measure.js"
import { type Goal, type Group, type Measured, rowOf, times, timingTable, type TimingTable } from "../harness/table.js"
import { aiSdkCalls } from "../peers/aiSdk.js"
import { ajvCalls, inAndOut, limit } from "../peers/ajv.js"
import { bridge, bridgedCalls, effect4Calls, own } from "../peers/effect4.js"
import { effectAiCalls } from "../peers/effectAi.js"
import { langchainCalls } from "../peers/langchain.js"
import { mastraCalls } from "../peers/mastra.js"
import { mcpCalls } from "../peers/mcp.js"
import { openAiAgentsCalls } from "../peers/openAiAgents.js"
import { type Call, oneByOne, together } from "../peers/peer.js"
import { batchOf, callsPerRun, everythingOn, inOneFiber, makeRunner, off, wieldCalls } from "../peers/wield.js"
import { promiseCalls } from "../peers/wieldPromises.js"
import { zodCalls } from "../peers/zod.js"
import { largeResult, longText, manyObjects, type Parameters, type Result, small, type Task } from "../task/orders.js"

const librariesOf = async (task: Task): Promise<ReadonlyArray<Call>> => [
  ...effectAiCalls(task),
  ...(await effect4Calls(task)),
  ...aiSdkCalls(task),
  ...langchainCalls(task),
  ...mastraCalls(task),
  ...openAiAgentsCalls(task),
  ...(await mcpCalls(task))
]

const peersOf = async (task: Task): Promise<ReadonlyArray<Call>> => [
  ...ajvCalls(task),
  ...zodCalls(task),
  ...(await librariesOf(task))
]

const defaultRunner = (task: Task) => makeRunner((parameters) => Effect.succeed(task.handle(parameters)))

const table = async (
  title: string,
  contenders: ReadonlyArray<Contender>,
  task: Task,
  options: MeasureOptions = standard
): Promise<TimingTable> => {
  await assertEqual(contenders, task.expected)
  return timingTable(title, await measure(contenders, options), limit)
}

const ratioOf = (measured: TimingTable, name: string): number => rowOf(measured, name).ratio ?? Number.NaN

/** The libraries, which do more than validate: Wield has to be below each. */
const isLibrary = (name: string): boolean =>
  /^(@effect\/ai|Effect 4|AI SDK|LangChain|Mastra|OpenAI Agents|MCP SDK)/.test(name)

const fastestLibrary = (measured: TimingTable): { readonly name: string; readonly ratio: number } =>
  measured.rows
    .filter(({ name }) => isLibrary(name))
    .map(({ name, ratio }) => ({ name, ratio: ratio ?? Number.NaN }))
    .reduce((left, right) => (right.ratio < left.ratio ? right : left))

/** The limit again, as an effect: what is over it here is no pipeline's doing. */
const limitAsEffect = (task: Task): ReadonlyArray<Contender> => {
  const call = Effect.sync(() => inAndOut(task.handle, task.arguments))
  return [
    synchronous(`${limit} as an effect: runSync each`, () => Effect.runSync(call)),
    asynchronous(`${limit} as an effect: runPromise each`, () => Effect.runPromise(call)),
    batched(
      `${limit} as an effect: in one fiber`,
      () => Effect.runPromise(call),
      (count) => {
        let time = 0
        return Effect.runPromise(Effect.whileLoop({ while: () => time++ < count, body: () => call, step: keep }))
      }
    )
  ]
}

const one = async (): Promise<Measured> => {
  const task = small
  const runner = defaultRunner(task)
  const bare = makeRunner((parameters) => Effect.succeed(task.handle(parameters)), off)
  const on = everythingOn(task)
  const measured = await table(
    `one call, ${task.arguments.length} bytes of arguments`,
    [
      ...[
        ...(await peersOf(task)),
        ...wieldCalls("default policy", runner, task.arguments),
        ...wieldCalls("everything off", bare, task.arguments)
      ].map(oneByOne),
      ...limitAsEffect(task),
      inOneFiber("default policy", runner, task.arguments),
      inOneFiber("everything off", bare, task.arguments),
      on.each,
      on.fiber
    ],
    task
  )
  const each = ratioOf(measured, "Wield, default policy: runSync each")
  const promised = ratioOf(measured, "Wield, default policy: runPromise each")
  const fiber = ratioOf(measured, "Wield, default policy: in one fiber")
  const fastest = fastestLibrary(measured)
  const everything = ratioOf(measured, "Wield, everything on: runSync each")
  const everythingInFiber = ratioOf(measured, "Wield, everything on: in one fiber")
  const effectAi = Math.min(
    ratioOf(measured, "@effect/ai: handle, runSync"),
    ratioOf(measured, "@effect/ai: handle, runPromise")
  )
  const goals: ReadonlyArray<Goal> = [
    {
      name: "call, default policy",
      goal: "≤ 1.5x of ajv in+out, below every peer",
      measured: `runSync each ${times(each)}, in one fiber ${times(fiber)}, runPromise each ${times(promised)} (${limit} as an effect: ${["runSync each", "in one fiber", "runPromise each"].map((way) => times(ratioOf(measured, `${limit} as an effect: ${way}`))).join(", ")}); fastest peer ${times(fastest.ratio)} (${fastest.name})`,
      isMet: each <= 1.5 && Math.max(each, promised, fiber) < fastest.ratio
    },
    {
      name: "call, everything on",
      goal: "≤ 4x of ajv in+out, below @effect/ai with nothing on",
      measured: `runSync each ${times(everything)}, in one fiber ${times(everythingInFiber)}; @effect/ai ${times(effectAi)}`,
      isMet: everything <= 4 && everything < effectAi
    }
  ]
  return {
    tables: [measured],
    goals,
    notes: [
      `Everything on: a hidden field from the call context, an approval rule on the arguments, timeout, retries, a journal in memory, repeat guard, result bound and a tracer that records each span; a new run (forRun) every ${callsPerRun} calls.`
    ]
  }
}

const atOnce = (count: number) => async (): Promise<Measured> => {
  const task = small
  const runner = defaultRunner(task)
  const single = wieldCalls("default policy", runner, task.arguments).map(oneByOne)
  const measured = await table(
    `${count} calls at once, time of each`,
    [
      ...(await peersOf(task)).map((peer) => together(peer, count)),
      ...single,
      ...batchOf("default policy", runner, task.arguments, count),
      ...batchOf(
        "everything off",
        makeRunner((given) => Effect.succeed(task.handle(given)), off),
        task.arguments,
        count
      )
    ],
    task
  )
  const minimumOf = (name: string): number => rowOf(measured, name).minimum
  const sync = minimumOf("Wield, default policy: runAll, runSync") / minimumOf("Wield, default policy: runSync each")
  const promised =
    minimumOf("Wield, default policy: runAll, runPromise") / minimumOf("Wield, default policy: runPromise each")
  return {
    tables: [measured],
    goals: [
      {
        name: `${count} at once`,
        goal: "per call ≤ 1.2x of one at a time",
        measured: `runSync ${times(sync)}, runPromise ${times(promised)}`,
        isMet: sync <= 1.2 && promised <= 1.2
      }
    ]
  }
}

const payload = (title: string, task: Task) => async (): Promise<Measured> => {
  const runner = defaultRunner(task)
  const measured = await table(
    title,
    [
      ...[...(await peersOf(task)), ...wieldCalls("default policy", runner, task.arguments)].map(oneByOne),
      inOneFiber("default policy", runner, task.arguments)
    ],
    task,
    { ...standard, rounds: 11 }
  )
  const each = ratioOf(measured, "Wield, default policy: runSync each")
  return {
    tables: [measured],
    goals: [
      {
        name: `call, ${title}`,
        goal: "≤ 1.5x of ajv in+out",
        measured: `${times(each)}; fastest peer ${times(fastestLibrary(measured).ratio)}`,
        isMet: each <= 1.5
      }
    ]
  }
}

/** A handler that has to be waited for: a promise that is already kept. */
const waiting = async (): Promise<Measured> => {
  const task = small
  const execute = async (parameters: Parameters): Promise<Result> => {
    await Promise.resolve()
    return task.handle(parameters)
  }
  const runner = makeRunner((parameters) => Effect.promise(() => execute(parameters)))
  const calls = (await librariesOf(task)).filter((peer) => !peer.isSynchronous && !peer.name.includes("Effect"))
  const limiting: Call = {
    name: limit,
    isSynchronous: false,
    call: async () => {
      await Promise.resolve()
      return inAndOut(task.handle, task.arguments)
    }
  }
  const own = wieldCalls("default policy", runner, task.arguments).filter((peer) => !peer.isSynchronous)
  const contenders = [
    ...[limiting, ...calls, ...own, ...(await promiseCalls(task, execute))].map(oneByOne),
    inOneFiber("default policy", runner, task.arguments)
  ]
  // Until a path of this length is compiled, it takes some twenty thousand calls.
  const measured = await table("one call of an asynchronous handler", contenders, task, {
    ...standard,
    warmMilliseconds: 2_000
  })
  const fiber = ratioOf(measured, "Wield, default policy: in one fiber")
  const ofSchemas = (way: string) =>
    ["JSON Schema", "zod"].map((schema) => ratioOf(measured, `wield, ${schema}: run.${way}`))
  const [call, answer] = [Math.max(...ofSchemas("call")), Math.max(...ofSchemas("answer"))]
  return {
    tables: [measured],
    goals: [
      {
        name: "asynchronous handler",
        goal: "in one fiber ≤ 3.5x of ajv in+out",
        measured: times(fiber),
        isMet: fiber <= 3.5
      },
      {
        name: "promises",
        goal: "`run.call` ≤ 2.1x of ajv in+out, `run.answer` ≤ 5x",
        measured: `${ofSchemas("call").map(times).join(" and ")}, ${ofSchemas("answer").map(times).join(" and ")} (by JSON Schema and zod); fastest peer ${times(fastestLibrary(measured).ratio)}`,
        isMet: call <= 2.1 && answer <= 5
      }
    ]
  }
}

/** A toolkit of Effect 4, by its own `handle` and by the bridge. */
const effect4 = async (): Promise<Measured> => {
  const contenders = await bridgedCalls(small)
  await assertEqual(contenders, small.expected)
  // As of an asynchronous handler.
  const samples = await measure(contenders, { ...standard, rounds: 31, warmMilliseconds: 2_000 })
  const title = "one call of a toolkit of Effect 4"
  const each = timingTable(title, samples, `${own}: runPromise each`)
  const fiber = timingTable(title, samples, `${own}: in one fiber`)
  const said = (measured: TimingTable, name: string): string => {
    const { pairedRatio, ratio = Number.NaN } = rowOf(measured, name)
    return `${times(ratio)} (median of the rounds ${times(pairedRatio ?? Number.NaN)})`
  }
  const ratios = [ratioOf(each, `${bridge}: runPromise each`), ratioOf(fiber, `${bridge}: in one fiber`)]
  return {
    tables: [each],
    goals: [
      {
        name: "bridge to Effect 4",
        goal: "≤ 1.3x of Effect 4's `handle`",
        measured: `runPromise each ${said(each, `${bridge}: runPromise each`)}, in one fiber ${said(fiber, `${bridge}: in one fiber`)}`,
        isMet: ratios.every((ratio) => ratio <= 1.3)
      }
    ]
  }
}

export const groups: ReadonlyArray<Group> = [
  { name: "one", measure: one },
  { name: "effect-4", measure: effect4 },
  { name: "10-at-once", measure: atOnce(10) },
  { name: "100-at-once", measure: atOnce(100) },
  { name: "100-kb-objects", measure: payload("100 KB of arguments, 1,400 objects", manyObjects) },
  { name: "100-kb-text", measure: payload("100 KB of arguments, one text", longText) },
  { name: "100-kb-result", measure: payload("100 KB of result", largeResult) },
  { name: "asynchronous", measure: waiting }
]
