import { describe, expect, it } from "@effect/vitest"
import { Outcome, ToolCall, ToolResult, ToolRunner } from "@wield/core"
import { Effect } from "effect"
import { jobs } from "../../tools/Job.js"
import { expectOutcome } from "../../tools/outcomes.js"

const echo = Effect.flatMap(
  jobs((parameters) => Effect.succeed(parameters)),
  (toolset) => ToolRunner.make(toolset)
)

const send = (args: unknown) => Effect.flatMap(echo, (runner) => runner.run(ToolCall.make("call_1", "job", args)))

const textOf = (outcome: Outcome.Outcome): string => {
  const result = Outcome.render(outcome)
  return result === undefined ? "" : ToolResult.toText(result)
}

it.scoped("JSON text and the parsed value mean the same", () =>
  Effect.gen(function* () {
    const fromText = expectOutcome(yield* send('{"value":[1,"two",null]}'), "Success")
    const fromValue = expectOutcome(yield* send({ value: [1, "two", null] }), "Success")
    expect(fromText.encoded).toEqual({ value: [1, "two", null] })
    expect(fromValue.encoded).toEqual(fromText.encoded)
    expect(fromText.notes).toEqual([])
    expect(fromValue.notes).toEqual([])
  })
)

it.scoped("a whole number that JavaScript would change, or one that is too large, stays the text of its digits", () =>
  Effect.gen(function* () {
    for (const sent of [
      '{"value":[12345678901234567890,1e400,0.12345678901234567890]}',
      '{"value":[12345678901234567890,1e400,0.12345678901234567890,]}'
    ]) {
      const outcome = expectOutcome(yield* send(sent), "Success")
      expect(outcome.encoded).toEqual({ value: ["12345678901234567890", "1e400", 0.12345678901234568] })
    }
  })
)

describe("repairs", () => {
  const repaired: ReadonlyArray<
    readonly [what: string, sent: unknown, value: unknown, repairs: ReadonlyArray<string>]
  > = [
    ["a code fence", '```json\n{"value":1}\n```', { value: 1 }, ["code-fence"]],
    ["a code fence without a language", '```\n{"value":1}\n```', { value: 1 }, ["code-fence"]],
    ["a code fence in one line", '```json {"value":1} ```', { value: 1 }, ["code-fence"]],
    ["a code fence with space around it", '\n  ```json\n{"value":1}\n```  \n', { value: 1 }, ["code-fence"]],
    ["a comma before a closing brace", '{"value":1,}', { value: 1 }, ["trailing-comma"]],
    ["a comma before a closing bracket", '{"value":[1,2,\n ]}', { value: [1, 2] }, ["trailing-comma"]],
    [
      "a comma before a closing brace, after an inner comma repaired",
      '{"value":[{"a":1,},],}',
      { value: [{ a: 1 }] },
      ["trailing-comma"]
    ],
    ["both", '```json\n{"value":[1,],}\n```', { value: [1] }, ["code-fence", "trailing-comma"]],
    ["a token of a template behind it", '{"value":1}<|im_end|>', { value: 1 }, ["special-token"]],
    ["an end of a call behind it", '{"value":1}\n</tool_call>\n', { value: 1 }, ["special-token"]],
    [
      "several tokens behind it",
      '{"value":1} <｜tool▁call▁end｜><｜end▁of▁sentence｜></s>',
      { value: 1 },
      ["special-token"]
    ],
    [
      "tokens behind a fence",
      '```json\n{"value":1,}\n```[/TOOL_CALLS]',
      { value: 1 },
      ["special-token", "code-fence", "trailing-comma"]
    ],
    ["empty text", "", {}, ["empty-text"]],
    ["white space", " \n\t ", {}, ["empty-text"]],
    ["an empty code fence", "```json\n```", {}, ["code-fence", "empty-text"]],
    ["null", null, {}, ["empty-text"]],
    ["an absent value", undefined, {}, ["empty-text"]]
  ]
  for (const [what, sent, value, repairs] of repaired) {
    it.scoped(`${what} is repaired, and a note says so`, () =>
      Effect.gen(function* () {
        const outcome = expectOutcome(yield* send(sent), "Success")
        expect(outcome.encoded).toEqual(value)
        expect(outcome.notes).toEqual(repairs.map((repair) => ({ _tag: "Repaired", repair })))
      })
    )
  }

  it.scoped("nothing inside of a string is repaired", () =>
    Effect.gen(function* () {
      for (const value of [",}", ",]", "a, }", "```json\n{}\n```", '\\",}', '"', "\\"]) {
        const whole = JSON.stringify({ value })
        const untouched = expectOutcome(yield* send(whole), "Success")
        expect(untouched.encoded).toEqual({ value })
        expect(untouched.notes).toEqual([])
        // The comma after it is repaired, the text in it is not.
        const broken = expectOutcome(yield* send(`{"value":${JSON.stringify(value)},}`), "Success")
        expect(broken.encoded).toEqual({ value })
        expect(broken.notes).toEqual([{ _tag: "Repaired", repair: "trailing-comma" }])
      }
    })
  )

  const ambiguous: ReadonlyArray<readonly [what: string, sent: string]> = [
    ["single quotes", "{'value':1}"],
    ["names without quotes", "{value:1}"],
    ["a missing end", '{"value":1'],
    ["a missing comma", '{"value":1 "other":2}'],
    ["two objects", '{"value":1}{"value":2}'],
    ["text before the object", 'Sure: {"value":1}'],
    ["text after a code fence", '```json\n{"value":1}\n```\nThat is it.'],
    ["two code fences", '```json\n{"value":1}\n```\n```json\n{"value":2}\n```'],
    ["comments", '{"value":1 /* one */}'],
    ["Python's constants", '{"value":True}'],
    ["NaN", '{"value":NaN}'],
    ["two commas", '{"value":[1,,]}'],
    ["a comma alone", "{,}"],
    ["a comma alone in an array", '{"value":[,]}'],
    ["a comma instead of a value", '{"value":,}'],
    ["a raw line break in a string", '{"value":"a\nb"}']
  ]
  for (const [what, sent] of ambiguous) {
    it.scoped(`${what} may mean more than one thing, so it is told and not repaired`, () =>
      Effect.gen(function* () {
        const outcome = expectOutcome(yield* send(sent), "InvalidArguments")
        expect(outcome.issues).toHaveLength(1)
        expect(outcome.issues[0]?.path).toEqual([])
        expect(textOf(outcome)).toMatch(/not valid JSON/)
      })
    )
  }
})

it.scoped("text that begins an object and does not end one is said to be cut off", () =>
  Effect.gen(function* () {
    for (const sent of ['{"value":1', '{"value":"a', '{"value":1,', "{", '{"value":1 \n', '{"value":1}]']) {
      const outcome = yield* send(sent)
      expectOutcome(outcome, "InvalidArguments")
      expect(textOf(outcome)).toContain("not valid JSON (it does not end with }, as if it were cut off)")
    }
    for (const sent of ['{"value":1} \n', ' {"value":1}\t']) expectOutcome(yield* send(sent), "Success")
  })
)

it.scoped("broken text of megabytes is refused at once, whatever it consists of", () =>
  Effect.gen(function* () {
    for (const sent of [
      // An answer that was cut off while the model wrote code.
      `{"value":"${'print(\\"x\\")\\n'.repeat(100_000)}`,
      // Line breaks without end, as models in JSON mode are known to write.
      `{"value":1${"\n".repeat(1_000_000)}`,
      `\`\`\`json${"\n".repeat(1_000_000)}x`,
      `{"value":[${", ".repeat(500_000)}`,
      `{"value":"${"x".repeat(10_000_000)}`
    ]) {
      expectOutcome(yield* send(sent), "InvalidArguments")
    }
    // Reading again from each quote or line break took minutes.
  })
)

it.scoped("a comma after a string of megabytes is repaired", () =>
  Effect.gen(function* () {
    const value = "x".repeat(10_000_000)
    const outcome = expectOutcome(yield* send(`{"value":"${value}",}`), "Success")
    expect(outcome.notes).toEqual([{ _tag: "Repaired", repair: "trailing-comma" }])
    expect(outcome.text).toHaveLength(value.length + '{"value":""}'.length)
  })
)

it.scoped("arguments that are not an object are told to be one", () =>
  Effect.gen(function* () {
    for (const [sent, received] of [
      ["[1,2]", "an array of 2"],
      ["3", "3"],
      ["true", "true"],
      ['"text"', '"text"'],
      ["null", "null"],
      [[], "an empty array"],
      [3, "3"],
      [true, "true"]
    ] as const) {
      const outcome = expectOutcome(yield* send(sent), "InvalidArguments")
      expect(outcome.issues).toEqual([{ path: [], expected: "a JSON object", received }])
    }
  })
)

it.scoped("text over the bound is refused by its length, and not shown", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* jobs(Effect.succeed), { argumentBound: { maxCharacters: 100 } })
    expectOutcome(yield* runner.run(ToolCall.make("c", "job", `{"value":"${"x".repeat(80)}"}`)), "Success")
    const outcome = expectOutcome(
      yield* runner.run(ToolCall.make("c", "job", `{"value":"${"x".repeat(100)}"}`)),
      "InvalidArguments"
    )
    expect(outcome.issues).toEqual([
      { path: [], expected: "arguments of at most 100 characters", received: "112 characters" }
    ])
  })
)

it.scoped("nesting over the bound is refused, in text and in a parsed value; nesting at the bound is not", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* jobs(Effect.succeed), { argumentBound: { maxDepth: 5 } })
    const nested = (depth: number): string => `{"value":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`
    expectOutcome(yield* runner.run(ToolCall.make("c", "job", nested(5))), "Success")
    expectOutcome(yield* runner.run(ToolCall.make("c", "job", JSON.parse(nested(5)))), "Success")
    for (const sent of [nested(6), JSON.parse(nested(6)) as unknown]) {
      const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "job", sent)), "InvalidArguments")
      expect(outcome.issues[0]?.expected).toBe("arguments nested at most 5 deep")
    }
  })
)

it.scoped("what the parser says of a long text is bounded", () =>
  Effect.gen(function* () {
    const outcome = yield* send(`{"value": ${"x".repeat(100_000)}`)
    expect(textOf(outcome).length).toBeLessThan(500)
  })
)
