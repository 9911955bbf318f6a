import { expect, it, layer } from "@effect/vitest"
import { CodeMode, Declarations, ProgramThreads } from "@wield/code-mode"
import type { ProgramFailure } from "@wield/code-mode/CodeModeError"
import { type Outcome, ToolCall, ToolDefinition, ToolRunner, Toolset } from "@wield/core"
import type { JsonSchema } from "@wield/core/Json"
import { Effect } from "effect"

const mebi = 1_048_576

interface Hostile {
  readonly name: string
  readonly code: string
  /** What the outcome names: a limit, or words of its error. */
  readonly limit?: ReadonlyArray<string>
  readonly error?: RegExp
  /** What it returns, where its trick comes to nothing. */
  readonly result?: unknown
}

/** These end by nothing but the time. */
const endless: ReadonlyArray<Hostile> = [
  { name: "a loop", code: "while (true) {}" },
  { name: "a loop that catches", code: "while (true) { try { while (true) {} } catch {} }" },
  { name: "a loop that ends in finally", code: "for (;;) { try { continue } finally { continue } }" },
  { name: "awaiting nothing without end", code: "while (true) await null" },
  { name: "a generator without end", code: "function* f() { for (;;) yield 1 }\nfor (const _ of f());" },
  { name: "a thenable that resolves to itself", code: "const t = { then(r: any) { r(t) } } as any\nawait t" },
  {
    name: "a chain of jobs",
    code: "const f = (): any => Promise.resolve().then(f)\nawait f()",
    limit: ["time", "memory"]
  },
  { name: "native searches in a loop", code: "const s = 'a'.repeat(4e6)\nfor (;;) s.indexOf('b')" },
  { name: "sorting in a loop", code: "const a = Array.from({ length: 1e5 }, (_, i) => i ^ 0x5555)\nfor (;;) a.sort()" },
  { name: "one huge native call", code: "for (;;) 'a'.repeat(4e6).replaceAll('a', 'bc')" },
  { name: "a pattern that backtracks", code: "return /^(a+)+$/.test('a'.repeat(60) + 'b')" },
  { name: "a getter of the result", code: "return { get a() { for (;;); } }" },
  { name: "toJSON of the result", code: "return { toJSON() { for (;;); } }" },
  { name: "toJSON of arguments", code: "await tools.echo({ value: { toJSON() { for (;;); } } })" },
  { name: "a proxy as the result", code: "return new Proxy({}, { ownKeys() { for (;;); } })" },
  { name: "a thrown proxy", code: "throw new Proxy({}, { get() { for (;;); } })" },
  {
    name: "calls without end whose errors are caught",
    code: "for (;;) { try { await tools.fails() } catch {} }",
    limit: ["time", "calls"]
  },
  {
    name: "a recursion that catches",
    code: "const f = (): any => { try { return f() } catch { return f() } }\nreturn f()",
    limit: ["time", "stack"]
  },
  {
    name: "memory whose end is caught",
    code: "const a = []\nfor (;;) { try { a.push('x'.repeat(1e5) + a.length) } catch {} }",
    limit: ["time", "memory"]
  }
].map((hostile) => ({ limit: ["time"], ...hostile }))

/** These meet another limit, or none. */
const others: ReadonlyArray<Hostile> = [
  { name: "arrays without end", code: "const a = []\nfor (;;) a.push(new Array(1000).fill(1))", limit: ["memory"] },
  { name: "a text that doubles", code: "let s = 'x'\nfor (;;) s += s + s.length", error: /string too long/ },
  { name: "a huge buffer", code: "return new ArrayBuffer(1e9).byteLength", limit: ["memory"] },
  { name: "a recursion", code: "const f = (): any => f() + 1\nreturn f()", limit: ["stack"] },
  { name: "JSON that nests", code: "return JSON.parse('['.repeat(1e5))", limit: ["stack"] },
  {
    name: "500 calls at once",
    code: "return await Promise.all(Array.from({ length: 500 }, () => tools.echo()))",
    limit: ["calls"]
  },
  { name: "calls in a loop that catches", code: "for (;;) { try { tools.echo() } catch {} }", limit: ["calls"] },
  {
    name: "huge arguments",
    code: "return await tools.echo({ value: 'x'.repeat(5000) })",
    error: /limit argumentBytes: 4096/
  },
  {
    name: "as many characters of arguments as it may have bytes, in which they are more",
    code: "return await tools.echo({ value: '\u20ac'.repeat(2000) })",
    error: /limit argumentBytes: 4096/
  },
  {
    name: "a huge name of a tool",
    code: "return await (tools as any)['x'.repeat(5000)]()",
    error: /limit argumentBytes: 4096/
  },
  { name: "a huge result of a call", code: "return await tools.huge()", error: /limit resultBytes is 8192/ },
  { name: "a huge result", code: "return 'x'.repeat(20000)", limit: ["outputBytes"] },
  { name: "a huge error", code: "throw new Error('x'.repeat(15000))", error: /^x+…$/ },
  { name: "a text that is too long", code: `/* ${"x".repeat(21_000)} */`, limit: ["source"] },
  { name: "a promise that never ends", code: "await new Promise(() => {})", error: /waits for what never comes/ },
  { name: "a detached call", code: "tools.echo({ value: 1 })\nreturn 7", error: /had not awaited: echo/ },
  {
    name: "another then of promises",
    code: "Promise.prototype.then = (() => { throw 1 }) as any\nreturn await tools.echo({ value: 1 })",
    result: { value: 1 }
  },
  {
    name: "another JSON",
    code: "JSON.stringify = (() => 'evil') as any\nJSON.parse = (() => 1) as any\nreturn await tools.echo({ value: 1 })",
    result: { value: 1 }
  },
  {
    name: "another Object.defineProperty",
    code: "Object.defineProperty = (() => {}) as any\nreturn await tools.fails().catch((e) => e.data)",
    result: "no"
  },
  {
    name: "setters of all objects",
    code: "const p = Object.prototype as any\np.get = () => 5\np.value = 6\np.limit = 7\nreturn await tools.fails().catch((e) => e.outcome)",
    result: "Failure"
  },
  {
    name: "setters of all lists",
    code: "Object.defineProperty(Array.prototype, '0', { set() { throw 1 } })\nreturn await tools.echo({ value: 2 })",
    error: /broken what it runs on/
  },
  {
    name: "the bridge's own functions",
    code: "return [typeof (globalThis as any).call, typeof (globalThis as any).end, typeof (globalThis as any).process, typeof (globalThis as any).require]",
    result: ["undefined", "undefined", "undefined", "undefined"]
  },
  {
    name: "the constructor of a function",
    code: "return new (tools.echo as any).constructor('return typeof process')()",
    result: "undefined"
  },
  {
    name: "a frame of the host in a stack",
    code: "return await tools.echo().then(() => new Error('x').stack!.includes('/'))",
    result: false
  },
  { name: "a tool named __proto__", code: 'return await tools["__proto__"]()', result: "proto" },
  { name: "a tool named constructor", code: "return await tools.constructor()", result: "made" },
  { name: "a tool named then", code: 'return await tools["then"]()', result: "next" },
  {
    name: "a tool that there is not",
    code: "return await (tools as any).toString().catch((e: any) => e.outcome)",
    result: "UnknownTool"
  },
  { name: "throwing null", code: "throw null", error: /threw null/ },
  { name: "throwing what has no text", code: "throw { toJSON() { throw 1 } }", error: /has no text/ },
  {
    name: "throwing a made-up ToolError",
    code: "throw Object.assign(new Error('x'), { outcome: 'Success' })",
    error: /^x$/
  },
  { name: "a result that has no JSON", code: "return [1n]", error: /A BigInt is not JSON: give Number\(value\) or/ },
  { name: "a result in a circle", code: "const a: any = {}\na.a = a\nreturn a", error: /circular/ },
  { name: "brackets that end the program", code: "}); (async () => {", error: /mistakes/ },
  { name: "brackets in brackets", code: `return ${"[".repeat(9_000)}${"]".repeat(9_000)}`, error: /mistakes/ },
  { name: "parentheses in parentheses", code: `return ${"(".repeat(9_000)}1${")".repeat(9_000)}`, error: /mistakes/ },
  {
    name: "a result that nests deeply",
    code: `let a: any = 1\nfor (let i = 0; i < 1500; i++) a = [a]\nreturn a`,
    error: /nests deeper than 1000 levels/
  },
  { name: "a result that is a function", code: "return () => 1", error: /not JSON: a function/ },
  { name: "a result that is a symbol", code: "return Symbol('x')", error: /not JSON: a symbol/ },
  {
    name: "a result that is a map",
    code: "return { found: new Map([[1, 2]]) }",
    error: /A Map is not JSON: give Object\.fromEntries/
  },
  {
    name: "arguments that are a set",
    code: "await tools.echo({ value: new Set([1]) })",
    error: /A Set is not JSON: give \[\.\.\.set\]/
  },
  {
    name: "errors of several",
    code: "await Promise.any([tools.fails(), Promise.reject(new Error('two'))])",
    error: /no; two/
  }
]

const tools = Toolset.dynamic([
  {
    name: "echo",
    inputSchema: { type: "object", properties: { value: {} } },
    execute: (value) => Effect.succeed(value)
  },
  { name: "fails", execute: () => Effect.fail("no") },
  { name: "huge", execute: () => Effect.succeed("x".repeat(10_000)) },
  { name: "__proto__", execute: () => Effect.succeed("proto") },
  { name: "constructor", execute: () => Effect.succeed("made") },
  { name: "then", execute: () => Effect.succeed("next") }
])

const runnerOf = (time: string) =>
  Effect.flatMap(tools, (toolset) =>
    CodeMode.make(toolset, {
      limits: {
        time: time as "1 second", // a duration
        memory: 12 * mebi,
        source: 20_000,
        calls: 100,
        argumentBytes: 4_096,
        resultBytes: 8_192,
        outputBytes: 16_384
      }
    })
  ).pipe(Effect.flatMap((toolset) => ToolRunner.make(toolset)))

type Runner = Effect.Effect.Success<ReturnType<typeof runnerOf>>

const outcomeOf = (runner: Runner, code: string) => runner.run(ToolCall.make("call_1", "run_program", { code }))

const expectEnd = (outcome: Outcome.Outcome, { error, limit, result }: Hostile) => {
  if (result !== undefined) return expect(outcome).toMatchObject({ _tag: "Success", encoded: result })
  if (outcome._tag !== "Failure") throw new Error(`The program ended as ${outcome._tag}`)
  const failure = outcome.encoded as ProgramFailure // as a program fails
  if (error !== undefined) expect(failure.error).toMatch(error)
  if (limit !== undefined) expect(limit).toContain(failure.limit)
}

for (const [time, programs] of [
  ["200 millis", endless],
  ["5 minutes", others]
] as const) {
  layer(ProgramThreads.layer)(`a hostile program whose time is ${time}`, (it) => {
    for (const hostile of programs) {
      it.scoped(`ends with what it has met, and the next one runs: ${hostile.name}`, () =>
        Effect.gen(function* () {
          const runner = yield* runnerOf(time)
          expectEnd(yield* outcomeOf(runner, hostile.code), hostile)
          // On the same threads, with time for a machine of any speed.
          expect(yield* outcomeOf(yield* runnerOf("5 minutes"), "return 1")).toMatchObject({
            _tag: "Success",
            encoded: 1
          })
        })
      )
    }
  })
}

it.scopedLive("arguments of calls without an outcome count as memory, which they take outside of the engine", () =>
  Effect.gen(function* () {
    const stock = yield* Toolset.dynamic([{ name: "hang", execute: () => Effect.never }])
    const runner = yield* ToolRunner.make(yield* CodeMode.make(stock, { limits: { memory: 4 * mebi } }))
    const code =
      "return await Promise.all(Array.from({ length: 100 }, () => tools.hang({ text: 'x'.repeat(100_000) })))"
    const outcome = yield* runner.run(ToolCall.make("c", "run_program", { code }))
    expect(outcome).toMatchObject({ _tag: "Failure", encoded: { limit: "memory" } })
  })
)

const textOf = (inputSchema: JsonSchema): string =>
  Declarations.render([ToolDefinition.make({ name: "t", inputSchema })], "full")

it("definitions that name one another have an end", () => {
  const names = Array.from({ length: 40 }, (_, index) => `d${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]))
  const $defs = Object.fromEntries(names.map((name) => [name, { type: "object", properties }]))
  expect(textOf({ type: "object", properties, $defs }).length).toBeLessThan(100_000)
})
