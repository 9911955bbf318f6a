import { beforeAll, describe, expect, it } from "vitest"
import type { CommandResult } from "../../scripts/run-command.js"
import { runQuickStart } from "./run.js"

const escape = "\u001B["

/** The outcome that stands beside each call id in a part of the output. */
const outcomesIn = (text: string): ReadonlyMap<string, string> => {
  const outcomes = new Map<string, string>()
  let outcome = ""
  for (const line of text.split("\n")) {
    outcome = /^[a-z_]+ {2,}([A-Z]\w+)/.exec(line)?.[1] ?? outcome
    const id = /^(?:call|toolu)_\S+/.exec(line)?.[0]
    if (id !== undefined) outcomes.set(id, outcome)
  }
  return outcomes
}

/** The JSON documents in a part of the output, one after the other. */
const documentsIn = (text: string): ReadonlyArray<unknown> =>
  [...text.matchAll(/^\[\n[^]*?^\]$/gm)].map(([document]) => JSON.parse(document))

const section = (output: string, title: string): string =>
  output.split(`\n ${title} \n`)[1]?.split(/\n \S.* \n/)[0] ?? ""

const calls = "Calls, as four APIs send them"
const answers = "The calls that waited, answered"
const fragments = "The request fragments to send back"

describe("the quick start", () => {
  let result: CommandResult
  beforeAll(async () => {
    result = await runQuickStart([], { NO_COLOR: "1", FORCE_COLOR: "1", COLUMNS: "120" })
  }, 60_000)

  it("ends with exit code 0, without a key", () => {
    expect(result.ending).toBe("exit code 0")
  })

  it("shows exactly one outcome for each call of each body", () => {
    expect(Object.fromEntries(outcomesIn(section(result.output, calls)))).toEqual({
      call_Yc2mT8vQkR5nWxJ1sHdL9pBf: "Success",
      call_Z0uGq7bXeK3rNfVt6aMjC4wD: "Success",
      call_h5LsPi9yTzAo2RkEm8WvJx1U: "Success",
      call_k7DwXq2MfNs9VbTz4LgRhC8J: "Success",
      call_p3EyUa6ZtQo1HjKn5SxWvB0M: "Deferred",
      call_r9FcIm4YdPu8GlTe2XqZwO7N: "InvalidArguments",
      call_v1HbOs0XjRi6KmUf3YpEaQ5L: "Success",
      toolu_01AhVn4RwXsE9bTgKy2MzQ6P: "InvalidArguments",
      toolu_01Db7JkUtLfC3pYxWo8NvS5H: "Failure",
      toolu_01GmEi0ZqBd6RyHsVc4TkX9F: "Deferred",
      call_vB4gaYPnMrSMkdUPx7Xk8Ag_0: "UnknownTool",
      call_vB4gaYPnMrSMkdUPx7Xk8Ag_1: "TimedOut",
      call_vB4gaYPnMrSMkdUPx7Xk8Ag_2: "Defect"
    })
  })

  it("says what the runner did to a call that sets the hidden field, and to one with a trailing comma", () => {
    expect(section(result.output, calls)).toContain("dropped customerId")
    expect(section(result.output, calls)).toContain("repaired")
  })

  it("names every issue of invalid arguments", () => {
    const read = section(result.output, calls)
    expect(read).toContain("orderId: expected a string, received 1003")
    expect(read).toContain('amount: expected a number, received "seventy-five"')
    expect(read).toContain("reason: expected a string, but it is missing")
  })

  it("shows how the calls that waited ended once they were answered", () => {
    expect(Object.fromEntries(outcomesIn(section(result.output, answers)))).toEqual({
      call_p3EyUa6ZtQo1HjKn5SxWvB0M: "Success",
      toolu_01GmEi0ZqBd6RyHsVc4TkX9F: "Success"
    })
    expect(section(result.output, answers)).toMatch(/Espresso machine +█+ 289/)
  })

  it("prints a fragment for each API, with a result for each call", () => {
    const documents = documentsIn(section(result.output, fragments))
    expect(documents).toMatchObject([
      [
        { role: "assistant", tool_calls: [{}, {}, {}] },
        {
          role: "tool",
          tool_call_id: "call_Yc2mT8vQkR5nWxJ1sHdL9pBf",
          content: expect.stringContaining("Linen shirt")
        },
        { role: "tool", tool_call_id: "call_Z0uGq7bXeK3rNfVt6aMjC4wD" },
        { role: "tool", tool_call_id: "call_h5LsPi9yTzAo2RkEm8WvJx1U", content: "[]" }
      ],
      [
        { type: "reasoning" },
        ...Array.from({ length: 4 }, () => ({ type: "function_call" })),
        { type: "function_call_output", call_id: "call_k7DwXq2MfNs9VbTz4LgRhC8J" },
        { type: "function_call_output", call_id: "call_p3EyUa6ZtQo1HjKn5SxWvB0M" },
        { type: "function_call_output", call_id: "call_r9FcIm4YdPu8GlTe2XqZwO7N" },
        { type: "function_call_output", call_id: "call_v1HbOs0XjRi6KmUf3YpEaQ5L" }
      ],
      [
        { role: "assistant", content: [{ type: "thinking" }, { type: "text" }, {}, {}, {}] },
        {
          role: "user",
          content: [
            { tool_use_id: "toolu_01AhVn4RwXsE9bTgKy2MzQ6P", is_error: true },
            { tool_use_id: "toolu_01Db7JkUtLfC3pYxWo8NvS5H", is_error: true },
            { tool_use_id: "toolu_01GmEi0ZqBd6RyHsVc4TkX9F", content: '{"shown":true}' }
          ]
        }
      ],
      [
        { role: "model", parts: [{ thoughtSignature: expect.any(String) }, {}, {}] },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "cancel_order" } },
            { functionResponse: { name: "track_parcel" } },
            { functionResponse: { name: "track_parcel" } }
          ]
        }
      ]
    ])
  })

  it("tells the model of a defect by the reference that stands in the program's log, and nothing else", () => {
    const reference = /failed internally\s+\(reference (\w+)\)/.exec(section(result.output, calls))?.[1]
    expect(reference).toBeDefined()
    expect(section(result.output, "In the program's log")).toContain(`reference ${reference}`)
  })

  it("shows nobody the hidden value, another customer's orders, or the key in a handler's defect", () => {
    expect(result.output).not.toContain("cus_7f3a91")
    expect(result.output).not.toContain("Wedding ring")
    expect(result.output).not.toContain("hp_secret")
    expect(result.output).not.toContain("hermit.example")
  })

  it("has no colours under NO_COLOR, even when colours are forced", () => {
    expect(result.output).not.toContain(escape)
  })

  it("has colours in a pipe where they are forced", async () => {
    expect((await runQuickStart([], { FORCE_COLOR: "1" })).output).toContain(escape)
  })

  it("has no colours in a pipe otherwise, and fits the tables into 80 columns", async () => {
    const { output } = await runQuickStart([], { CI: "1", COLUMNS: "40" })
    expect(output).not.toContain(escape)
    const lines = section(output, calls).split("\n")
    expect(Math.max(...lines.map((line) => line.length))).toBe(80)
    expect(outcomesIn(section(output, calls)).size).toBe(13)
  })

  it("ends with exit code 2 and the usage for an option it does not know", async () => {
    const { ending, output } = await runQuickStart(["--lively"], {})
    expect(ending).toBe("exit code 2")
    expect(output).toContain("--lively")
    expect(output).toContain("Usage:")
  })
})
