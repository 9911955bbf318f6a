import { expect, it } from "@effect/vitest"
import { ToolDefinition, Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as Gemini from "../Gemini.js"

const format = Gemini.make({ schema: "openapi" })

const find = ToolDefinition.make({
  name: "find",
  inputSchema: {
    type: "object",
    properties: {
      level: { enum: [1, 2] },
      of: { $ref: "#/$defs/Node" },
      extra: { type: "object" }
    },
    required: ["level"],
    $defs: { Node: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/Node" } } } }
  }
})

const now = ToolDefinition.make({ name: "now" })

it("offers schemas in `parameters`, without references, and reports what that loses", () => {
  const { body, losses } = format.encodeTools([find, now])
  expect(body).toMatchObject({
    tools: [
      {
        functionDeclarations: [
          {
            name: "find",
            parameters: {
              type: "OBJECT",
              properties: {
                level: { type: "STRING", enum: ["1", "2"] },
                of: { type: "OBJECT", properties: { name: { type: "STRING" } } },
                extra: { type: "STRING" }
              },
              required: ["level"]
            }
          },
          { name: "now" }
        ]
      }
    ]
  })
  expect(JSON.stringify(body)).not.toMatch(/parametersJsonSchema|\$ref/)
  expect(losses.map((loss) => loss.keyword)).toEqual(expect.arrayContaining(["$ref", "enum"]))
})

const sent = { level: "2", extra: '{"a":[1]}' }
const meant = { level: 2, extra: { a: [1] } }

it("reads back what was asked for as text, streamed or not, and keeps the content as it came", () => {
  const offered = { definitions: [find] }
  const content = { role: "model", parts: [{ functionCall: { name: "find", args: sent } }] }
  const response = { candidates: [{ content, finishReason: "STOP" }], responseId: "r1" }
  const whole = Either.getOrThrow(format.decodeTurn(response, offered))
  expect(Turn.calls(whole)).toMatchObject([{ arguments: meant }])
  expect(whole.native).toEqual([content])

  const decoder = format.streamDecoder(offered)
  const read = (chunk: unknown) => decoder.push(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`))
  expect(read(response).at(-1)).toMatchObject({ _tag: "CallComplete", part: { call: { arguments: meant } } })
  expect(decoder.end().at(-1)).toEqual({ _tag: "Finished", turn: whole })
})

it("reads the arguments of the other dialect as they are", () => {
  const content = { parts: [{ functionCall: { name: "find", args: sent } }] }
  const turn = Gemini.decodeTurn({ candidates: [{ content }] }, { definitions: [find] })
  expect(Either.map(turn, Turn.calls)).toMatchObject({ right: [{ arguments: sent }] })
})

it("puts a request back as it stood", () => {
  const body = {
    contents: [],
    tools: [{ functionDeclarations: [{ name: "now", parametersJsonSchema: { type: "object" } }] }]
  }
  const request = Either.getOrThrow(format.decodeRequest(body))
  expect(format.encodeRequest(request).body).toEqual(body)
})
