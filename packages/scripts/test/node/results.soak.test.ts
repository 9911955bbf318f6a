import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { repliesOf } from "./driver.js"

it.scoped("results arrive whole where they have many megabytes", () =>
  Effect.gen(function* () {
    const length = 25_000_000
    const [reply] = yield* repliesOf(`export const run = () => ["é".repeat(${length})]`)
    expect(reply?.type === "value" && Array.isArray(reply.value) && String(reply.value[0]).length).toBe(length)
  })
)
