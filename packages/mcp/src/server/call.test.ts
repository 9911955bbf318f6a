import { expect, it } from "@effect/vitest"
import { NeedsInput, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { callTool } from "./call.js"
import type { Incoming } from "./incoming.js"
import { StateSeal } from "./state.js"
import type { Comes } from "./remembered.js"
import { serve } from "./tools.js"

const incoming: Incoming = {
  caller: { transport: "memory", revision: "2026-07-28", principal: undefined, client: undefined, headers: undefined },
  capabilities: { elicitation: {} },
  meta: undefined,
  answers: undefined,
  state: undefined,
  notify: () => Effect.void,
  log: () => Effect.void,
  request: () => Effect.never
}

it.effect(
  "keeps of a call what a client can come back for, and nothing of one that asks what no form has room for",
  () =>
    Effect.gen(function* () {
      const kept: Array<Comes> = []
      const toolset = yield* Toolset.dynamic([
        { name: "roomy", execute: () => Effect.fail(new NeedsInput({ asks: "What?", accepts: {} })) },
        { name: "plain", execute: () => Effect.fail(new NeedsInput({ asks: "What?", accepts: { type: "string" } })) }
      ])
      const runner = yield* ToolRunner.make(toolset)
      const offering = {
        runner,
        served: serve(yield* runner.definitions),
        isFiltered: false,
        values: undefined,
        approvals: "client",
        seal: new StateSeal(undefined, 60_000),
        tasks: undefined,
        forget: (_: string, comes: Comes) => Effect.sync(() => void kept.push(comes)),
        isGivingUp: false
      } as const
      for (const name of ["roomy", "plain"]) yield* callTool(offering, { name }, incoming)
      expect(kept).toEqual(["no more", "by state"])
    })
)
