import { describe, expect, it } from "@effect/vitest"
import { CallContext, Issue, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { expectOutcome } from "../tools/outcomes.js"

const echo = (inputSchema: object | undefined, hidden: ReadonlyArray<string> = []) =>
  Toolset.dynamic([
    {
      name: "echo",
      inputSchema: inputSchema === undefined ? undefined : { ...inputSchema },
      hidden,
      execute: Effect.succeed
    }
  ])

const call = (args: unknown) => ToolCall.make("c", "echo", args)

describe("the input schema of a dynamic tool", () => {
  it.effect("is shown as it is read, so that every API can take it", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* echo({ type: "dict", properties: { n: { type: "float" } } }))
      const [definition] = yield* runner.definitions
      expect(definition?.inputSchema).toEqual({ type: "object", properties: { n: { type: "number" } } })
    })
  )

  it.effect.each(["", "any"])("that says %o is one of an object, as arguments are", (type) =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* echo({ type, properties: { n: { type } }, required: ["n"] }))
      const [definition] = yield* runner.definitions
      expect(definition?.inputSchema).toEqual({ type: "object", properties: { n: {} }, required: ["n"] })
      expect((yield* runner.run(call({ n: [1, null] })))._tag).toBe("Success")
      expect((yield* runner.run(call({})))._tag).toBe("InvalidArguments")
    })
  )

  it.effect("that is refused makes an error with its place", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(echo({ type: "object", properties: { n: { type: "wibble" } } }))
      expect(error.message).toContain("properties.n.type")
    })
  )

  it.effect("asserts formats", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(
        yield* echo({ type: "object", properties: { day: { type: "string", format: "date" } } })
      )
      const outcome = expectOutcome(yield* runner.run(call({ day: "soon" })), "InvalidArguments")
      expect(outcome.issues.map(Issue.toText)).toEqual(['day: expected a date such as 2025-01-31, received "soon"'])
    })
  )

  it.effect.each([
    undefined,
    {},
    { type: "object" },
    { type: "object", $schema: "http://json-schema.org/draft-07/schema#" }
  ])("means no parameters: %j", (schema) =>
    Effect.gen(function* () {
      const toolset = yield* echo(schema)
      const runner = yield* ToolRunner.make(toolset)
      expect(expectOutcome(yield* runner.run(call({ reason: "x" })), "Success").encoded).toEqual({})
      const strict = yield* ToolRunner.make(toolset, { unknownArguments: "reject" })
      expectOutcome(yield* strict.run(call({ reason: "x" })), "InvalidArguments")
    })
  )

  it.effect("takes further properties, unless the policy rejects them", () =>
    Effect.gen(function* () {
      const toolset = yield* echo({ type: "object", properties: { a: {} } })
      const runner = yield* ToolRunner.make(toolset)
      expect(expectOutcome(yield* runner.run(call({ a: 1, b: 2 })), "Success").encoded).toEqual({ a: 1, b: 2 })
      const strict = yield* ToolRunner.make(toolset, { unknownArguments: "reject" })
      const outcome = expectOutcome(yield* strict.run(call({ a: 1, b: 2 })), "InvalidArguments")
      expect(outcome.issues.map((issue) => issue.path)).toEqual([["b"]])
    })
  )
})

describe("a hidden property of a dynamic tool", () => {
  const schema = {
    type: "object",
    properties: { customer: { type: "string" }, status: { type: "string" } },
    required: ["customer"]
  }

  it.effect("is not shown, and is given by the call context only", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* echo(schema, ["customer"]))
      expect(JSON.stringify(yield* runner.definitions)).not.toContain("customer")
      const run = (values: CallContext.Values) =>
        runner.run(call({ status: "open", Customer: "mine" })).pipe(CallContext.provide(values))
      const outcome = expectOutcome(yield* run({ customer: "c_1" }), "Success")
      expect(outcome.encoded).toEqual({ status: "open", customer: "c_1" })
      expectOutcome(yield* run({}), "MissingContext")
      expectOutcome(yield* run({ customer: 7 }), "MissingContext")
    })
  )

  it.effect.each([
    [schema, ["tenant"]],
    [{ ...schema, properties: { ...schema.properties, CUSTOMER: {} } }, ["customer"]],
    [{ ...schema, anyOf: [{ required: ["customer"] }] }, ["customer"]]
  ] as const)("has to be one that can be hidden: %j", ([given, hidden]) =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(echo(given, hidden)))._tag).toBe("InvalidTool")
    })
  )
})
