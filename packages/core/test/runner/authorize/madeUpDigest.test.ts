import { expect, it } from "@effect/vitest"
import { Approval, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import * as Digest from "../../../src/Digest.js"

const call = ToolCall.make("c", "pay", { amount: 5 })

it.effect("a digest made up of public facts does not pass a tool that has a handler by its approval rule", () =>
  Effect.gen(function* () {
    const paid: Array<unknown> = []
    const toolset = yield* Toolset.dynamic([
      {
        name: "pay",
        inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
        execute: (args: unknown) => Effect.sync(() => void paid.push(args))
      }
    ])
    const runner = yield* ToolRunner.make(toolset, { approval: () => Approval.deny("never") })
    const run = runner.forRun({ id: "r" })
    const [definition] = yield* run.definitions
    if (definition === undefined) return expect.unreachable()
    const { description, facts, inputSchema, name, outputSchema } = definition
    const fingerprint = Digest.ofValues(name, description, inputSchema, outputSchema, facts, [])
    for (const shown of [{ amount: 5 }, { amount: 5_000_000 }]) {
      const waiting = { call, name: "pay", digest: Digest.ofValues(fingerprint, shown, "client"), arguments: shown }
      const error = yield* Effect.flip(run.resume(waiting, Response.result(null)))
      expect(error).toMatchObject({ _tag: "StaleResponse" })
    }
    expect(paid).toEqual([])
  })
)
