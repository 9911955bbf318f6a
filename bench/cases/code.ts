/** Programs that call tools: what it takes to start one, to call a tool in it, to replay it and to end a hostile one. */
import { Agent, Tokens } from "@wield/agent"
import { CodeMode, Declarations } from "@wield/code-mode"
import { Journal, Outcome, ToolCall, ToolDefinition, ToolRunner, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { run } from "run"
import type { Group, Measured } from "../harness/table.js"
import { duration } from "../harness/table.js"

/** 375 bytes of JSON, both ways. */
const value = { order: "A".repeat(16), lines: Array.from({ length: 6 }, (_, line) => ({ line, text: "x".repeat(30) })) }

const echo: Toolset.DynamicTool = {
  name: "echo",
  inputSchema: { type: "object", properties: { order: { type: "string" }, lines: {} }, required: ["order"] },
  execute: (given) => Effect.succeed(given)
}

interface Contender {
  readonly name: string
  /** Runs the program in a way that has been run before. */
  readonly run: (code: string) => Promise<unknown>
}

/** Closed when the measurement is over. */
const within = async <A>(work: (scope: Scope.Scope) => Promise<A>): Promise<A> => {
  const scope = Effect.runSync(Scope.make())
  try {
    return await work(scope)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const limits = { time: "1 minute", calls: 10_000, concurrency: 1_000 } as const

const toolsetIn = (scope: Scope.Scope, options: CodeMode.Options) =>
  Effect.runPromise(
    Effect.flatMap(Toolset.dynamic([echo]), (tools) => CodeMode.make(tools, options)).pipe(Scope.extend(scope))
  )

const runnerIn = async (scope: Scope.Scope, options: CodeMode.Options) =>
  Effect.runPromise(ToolRunner.make(await toolsetIn(scope, options)))

const resultOf = (outcome: Outcome.Outcome): unknown => {
  if (outcome._tag !== "Success") throw new Error(`the program ended as ${Outcome.text(outcome)}`)
  return outcome.result
}

/** Least and median of some rounds, in nanoseconds of wall time: threads work too. */
const timed = async (rounds: number, work: () => Promise<unknown>) => {
  const samples: Array<number> = []
  for (let round = -3; round < rounds; round++) {
    const started = performance.now()
    await work()
    if (round >= 0) samples.push((performance.now() - started) * 1e6)
  }
  samples.sort((left, right) => left - right)
  return { least: samples[0] ?? 0, median: samples[Math.floor(rounds / 2)] ?? 0 }
}

const callsInTurn = (count: number) =>
  `const value = ${JSON.stringify(value)}\nlet last = null\nfor (let n = 0; n < ${count}; n++) last = await tools.echo(value)\nreturn last`
const callsAtOnce = (count: number) =>
  `const value = ${JSON.stringify(value)}\nreturn (await Promise.all(Array.from({ length: ${count} }, () => tools.echo(value)))).length`

const many = 1_000

const measureCalls = (): Promise<Measured> =>
  within(async (scope) => {
    const journal = Effect.runSync(Journal.memory)
    const checking = await runnerIn(scope, { limits })
    const journaled = await toolsetIn(scope, { limits, policy: { journal } })
    // Another runner knows of the program what the journal knows: it was checked, and what it was given.
    const known = (code: string) =>
      Effect.runPromise(
        Effect.flatMap(ToolRunner.make(journaled), (runner) =>
          runner.forRun({ id: "known" }).run(ToolCall.make(`call ${code.length}`, "run_program", { code }))
        )
      ).then(resultOf)
    let calls = 0
    const contenders: ReadonlyArray<Contender> = [
      {
        name: "Wield, types checked",
        run: (code) =>
          Effect.runPromise(checking.run(ToolCall.make(`call_${calls++}`, "run_program", { code }))).then(resultOf)
      },
      {
        name: "run 2.1.5",
        run: async (code) => {
          const ended = await run({
            source: code,
            hostFunctions: { tools: { echo: (given: unknown) => given } },
            limits: { timeoutMs: 60_000, maxBridgeRequests: 20_000, maxInFlightBridgeRequests: 2_000 }
          })
          if (ended.status !== "completed") throw new Error(`the program ended as ${ended.status}`)
          return ended.value
        }
      }
    ]
    const runner = await Effect.runPromise(
      Effect.flatMap(Toolset.dynamic([echo]), (toolset) => ToolRunner.make(toolset))
    )
    const call = ToolCall.make("call", "echo", value)
    const plain = await timed(10, async () => {
      for (let n = 0; n < many; n++) await Effect.runPromise(runner.run(call))
    })
    const own = plain.least / many
    // What was recorded before is read again: nothing but the start is left.
    await known("return 1")
    const start = await timed(100, () => known("return 1"))
    await known(callsInTurn(many))
    const replay = await timed(20, () => known(callsInTurn(many)))
    const rows: Array<ReadonlyArray<string | number>> = [
      ["Wield, types known", duration(start.least), duration(start.median), "", ""]
    ]
    let added = Infinity
    for (const contender of contenders) {
      const begun = await timed(50, () => contender.run("return 1"))
      const inTurn = await timed(10, () => contender.run(callsInTurn(many)))
      const atOnce = await timed(10, () => contender.run(callsAtOnce(500)))
      const each = (inTurn.least - begun.least) / many
      if (contender.name.startsWith("Wield")) added = each - own
      rows.push([
        contender.name,
        duration(begun.least),
        duration(begun.median),
        duration(each),
        duration((atOnce.least - begun.least) / 500)
      ])
    }
    rows.push(["the runner alone", "", "", duration(own), ""])
    return {
      tables: [
        {
          _tag: "Figures",
          title: `A program with calls of ${JSON.stringify(value).length} bytes, both ways; wall time`,
          columns: ["program", "start, min", "start, median", `a call in turn, of ${many}`, "a call of 500 at once"],
          rows
        },
        {
          _tag: "Figures",
          title: "A program that goes on",
          columns: ["", "min", "median"],
          rows: [[`replay of ${many} calls`, duration(replay.least), duration(replay.median)]]
        }
      ],
      goals: [
        { name: "code mode", goal: "warm start ≤ 5 ms", measured: duration(start.least), isMet: start.least <= 5e6 },
        {
          name: "code mode",
          goal: "a call ≤ 60 µs over the runner's",
          measured: duration(added),
          isMet: added <= 60_000
        },
        {
          name: "code mode",
          goal: `replay of ${many} calls ≤ 50 ms`,
          measured: duration(replay.least),
          isMet: replay.least <= 50e6
        }
      ]
    }
  })

const limit = 200

const hostile: { readonly [name: string]: string } = {
  "a loop": "while (true) {}",
  "a loop that catches": "while (true) { try { while (true) {} } catch {} }",
  "awaiting nothing without end": "while (true) await null",
  "native searches in a loop": "const s = 'a'.repeat(4e6)\nfor (;;) s.indexOf('b')",
  "sorting in a loop": "const a = Array.from({ length: 1e5 }, (_, i) => i ^ 0x5555)\nfor (;;) a.sort()",
  "huge native calls": "for (;;) 'a'.repeat(4e6).replaceAll('a', 'bc')",
  "a pattern that backtracks": "return /^(a+)+$/.test('a'.repeat(60) + 'b')",
  "memory without end": "const a = []\nfor (;;) a.push(new Array(1000).fill(1))",
  "memory whose end is caught": "const a = []\nfor (;;) { try { a.push('x'.repeat(1e5) + a.length) } catch {} }",
  "a recursion": "const f = (): any => { try { return f() } catch { return f() } }\nreturn f()"
}

const measureHostile = (): Promise<Measured> =>
  within(async (scope) => {
    const runner = await runnerIn(scope, { limits: { time: `${limit} millis`, memory: 12 * 1_048_576 } })
    const begin = (code: string) => Effect.runPromise(runner.run(ToolCall.make("call", "run_program", { code })))
    await begin("return 1")
    const rows: Array<ReadonlyArray<string | number>> = []
    let worst = 0
    let longest = 0
    const before = process.memoryUsage.rss()
    for (const [name, code] of Object.entries(hostile)) {
      let ended = Infinity
      let stall = Infinity
      let named = ""
      for (let round = 0; round < 5; round++) {
        // A thread that was ended is started again, outside of the time.
        const empty = await timed(1, () => begin("return 1"))
        let gap = 0
        let tick = performance.now()
        const timer = setInterval(() => {
          const at = performance.now()
          gap = Math.max(gap, at - tick)
          tick = at
        }, 1)
        const started = performance.now()
        const outcome = await begin(code)
        ended = Math.min(ended, performance.now() - started - empty.least / 1e6)
        clearInterval(timer)
        stall = Math.min(stall, gap)
        named = (outcome._tag === "Failure" ? (outcome.encoded as { readonly limit?: string }).limit : undefined) ?? "" // as a program fails
      }
      worst = Math.max(worst, ended)
      longest = Math.max(longest, stall)
      rows.push([name, named, ended.toFixed(0), stall.toFixed(1)])
    }
    globalThis.gc?.()
    const grown = (process.memoryUsage.rss() - before) / 1_048_576
    const most = limit * 1.2 + 50
    return {
      tables: [
        {
          _tag: "Figures",
          title: `Hostile programs at a limit of ${limit} ms: best of 5, the time of an empty program left out`,
          columns: ["program", "ends by", "ms", "longest gap of a timer of 1 ms"],
          rows
        }
      ],
      notes: [`Memory of the process after them: ${grown.toFixed(0)} MiB more than before.`],
      goals: [
        {
          name: "hostile programs",
          goal: `ended after ${most} ms, no gap over 50 ms`,
          measured: `${worst.toFixed(0)} ms, ${longest.toFixed(1)} ms`,
          isMet: worst <= most && longest <= 50
        }
      ]
    }
  })

const actions = ["create", "update", "close", "list", "search", "assign"]

/** Tools of a middling API: six parameters with a sentence each. */
const definitionOf = (index: number): ToolDefinition.ToolDefinition =>
  ToolDefinition.make({
    name: `${actions[index % actions.length]}_thing${index}`,
    description: `Does what is to be done with thing number ${index}. It needs the right to do so, and is recorded. What it gives is as it is when the request is answered.`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        ["account", "project", "title", "state", "labels", "page"].map((name, place) => [
          name,
          {
            type: place === 5 ? "integer" : "string",
            description: `The ${name} of the thing, by the name that people see in the list of them`,
            ...(place === 3 ? { enum: ["open", "closed", "all"] } : {})
          }
        ])
      ),
      required: ["account", "project"]
    }
  })

const measureShown = async (): Promise<Measured> => {
  const counter = await Effect.runPromise(Tokens.estimate().counts)
  const rows = [20, 60, 1_000].map((count) => {
    const definitions = Array.from({ length: count }, (_, index) => definitionOf(index))
    const json = definitions.reduce((sum, one) => sum + counter.definition(one), 0)
    const part = (text: string): string => {
      const tokens = counter.definition(ToolDefinition.make({ name: "x", description: text }))
      return `${Math.round(tokens)} (${(tokens / json).toFixed(2)})`
    }
    return [
      String(count),
      String(Math.round(json)),
      part(Declarations.render(definitions, "full")),
      part(Declarations.render(definitions, "brief"))
    ]
  })
  return {
    tables: [
      {
        _tag: "Figures",
        title: "What a model is shown, in estimated tokens",
        columns: ["tools", "JSON definitions", "full", "brief"],
        rows
      }
    ],
    goals: []
  }
}

const orders = Array.from({ length: 12 }, (_, index) => ({
  id: `order_${index}`,
  due: `2026-03-${10 + index}`,
  customer: { name: `Customer ${index}`, street: `${index} Long Street`, city: "Utrecht", since: 2010 + index },
  lines: Array.from({ length: 4 }, (_, line) => ({ sku: `sku_${index}_${line}`, count: line + 1, price: 1_295 }))
}))

const orderParameter = {
  type: "object",
  properties: { order: { type: "string", description: "Its id" } },
  required: ["order"]
} as const

const late = orders.filter((_, index) => index % 3 === 0).map(({ id }) => id)

const shop: ReadonlyArray<Toolset.DynamicTool> = [
  {
    name: "open_orders",
    description: "Ids of all open orders",
    execute: () => Effect.succeed(orders.map(({ id }) => id))
  },
  {
    name: "order",
    description: "An order with its customer, its lines and the day on which it was due",
    inputSchema: orderParameter,
    execute: ({ order }) => Effect.succeed(orders.find(({ id }) => id === order) ?? null)
  },
  {
    name: "apologise",
    description: "Sends the customer of a late order a letter",
    inputSchema: orderParameter,
    execute: () => Effect.succeed({ sent: true })
  }
]

const program = `const ids = await tools.open_orders()
const all = await Promise.all(ids.map((order: string) => tools.order({ order })))
const late = all.filter(({ due }) => due < "2026-03-20").map(({ id }) => id)
await Promise.all(late.map((order: string) => tools.apologise({ order })))
return late`

const callsOf = (name: string, ids: ReadonlyArray<string>) =>
  ScriptedModel.turn(...ids.map((order) => ScriptedModel.call(name, { order })))

const done = ScriptedModel.text(`I wrote to the customers of ${late.join(", ")}.`)

/** The same task by calls in turn, and by a program: every request is counted whole. */
const measureTask = async (): Promise<Measured> => {
  const counts = await Effect.runPromise(Tokens.estimate().counts)
  const sentBy = (turns: Parameters<typeof ScriptedModel.make>[0], others: number, options?: CodeMode.Options) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const idle = Array.from({ length: others }, (_, index): Toolset.DynamicTool => {
            const { description, inputSchema, name } = definitionOf(index)
            return { name, description, inputSchema, execute: () => Effect.succeed(null) }
          })
          const tools = yield* Toolset.dynamic([...shop, ...idle])
          const toolset = options === undefined ? tools : yield* CodeMode.make(tools, options)
          const model = yield* ScriptedModel.make(turns)
          const agent = yield* Agent.make({ model, toolset })
          const { _tag } = yield* Agent.run(agent, "Apologise to the customers of all late orders")
          if (_tag !== "Finished") throw new Error(`the task ended as ${_tag}`)
          const requests = yield* model.requests
          const tokens = requests.reduce(
            (sum, { definitions, messages }) =>
              sum + counts.definitions(definitions) + messages.reduce((all, one) => all + counts.message(one), 0),
            0
          )
          return { turns: requests.length, tokens: Math.round(tokens) }
        })
      )
    )
  const direct = [
    ScriptedModel.call("open_orders", {}),
    callsOf(
      "order",
      orders.map(({ id }) => id)
    ),
    callsOf("apologise", late),
    done
  ]
  const coded = [ScriptedModel.call("run_program", { code: program }), done]
  const rows: Array<ReadonlyArray<string>> = []
  for (const others of [0, 20, 60]) {
    const calls = await sentBy(direct, others)
    const row = [String(shop.length + others), `${calls.tokens} in ${calls.turns} turns`]
    for (const shown of ["full", "brief"] as const) {
      const { tokens, turns } = await sentBy(coded, others, { shown })
      row.push(`${tokens} in ${turns} turns (${(tokens / calls.tokens).toFixed(2)})`)
    }
    rows.push(row)
  }
  return {
    tables: [
      {
        _tag: "Figures",
        title: "A task of 17 calls: estimated tokens of all requests, without and with a program",
        columns: ["tools", "calls", "program, full", "program, brief"],
        rows
      }
    ],
    goals: []
  }
}

export const groups: ReadonlyArray<Group> = [
  { name: "calls", measure: measureCalls },
  { name: "hostile", measure: measureHostile },
  { name: "shown", measure: measureShown },
  { name: "task", measure: measureTask }
]
