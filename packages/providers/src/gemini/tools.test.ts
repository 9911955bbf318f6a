import { expect, it } from "@effect/vitest"
import { Facts, ToolDefinition } from "@wield/core"
import { makeEncodeTools } from "./tools.js"

const encodeTools = makeEncodeTools("json-schema")

const orders = ToolDefinition.make({
  name: "get_orders",
  description: "Orders of the customer",
  inputSchema: {
    type: "object",
    properties: { kind: { const: "order" }, status: { type: "string", minLength: 1 } },
    required: ["status"]
  }
})
const search = ToolDefinition.make({
  name: "web",
  provider: { id: "google.googleSearch", name: "googleSearch", settings: {} }
})

it("declares functions with their whole schema, and reports what Gemini does not enforce", () => {
  expect(encodeTools([orders])).toEqual({
    body: {
      tools: [
        {
          functionDeclarations: [
            {
              name: "get_orders",
              description: "Orders of the customer",
              parametersJsonSchema: {
                type: "object",
                properties: { kind: { type: "string", enum: ["order"] }, status: { type: "string", minLength: 1 } },
                required: ["status"]
              }
            }
          ]
        }
      ]
    },
    losses: [
      {
        subject: "get_orders",
        path: ["properties", "status"],
        keyword: "minLength",
        reason: "Gemini takes the keyword and does not enforce it."
      }
    ]
  })
})

it("offers Google's own tools beside functions, with the switch that this needs", () => {
  const { body } = encodeTools([search, orders])
  expect(body).toMatchObject({
    tools: [{ functionDeclarations: [{}] }, { googleSearch: {} }],
    toolConfig: { includeServerSideToolInvocations: true }
  })
})

it("sends no calling mode without functions, which the API would refuse", () => {
  expect(encodeTools([search], { choice: { _tag: "Required" } }).body).toEqual({ tools: [{ googleSearch: {} }] })
  expect(encodeTools([], { choice: { _tag: "Required" } }).body).toEqual({})
})

it("leaves out a tool of another API", () => {
  const foreign = ToolDefinition.make({
    name: "files",
    provider: { id: "openai.file_search", name: "file_search", settings: {} }
  })
  expect(encodeTools([foreign])).toMatchObject({ body: {}, losses: [{ subject: "files", keyword: "provider" }] })
})

it.each([
  [{ choice: { _tag: "Auto" } }, { mode: "AUTO" }],
  [{ choice: { _tag: "None" } }, { mode: "NONE" }],
  [{ choice: { _tag: "Required" } }, { mode: "ANY" }],
  [
    { choice: { _tag: "OneOf", names: ["get_orders", "a b"] } },
    { mode: "ANY", allowedFunctionNames: ["get_orders", expect.stringMatching(/^a_b_/)] }
  ],
  [{ choice: { _tag: "OneOf", names: [] } }, { mode: "NONE" }],
  [{ isStrict: true }, { mode: "VALIDATED" }],
  [{ isStrict: true, choice: { _tag: "Required" } }, { mode: "ANY" }]
] as const)("says %j as %j", (options, functionCallingConfig) => {
  const { body } = encodeTools([orders, ToolDefinition.make({ name: "a b" })], options)
  expect(body["toolConfig"]).toEqual({ functionCallingConfig })
})

it("reports that calls cannot be made one at a time, and that examples are not told", () => {
  const definition = ToolDefinition.make({ name: "now", facts: Facts.make({ examples: [{}] }) })
  expect(encodeTools([definition], { isParallel: false }).losses.map((loss) => loss.keyword)).toEqual([
    "examples",
    "isParallel"
  ])
})
