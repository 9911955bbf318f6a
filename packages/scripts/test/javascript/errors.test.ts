import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { isError, report } from "@wield/core/Problem"
import { read } from "./read.js"

/** A documented function of the given code; the comment is line 1. */
const documented = (code: string): string => `/** Tells the weather. */\n${code}`

const cases: ReadonlyArray<readonly [behaviour: string, file: string, text: string, problem: string]> = [
  [
    "a rest parameter is refused",
    "weather.ts",
    documented("export function run(city: string, ...days: number[]) {}"),
    "weather.ts:2:35: error: rest parameters (...) are not supported: days of run has no name for each value; take an array, `days: string[]`"
  ],
  [
    "a destructured parameter is refused in TypeScript",
    "weather.ts",
    documented("export function run({ city, days }: { city: string; days: number }) {}"),
    "weather.ts:2:21: error: destructured parameters are not supported: run takes { city, days }; write each as a parameter of its own"
  ],
  [
    "a destructured parameter among others is refused in JavaScript",
    "weather.js",
    documented("export function run(city, { days }) {}"),
    "weather.js:2:27: error: destructured parameters are not supported: run takes { days }; write each as a parameter of its own"
  ],
  [
    "an arrow function is refused",
    "weather.ts",
    documented("export const run = (city: string): string => city"),
    "weather.ts:2:14: error: arrow functions are not supported: write `export function run(…)`"
  ],
  [
    "an arrow function that is exported by name is refused",
    "weather.ts",
    documented("const search = async (city: string) => city\nexport { search as run }"),
    "weather.ts:2:7: error: arrow functions are not supported: write `export function run(…)`"
  ],
  [
    "a function expression is refused",
    "weather.ts",
    documented("export const run = (function (city: string) {} as unknown)"),
    "weather.ts:2:14: error: function expressions are not supported: write `export function run(…)`"
  ],
  [
    "a class is refused",
    "weather.ts",
    documented("export class run {}"),
    "weather.ts:2:1: error: run is a class, which cannot be called as a tool: write a function"
  ],
  [
    "a generator is refused",
    "weather.ts",
    documented("export async function* run(city: string) {}"),
    "weather.ts:2:1: error: generators are not supported: run has no one result; return an array"
  ],
  [
    "overloads are refused",
    "weather.ts",
    documented("export function run(city: string): void\nexport function run(city: unknown) {}"),
    "weather.ts:2:1: error: overloads are not supported: write one signature, with unions for what may differ"
  ],
  [
    "a function without a body is refused",
    "weather.ts",
    documented("export declare function run(city: string): void"),
    "weather.ts:2:1: error: run is only declared, and has no body that could run: write one"
  ],
  [
    "a function of another file is refused",
    "weather.ts",
    'export { search as run } from "./search.js"',
    "weather.ts:1:10: error: run is declared in another file, which is not read: declare the function here, and call the other one in it"
  ],
  [
    "a function that is not exported is no tool",
    "weather.ts",
    documented("function run() {}"),
    "weather.ts:2:1: error: run is not exported: write `export function run(…)`"
  ],
  [
    "a function without a name is no tool",
    "weather.ts",
    documented("export default function () {}"),
    "weather.ts:2:1: error: what is exported by default has no name: write `export function run(…)`"
  ],
  [
    "a file without the function is no tool",
    "weather.ts",
    documented("export function search(city: string) {}"),
    "weather.ts: error: exports no function run (it exports search): write `export function run(…)`"
  ],
  [
    "an empty file is no tool",
    "weather.js",
    "",
    "weather.js: error: exports no function run: write `export function run(…)`"
  ],
  [
    "a CommonJS module that exports one function, and not by its name",
    "weather.js",
    "/** Tells. */\nmodule.exports = async (city) => city",
    "weather.js: error: exports no function run: write `exports.run = …`"
  ],
  [
    "a CommonJS module that does not export its function",
    "weather.cjs",
    "/** Tells. */\nfunction run(city) {}",
    "weather.cjs:2:1: error: run is not exported: write `exports.run = run`"
  ],
  [
    "a function without a comment is refused",
    "weather.ts",
    "export function run(city: string) {}",
    "weather.ts:1:1: error: run has no description: say before it what the tool does, in a comment /** … */ that begins with text"
  ],
  [
    "a comment of another kind is no description",
    "weather.ts",
    "// Tells the weather.\nexport function run(city: string) {}",
    "weather.ts:2:1: error: run has no description (a comment that does not begin with /** is not read): say before it what the tool does, in a comment /** … */ that begins with text"
  ],
  [
    "a comment of tags only is no description",
    "weather.ts",
    "/** @param city - Where */\nexport function run(city: string) {}",
    "weather.ts:2:1: error: run has no description: say before it what the tool does, in a comment /** … */ that begins with text"
  ],
  [
    "a syntax error is told where it is, in the parser's words",
    "weather.ts",
    documented("export function run(city: string {}"),
    "weather.ts:2:34: error: failed to parse: ',' expected."
  ],
  [
    "columns count UTF-16 units",
    "weather.ts",
    documented('const sky = "🌦️"; export function run(...days: number[]) {}'),
    "weather.ts:2:40: error: rest parameters (...) are not supported: days of run has no name for each value; take an array, `days: string[]`"
  ],
  [
    "types in JavaScript are a syntax error",
    "weather.js",
    documented("export function run(city: string, days) {}"),
    "weather.js:2:27: error: failed to parse: types are not JavaScript; write the type of city in the comment, or name the file .ts"
  ],
  [
    "a type that is nothing but itself is refused",
    "weather.ts",
    documented("type Loop = Loop | string\nexport function run(loop: Loop) {}"),
    "weather.ts:2:13: error: the type Loop is nothing but itself; put a property or an array in between"
  ]
]

it.effect.each(cases)("%s", ([, file, text, expected]) =>
  Effect.map(read(text, file), ({ functions, problems }) => {
    expect(problems.filter(isError).map(report)).toContain(expected)
    expect(functions).toEqual([])
  })
)

it.effect("what is wrong with one function of an agent leaves the others working", () =>
  Effect.gen(function* () {
    const text = [
      "/** First. */",
      "export function first(city: string) {}",
      "export function second(city: string) {}",
      "/** Third. */",
      "export const third = () => {}",
      "/** Fourth. */",
      "export function fourth() {}"
    ].join("\n")
    const { functions, problems } = yield* read(text, "tools.ts", "agent")
    expect(functions.map(({ name }) => name)).toEqual(["first", "fourth"])
    expect(problems.map(({ place, rule, subject }) => [subject, rule, place?.line])).toEqual([
      ["second", "missing-description", 3],
      ["third", "not-a-declaration", 5]
    ])
  })
)

it.effect("an agent without a public function says so", () =>
  Effect.map(read("/** Hidden. */\nexport function _hidden() {}", "tools.ts", "agent"), ({ problems }) => {
    expect(problems.map(report)).toEqual([
      "tools.ts: error: exports no function that could be a tool: write `export function name(…)`, with a name that does not begin with _"
    ])
  })
)

it.effect("every syntax error is told", () =>
  Effect.map(read("const first = ;\nconst second = ;", "weather.js"), ({ problems }) => {
    expect(problems.map(({ place }) => place?.line)).toEqual([1, 2])
  })
)

it.effect("code that nests deeper than the parser reaches is told, not thrown", () =>
  Effect.map(read(`export const deep = ${"[".repeat(100_000)}`), ({ problems }) => {
    expect(problems.map(report)).toEqual([
      "weather.ts: error: failed to parse: the code nests deeper than can be read; make it flatter"
    ])
  })
)

it.effect("types that would take up all memory written out are refused", () =>
  Effect.gen(function* () {
    const doubled = Array.from({ length: 40 }, (_, index) => `type T${index + 1}<A> = [T${index}<A[]>, T${index}<A>]`)
    const text = ["type T0<A> = A", ...doubled, documented("export function run(all: T40<string>) {}")].join("\n")
    const { functions, problems } = yield* read(text)
    expect(functions).toEqual([])
    expect(problems.filter(isError).map(({ rule }) => rule)).toEqual(["type-too-large"])
  })
)

it.effect("a type that names another twice over many levels is made of references", () =>
  Effect.gen(function* () {
    const doubled = Array.from({ length: 40 }, (_, index) => `type T${index + 1} = [T${index}, T${index}]`)
    const text = ["type T0 = string", ...doubled, documented("export function run(all: T40) {}")].join("\n")
    const { functions, problems } = yield* read(text)
    expect(problems).toEqual([])
    expect(JSON.stringify(functions[0]?.inputSchema).length).toBeLessThan(200_000)
    expect(functions[0]?.inputSchema["$defs"]).toHaveProperty("T40")
  })
)

it.effect("a generic type that contains itself with ever other arguments ends in a warning", () =>
  Effect.gen(function* () {
    const text = `type Deep<A> = { inner?: Deep<A[]> }\n${documented("export function run(deep: Deep<string>) {}")}`
    const { functions, problems } = yield* read(text)
    expect(functions).toHaveLength(1)
    expect(new Set(problems.map(({ rule, severity }) => `${severity} ${rule}`))).toEqual(
      new Set(["warning unsupported-type"])
    )
  })
)

it.effect.each([
  ["its own arguments", "interface T<V> { n?: T<T<V>> }", "T<string>"],
  [
    "objects of its arguments",
    "interface T<V, W> { v?: V; n?: T<{ x: V; y: W }, { z: V; w: W }> }",
    "T<string, number>"
  ],
  ["several others", "interface T<V> { a?: T<V[]>; b?: T<{ x: V }>; c?: T<V | 1> }", "T<string>"],
  ["nothing in between", "type T<V> = T<V[]>", "T<string>"],
  ["texts", "type T<V extends string> = `${T<`x${V}`>}`", "T<string>"]
])("a generic type that contains itself with ever other arguments ends early: %s", ([, declaration, type]) =>
  Effect.gen(function* () {
    const { functions, problems } = yield* read(`${declaration}\n${documented(`export function run(all: ${type}) {}`)}`)
    expect(JSON.stringify(functions[0]?.inputSchema).length).toBeLessThan(50_000)
    expect(new Set(problems.map(({ message, rule, severity }) => [severity, rule, message].join(": ")))).toEqual(
      new Set([
        "warning: unsupported-type: the type T contains itself with ever other arguments: any value is accepted here; give it the same ones"
      ])
    )
  })
)

it.effect("generic types within generic types over many levels are made of references", () =>
  Effect.gen(function* () {
    const type = `${"Box<".repeat(60)}string${">".repeat(60)}`
    const text = `interface Box<T> { a: T; b: T }\n${documented(`export function run(box: ${type}) {}`)}`
    const { functions, problems } = yield* read(text)
    expect(problems).toEqual([])
    expect(JSON.stringify(functions[0]?.inputSchema).length).toBeLessThan(200_000)
  })
)

it.effect("a text type that names another twice over many levels is any text, with a warning", () =>
  Effect.gen(function* () {
    const doubled = Array.from({ length: 40 }, (_, index) => `type T${index + 1} = \`\${T${index}}\${T${index}}\``)
    const text = ['type T0 = "x" | "y"', ...doubled, documented("export function run(all: T40) {}")].join("\n")
    const { functions, problems } = yield* read(text)
    expect(JSON.stringify(functions[0]?.inputSchema).length).toBeLessThan(20_000)
    expect(problems[0]?.message).toContain("is a pattern of more than 10000 characters: any text is accepted")
  })
)

it.effect("a default of constants that name others twice over many levels is not told", () =>
  Effect.gen(function* () {
    const doubled = Array.from({ length: 40 }, (_, index) => `const c${index + 1} = [c${index}, c${index}]`)
    const text = ["const c0 = 1", ...doubled, documented("export function run(all: unknown = c40) {}")].join("\n")
    const { functions, problems } = yield* read(text)
    expect(functions[0]?.inputSchema["properties"]).toEqual({ all: {} })
    expect(problems.map(({ rule }) => rule)).toEqual(["computed-default"])
  })
)

it.effect("a constant whose type is its own is refused, and one that holds others of its type is not", () =>
  Effect.gen(function* () {
    const circular = yield* read(`const a: typeof a = 1\n${documented("export function run(one: typeof a) {}")}`)
    expect(circular.problems.map(({ rule }) => rule)).toEqual(["circular-type"])
    const tree = `const a: { next?: typeof a } = {}\n${documented("export function run(one: typeof a) {}")}`
    const { functions, problems } = yield* read(tree)
    expect(problems).toEqual([])
    expect(functions[0]?.inputSchema).toEqual({
      type: "object",
      properties: { one: { $ref: "#/$defs/a" } },
      required: ["one"],
      $defs: { a: { type: "object", properties: { next: { $ref: "#/$defs/a" } } } }
    })
  })
)
