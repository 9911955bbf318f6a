import { expect, it } from "@effect/vitest"
import { Either } from "effect"
import * as Anthropic from "./Anthropic.js"

const messageOf = (decoded: Either.Either<unknown, { readonly message: string }>) =>
  Either.match(decoded, { onLeft: (error) => error.message, onRight: () => "" })

it("says where a response or a request is not what its format says it should be", () => {
  expect(messageOf(Anthropic.decodeTurn({ content: [{ type: "tool_use", id: "toolu_1", name: 3 }] }))).toBe(
    "Not valid anthropic JSON: at content.0.name expected the name of a tool, received 3"
  )
  expect(messageOf(Anthropic.decodeRequest("[]"))).toBe(
    'Not valid anthropic JSON: at the body expected a request body, received "[]"'
  )
})
