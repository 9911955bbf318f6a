/** Schemas of Effect 4 as parameters and results, beside an application's own Effect 4. */
import * as Effect from "effect4/Effect"
import * as Schema from "effect4/Schema"
import { expect, it } from "vitest"
import { tool, wield } from "wield"

const Refund = Schema.Struct({
  customerId: Schema.String,
  amount: Schema.Finite.check(Schema.isGreaterThan(0)),
  on: Schema.optionalKey(Schema.DateFromString)
})
const both = Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Refund))

const call = (id: string, args: object) => ({
  id,
  type: "function",
  function: { name: "refund", arguments: JSON.stringify(args) }
})
const responseOf = (...calls: ReadonlyArray<object>) => ({
  choices: [{ message: { role: "assistant", content: null, tool_calls: calls } }]
})

it("a schema that is both a Standard Schema and a Standard JSON Schema decodes, refines and hides", async () => {
  const refund = tool("refund", {
    parameters: both,
    hidden: ["customerId"],
    execute: async ({ amount, customerId, on }, { signal }) =>
      Effect.runPromise(Effect.succeed(`${amount.toFixed(1)} to ${customerId} in ${on?.getUTCFullYear()}`), { signal })
  })
  await using shop = await wield({ tools: [refund] })
  const run = shop.run({ context: { customerId: "c_42" } })
  const response = responseOf(
    call("1", { amount: 5, on: "2026-01-01T00:00:00Z" }),
    call("2", { amount: -5 }),
    call("3", { amount: "x" })
  )
  const { outcomes } = await run.answer("openai-chat", response)
  expect(outcomes.map((outcome) => (outcome._tag === "Success" ? outcome.result : outcome._tag))).toEqual([
    "5.0 to c_42 in 2026",
    "InvalidArguments",
    "InvalidArguments"
  ])
  expect(JSON.stringify(await run.tools("openai-chat"))).not.toContain("customerId")
})

// What a compiler would refuse comes from JavaScript.
const offer = (declaration: object) =>
  wield({ tools: [tool("refund", { execute: () => "done", ...declaration } as never)] })

it.each([
  ["parameters that are a Standard JSON Schema alone", { parameters: Schema.toStandardJSONSchemaV1(Refund) }],
  ["parameters that are a Standard Schema alone", { parameters: Schema.toStandardSchemaV1(Refund) }],
  ["an output that is a Standard JSON Schema alone", { outputSchema: Schema.toStandardJSONSchemaV1(Schema.Struct({})) }]
])("%s are refused at the declaration, with what to write instead", async (_, declaration) => {
  await expect(offer(declaration)).rejects.toThrow("Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(schema))")
})
