/**
 * What a person approved is the tool as it was defined then: a response to
 * another is stale. The journal knows a call by less, so that a text which was
 * reworded makes nothing happen twice.
 */
import { describe, expect, it } from "@effect/vitest"
import { Approval, Journal, Response, StaleResponse, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { expectOutcome } from "../../tools/outcomes.js"

const text = { type: "string" }
const tool = {
  name: "pay",
  description: "Pays",
  inputSchema: { type: "object", properties: { to: text, account: text, secret: text }, required: ["to"] },
  outputSchema: { type: "string" },
  facts: { title: "Pay" },
  hidden: ["secret"],
  execute: () => Effect.succeed("paid")
}

const altered = {
  "its description": { ...tool, description: "Pays at once" },
  "its input schema": { ...tool, inputSchema: { ...tool.inputSchema, required: ["to", "account"] } },
  "its output schema": { ...tool, outputSchema: { type: "number" } },
  "its facts": { ...tool, facts: { title: "Pay", isReadOnly: true } },
  "its hidden fields": {
    ...tool,
    inputSchema: { ...tool.inputSchema, properties: { to: text, account: text, key: text } },
    hidden: ["key"]
  }
}

const call = ToolCall.make("c", "pay", { to: "ada", account: "1" })

/** A toolset as a process has it that was started anew. */
const runWith = (definition: Toolset.DynamicTool, journal?: Journal.Service) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([definition])
    const runner = yield* ToolRunner.make(toolset, { journal, approval: () => Approval.ask() })
    return runner.forRun({ id: "r", context: { secret: "s", key: "k" } })
  })

const deferredBy = (definition: Toolset.DynamicTool) =>
  Effect.gen(function* () {
    const run = yield* runWith(definition)
    return expectOutcome(yield* run.run(call), "Deferred")
  })

it.effect("the digest of what waits is the same in every process, whatever the order of keys", () =>
  Effect.gen(function* () {
    const { description, inputSchema, name, ...others } = tool
    const reordered = {
      ...others,
      inputSchema: { required: ["to"], properties: inputSchema.properties, type: "object" },
      name,
      description
    }
    const digests = yield* Effect.forEach([tool, { ...tool }, reordered], deferredBy)
    expect(new Set(digests.map(({ digest }) => digest)).size).toBe(1)
    expect(digests[0]?.digest).toMatch(/^[0-9a-f]{64}$/)
  })
)

describe("an approval is refused when the tool has altered", () => {
  for (const [what, definition] of Object.entries(altered)) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const approved = yield* deferredBy(tool)
        const run = yield* runWith({ ...definition, execute: () => Effect.die("must not run") })
        const again = expectOutcome(yield* run.run(call), "Deferred")
        expect(again.digest).not.toBe(approved.digest)
        expect(yield* Effect.flip(run.resume(approved, Response.approve))).toBeInstanceOf(StaleResponse)
        expect(yield* Effect.flip(run.check(approved, Response.approve))).toBeInstanceOf(StaleResponse)
      })
    )
  }
})

it.effect("a tool that is altered while its call waits has to be approved anew", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([tool])
    const run = (yield* ToolRunner.make(toolset, { approval: () => Approval.ask() })).forRun({
      context: { secret: "s" }
    })
    const approved = expectOutcome(yield* run.run(call), "Deferred")
    yield* toolset.put({ ...tool, description: "Pays at once" })
    expect(yield* Effect.flip(run.resume(approved, Response.approve))).toBeInstanceOf(StaleResponse)
    yield* toolset.put(tool)
    expectOutcome(yield* run.resume(approved, Response.approve), "Success")
  })
)

it.effect("a tool that was only reworded does not run a finished call again", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.memory
    let runs = 0
    const counting = { ...tool, execute: () => Effect.sync(() => `paid ${++runs}`) }
    const run = yield* runWith(counting, journal)
    yield* run.resume(expectOutcome(yield* run.run(call), "Deferred"), Response.approve)
    const restarted = yield* runWith({ ...counting, description: "Pays at once" }, journal)
    // Nor is anybody asked again about it.
    const again = expectOutcome(yield* restarted.run(call), "Success")
    expect(again.encoded).toBe("paid 1")
    expect(runs).toBe(1)
  })
)
