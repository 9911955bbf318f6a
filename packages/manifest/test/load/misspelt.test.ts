import { expect, it } from "@effect/vitest"
import { Manifest } from "@wield/manifest"
import { Either } from "effect"

const tool = (more: string) =>
  `[{ "type": "client", ${more} "function": { "name": "orders", "description": "Orders", "parameters": { "type": "object", "properties": { "customerId": { "type": "string" } } } } }]`

const messageOf = (text: string): string =>
  Either.match(Manifest.parse(text), { onLeft: (error) => error.message, onRight: () => "loaded" })

it("a misspelt context is an error: it would show the model what was to be hidden", () => {
  expect(messageOf(tool('"contxt": ["customerId"],'))).toContain('did you mean "context"')
  expect(messageOf(tool('"contexts": ["customerId"],'))).toContain('did you mean "context"')
  expect(messageOf(tool('"context": ["customerId"],'))).toBe("loaded")
})

it("what stands in a wrong place is not quoted: it may be a secret", () => {
  const message = messageOf('{ "prompt": "p", "apis": { "key": "sk-live-verysecret" }, "tools": [] }')
  expect(message).not.toContain("verysecret")
  expect(message).toContain("but is a text")
})
