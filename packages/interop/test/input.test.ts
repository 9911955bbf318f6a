import { CodeMode } from "@wield/code-mode"
import { Approval, CurrentCall, NeedsInput, ToolCall, ToolResult, ToolRunner, Toolset } from "@wield/core"
import type { Waiting } from "@wield/interop/approval"
import * as AiSdk from "@wield/interop/ai-sdk"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { makeHost } from "../src/internal/host.js"

const host = Effect.gen(function* () {
  const toolset = yield* Toolset.dynamic([
    {
      name: "book",
      execute: () =>
        Effect.flatMap(CurrentCall.CurrentCall, ({ input }) =>
          input?.round === 2
            ? Effect.succeed(`booked ${String(input.reply)}`)
            : Effect.fail(
                new NeedsInput({ asks: `question ${input === undefined ? 1 : 2}`, accepts: { type: "string" } })
              )
        )
    }
  ])
  const runner = yield* ToolRunner.make(toolset)
  return yield* makeHost(runner.forRun({ id: "r" }))
})

const call = ToolCall.make("call_1", "book", {})

it("asks a host's person for the input that a call waits for, until it waits no more", async () => {
  const { execute } = await Effect.runPromise(host)
  const asked: Array<unknown> = []
  const ask = ({ input }: Waiting) => {
    asked.push(input?.asks)
    return { input: asked.length === 1 ? "aisle" : "window" }
  }
  expect(ToolResult.toText(await execute(call, { ask }))).toBe("booked window")
  expect(asked).toEqual(["question 1", "question 2"])
})

it("says why a call that asks for input is not run, where the host has no one to ask, or the reply does not fit", async () => {
  const { execute } = await Effect.runPromise(host)
  expect(ToolResult.toText(await execute(call))).toContain("it asks for input, and this host has no one to ask")
  expect(ToolResult.toText(await execute(call, { ask: () => ({ input: 7 }) }))).toContain("reply: expected a string")
  expect(ToolResult.toText(await execute(call, { ask: () => ({ deny: "no" }) }))).toContain(
    "denied when it asked for input, and did not go on: no"
  )
})

it("says which calls of a program need a person's answer, to a host that does not ask about calls within a call", async () => {
  const done: Array<string> = []
  const program = Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.sync(() => done.push("pay")) }])
    const programs = yield* CodeMode.make(toolset, { policy: { approval: () => Approval.ask("it costs") } })
    const { tools } = yield* AiSdk.fromRun((yield* ToolRunner.make(programs)).forRun({ id: "r" }))
    const given = { code: "return await Promise.all([tools.pay(), tools.pay()])" }
    const options = { toolCallId: "call_1", messages: [], context: undefined } as never // as the SDK calls it
    return yield* Effect.promise(async () => {
      try {
        return String(await tools["run_program"]?.execute?.(given, options))
      } catch (error) {
        return String(error)
      }
    })
  })
  const text = await Effect.runPromise(Effect.scoped(program))
  expect(text).toContain("it has made calls that need a person's answer (pay)")
  expect(text).toContain("These were not run")
  expect(done).toEqual([])
})
