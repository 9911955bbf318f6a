import { expect, it } from "@effect/vitest"
import { Facts, ToolDefinition } from "@wield/core"
import * as FastCheck from "effect/FastCheck"
import * as OpenAiChat from "../OpenAiChat.js"
import * as OpenAiResponses from "../OpenAiResponses.js"
import type { ToolsOptions } from "../WireFormat.js"

const find = ToolDefinition.make({
  name: "find",
  description: "Finds",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" }, limit: { type: "integer", minimum: 1 } },
    required: ["text"]
  }
})
const tags = ToolDefinition.make({
  name: "tags",
  inputSchema: { type: "object", properties: { tags: { type: "object", additionalProperties: { type: "string" } } } }
})
const search = ToolDefinition.make({
  name: "OpenAiWebSearch",
  provider: { id: "openai.web_search", name: "web_search", settings: { search_context_size: "low" } }
})

const strictParameters = {
  type: "object",
  properties: { text: { type: "string" }, limit: { type: ["integer", "null"], minimum: 1 } },
  required: ["text", "limit"],
  additionalProperties: false
}

it("sends strict schemas in strict mode, and says which tool cannot have one", () => {
  const chat = OpenAiChat.encodeTools([find, tags], { isStrict: true })
  expect(chat.body).toStrictEqual({
    tools: [
      {
        type: "function",
        function: { name: "find", description: "Finds", parameters: strictParameters, strict: true }
      },
      { type: "function", function: { name: "tags", parameters: tags.inputSchema } }
    ]
  })
  expect(chat.losses).toMatchObject([
    { subject: "tags", path: ["properties", "tags"], keyword: "additionalProperties" }
  ])
  expect(OpenAiResponses.encodeTools([find, tags], { isStrict: true }).body).toStrictEqual({
    tools: [
      { type: "function", name: "find", description: "Finds", parameters: strictParameters, strict: true },
      { type: "function", name: "tags", parameters: tags.inputSchema, strict: false }
    ]
  })
})

it("sends schemas as they are without strict mode, which the Responses API is told", () => {
  expect(OpenAiChat.encodeTools([find]).body).toStrictEqual({
    tools: [{ type: "function", function: { name: "find", description: "Finds", parameters: find.inputSchema } }]
  })
  expect(OpenAiResponses.encodeTools([find]).body).toStrictEqual({
    tools: [{ type: "function", name: "find", description: "Finds", parameters: find.inputSchema, strict: false }]
  })
})

it("gives an object without properties the empty ones that the API demands", () => {
  const now = ToolDefinition.make({ name: "now", inputSchema: { type: "object" } })
  expect(OpenAiChat.encodeTools([now]).body).toMatchObject({
    tools: [{ function: { parameters: { type: "object", properties: {} } } }]
  })
})

it("passes a tool of the API's own through, and reports one of another API", () => {
  const foreign = ToolDefinition.make({ name: "bash", provider: { id: "anthropic.bash", name: "bash", settings: {} } })
  const { body, losses } = OpenAiResponses.encodeTools([search, foreign])
  expect(body).toStrictEqual({ tools: [{ type: "web_search", search_context_size: "low" }] })
  expect(losses).toMatchObject([{ subject: "bash", keyword: "provider" }])
})

it("reports examples, which neither API has a field for", () => {
  const tool = ToolDefinition.make({ name: "now", facts: Facts.make({ examples: [{ zone: "UTC" }] }) })
  for (const format of [OpenAiChat, OpenAiResponses]) {
    expect(format.encodeTools([tool]).losses).toMatchObject([{ subject: "now", keyword: "examples" }])
  }
})

const named = ToolDefinition.make({
  name: "sql",
  provider: { id: "openai.custom", name: "sql", settings: { type: "custom", name: "sql", format: { type: "text" } } }
})

const cases: ReadonlyArray<readonly [ToolsOptions, unknown, unknown]> = [
  [{ choice: { _tag: "Auto" } }, "auto", "auto"],
  [{ choice: { _tag: "None" } }, "none", "none"],
  [{ choice: { _tag: "Required" } }, "required", "required"],
  [
    { choice: { _tag: "OneOf", names: ["find"] } },
    { type: "function", function: { name: "find" } },
    { type: "function", name: "find" }
  ],
  [
    { choice: { _tag: "OneOf", names: ["sql"] } },
    { type: "custom", custom: { name: "sql" } },
    { type: "custom", name: "sql" }
  ],
  [
    { choice: { _tag: "OneOf", names: ["find", "OpenAiWebSearch"] } },
    {
      type: "allowed_tools",
      allowed_tools: {
        mode: "required",
        tools: [{ type: "function", function: { name: "find" } }, { type: "web_search" }]
      }
    },
    { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "find" }, { type: "web_search" }] }
  ],
  [{ choice: { _tag: "OneOf", names: ["nothing"] } }, "none", "none"]
]

it.each(cases)("writes the choice of %j", (options, chat, responses) => {
  expect(OpenAiChat.encodeTools([find, search, named], options).body["tool_choice"]).toStrictEqual(chat)
  expect(OpenAiResponses.encodeTools([find, search, named], options).body["tool_choice"]).toStrictEqual(responses)
})

it("says whether calls may be parallel only when asked, and nothing of tools when there are none", () => {
  expect(OpenAiChat.encodeTools([find], { isParallel: false }).body["parallel_tool_calls"]).toBe(false)
  const { body, losses } = OpenAiChat.encodeTools([], { isParallel: true, choice: { _tag: "Required" } })
  expect(body).toStrictEqual({})
  expect(losses).toMatchObject([{ keyword: "tool_choice" }])
})

const definition = FastCheck.record({
  name: FastCheck.string({ minLength: 1, maxLength: 90 }),
  description: FastCheck.option(FastCheck.string(), { nil: undefined }),
  inputSchema: FastCheck.dictionary(
    FastCheck.string(),
    FastCheck.constantFrom({ type: "string" }, { type: "number" })
  ).map((properties) => ({ type: "object", properties }))
}).map(ToolDefinition.make)

const definitions = FastCheck.uniqueArray(definition, { selector: (made) => made.name, maxLength: 6 })

it("gives equal bytes for equal definitions, whatever was encoded before", () => {
  FastCheck.assert(
    FastCheck.property(definitions, FastCheck.boolean(), (made, isStrict) => {
      for (const format of [OpenAiChat.format, OpenAiResponses.format]) {
        const first = JSON.stringify(format.encodeTools(made, { isStrict }))
        format.encodeTools([...made].reverse(), { isStrict: !isStrict })
        const copies = made.map((one) => ToolDefinition.make({ ...one, inputSchema: structuredClone(one.inputSchema) }))
        expect(JSON.stringify(format.encodeTools(copies, { isStrict }))).toBe(first)
        expect(JSON.stringify(format.encodeTools(made, { isStrict }))).toBe(first)
      }
    })
  )
})

it("sends only names that the API accepts, each for one tool, and reads every one back", () => {
  FastCheck.assert(
    FastCheck.property(definitions, (made) => {
      const { tools = [] } = JSON.parse(JSON.stringify(OpenAiChat.encodeTools(made).body))
      const natives: ReadonlyArray<string> = tools.map((tool: { function: { name: string } }) => tool.function.name)
      expect(new Set(natives).size).toBe(made.length)
      for (const [index, native] of natives.entries()) {
        expect(native).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        const turn = OpenAiChat.decodeTurn(
          { choices: [{ message: { tool_calls: [{ id: "a", function: { name: native, arguments: "{}" } }] } }] },
          { definitions: made }
        )
        expect(turn).toMatchObject({ right: { parts: [{ call: { name: made[index]?.name }, nativeName: native }] } })
      }
    })
  )
})
