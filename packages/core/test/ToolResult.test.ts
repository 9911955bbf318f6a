import { expect, it } from "@effect/vitest"
import { Content, ToolResult } from "@wield/core"

it("a result is its value where nothing stands beside it, else its text", () => {
  const value = { hour: 12 }
  const result = { id: "call_1", name: "now", isError: false, content: [Content.json(value)], structured: value }
  expect(ToolResult.toValue(result)).toEqual(value)
  const withText = { ...result, content: [...result.content, Content.text("noon")] }
  expect(ToolResult.toValue(withText)).toBe('{"hour":12}\nnoon')
})
