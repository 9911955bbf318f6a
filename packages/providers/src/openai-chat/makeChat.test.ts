import { expect, it } from "@effect/vitest"
import { ToolDefinition, Turn } from "@wield/core"
import * as Either from "effect/Either"
import { readStream } from "../../test/readStream.js"
import { serverSentEvents } from "../../test/streamBody.js"
import { isObject } from "../internal/wireField.js"
import { dialect as mistral } from "../mistral/format.js"
import { type ChatDialect, dialect as openAi } from "./format.js"
import { makeChat } from "./makeChat.js"

const bases: ReadonlyArray<readonly [string, ChatDialect]> = [
  [openAi.name, openAi],
  [mistral.name, mistral]
]

/** A dialect whose tables have words that those of the others lack. */
const formatOf = (base: ChatDialect) =>
  makeChat(
    {
      ...base,
      name: "own",
      nameRule: { pattern: /^[a-z0-9_]{1,12}$/, maxLength: 12 },
      finish: { ...base.finish, enough: "length", END: "paused" },
      usage: { input: ["tokens.read"], output: ["tokens.written"] },
      choice: {
        ...base.choice,
        auto: "own_auto",
        required: "own_required",
        one: (name) => ({ only: name }),
        several: (tools) => ({ among: tools }),
        hasParallel: false
      },
      errors: { ...base.errors, codes: { ...base.errors.codes, too_many_own: "rate" } }
    },
    { isOwnTool: () => true, isFormatOf: isObject }
  )

const usage = { tokens: { read: 7, written: 5 } }
const counts = { input: 7, output: 5 }
const definitions = ["get_all_orders", "now"].map((name) => ToolDefinition.make({ name }))

it.each(bases)("reads a response by the finish and usage of the dialect's own (%s)", (_, base) => {
  const message = { role: "assistant", content: "Hi" }
  const read = (finish_reason: string) =>
    Either.getOrThrow(formatOf(base).decodeTurn({ choices: [{ message, finish_reason }], usage }))
  expect(read("Enough")).toMatchObject({ format: "own", finish: "length", nativeFinish: "Enough", usage: counts })
  expect(read("END").finish).toBe("paused")
  expect(read("STOP").finish).toBe("stop")
})

it.each(bases)("reads a stream by the finish and usage of the dialect's own (%s)", (_, base) => {
  const chunks = [
    { choices: [{ index: 0, delta: { content: "Hi" } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "enough" }], usage }
  ]
  const { events, turn } = readStream(formatOf(base), serverSentEvents(chunks))
  expect(events).toContainEqual({ _tag: "UsageKnown", usage: expect.objectContaining(counts) })
  expect(turn).toMatchObject({ finish: "length", nativeFinish: "enough", usage: counts })
})

it.each(bases)("knows an error by the codes of the dialect's own, within a stream too (%s)", (_, base) => {
  const body = { error: { code: "too_many_own", message: "Later." } }
  expect(formatOf(base).decodeError({ status: 400, body })._tag).toBe("RateLimited")
  expect(readStream(formatOf(base), serverSentEvents([body])).failure).toMatchObject({ _tag: "RateLimited" })
})

it.each(bases)(
  "offers tools under the names that the dialect's own rule accepts, and reads them back (%s)",
  (_, base) => {
    // Another dialect may have taken these definitions before.
    makeChat(base, { isOwnTool: () => true, isFormatOf: isObject }).encodeTools(definitions)
    const format = formatOf(base)
    const tools: ReadonlyArray<{ function: { name: string } }> = JSON.parse(
      JSON.stringify(format.encodeTools(definitions).body["tools"])
    )
    const names = tools.map((tool) => tool.function.name)
    for (const name of names) expect(name).toMatch(/^[a-z0-9_]{1,12}$/)
    const tool_calls = names.map((name) => ({ id: name, type: "function", function: { name, arguments: "{}" } }))
    const turn = Either.getOrThrow(format.decodeTurn({ choices: [{ message: { tool_calls } }] }, { definitions }))
    expect(Turn.calls(turn).map(({ name }) => name)).toEqual(["get_all_orders", "now"])
  }
)

it.each(bases)("chooses in the words of the dialect's own, and reads them back (%s)", (_, base) => {
  const format = formatOf(base)
  const now = [ToolDefinition.make({ name: "now" }), ToolDefinition.make({ name: "later" })]
  const chosen = (choice: Parameters<typeof format.encodeTools>[1]) => format.encodeTools(now, choice)
  expect(chosen({ choice: { _tag: "OneOf", names: ["now", "later"] } }).body["tool_choice"]).toEqual({
    among: [{ only: "now" }, { only: "later" }]
  })
  for (const choice of [{ _tag: "Auto" }, { _tag: "Required" }] as const) {
    const request = format.decodeRequest({ messages: [], ...chosen({ choice }).body })
    expect(Either.getOrThrow(request).options.choice).toEqual(choice)
  }
  const { body, losses } = chosen({ isParallel: false })
  expect(body).not.toHaveProperty("parallel_tool_calls")
  expect(losses).toMatchObject([{ keyword: "isParallel" }])
})
