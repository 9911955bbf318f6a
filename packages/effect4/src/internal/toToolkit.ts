/** A toolset as the toolkit of a `LanguageModel` of Effect 4. */
import {
  Effect as Effect3,
  Outcome as Outcome3,
  ToolResult as ToolResult3,
  ToolRunner as ToolRunner3
} from "@wield/effect3"
import * as Effect from "effect/Effect"
import type { Policy } from "../Policy.js"
import * as Ai from "./effectAi.js"
import { outcomeFrom3 } from "./outcomes.js"
import { policyTo3 } from "./policies.js"
import { into4 } from "./seam.js"
import type { Parts } from "./toolsets.js"

export const toolkitOfToolset = ({ rules, toolset }: Parts, policy: Policy, options: object) =>
  into4(
    Effect3.gen(function* () {
      const runner = yield* ToolRunner3.make(toolset, yield* policyTo3(policy, rules))
      // Of which response a call is, is not said, and some servers use their ids again in the next: each is a turn.
      const run = runner.forRun(options)
      const runOf = () => run.forRun({ turn: crypto.randomUUID() })
      const definitions = yield* run.definitions
      const tools = definitions.map(({ description, inputSchema, name }) =>
        Ai.shadowOf(name, description, { ...inputSchema })
      )
      return Ai.toolkitOf(Object.fromEntries(tools.map((tool) => [tool.name, tool])), (name, params, id) =>
        Effect.map(
          // A toolset that has come to collide since is the program's mistake.
          Effect.orDie(into4(runOf().settle([{ id: id ?? crypto.randomUUID(), name, arguments: params }]))),
          // One call, one outcome.
          ([outcome]) => resultOf(outcome as Outcome3.Outcome)
        )
      )
    })
  )

const resultOf = (outcome: Outcome3.Outcome): Ai.HandledResult => {
  const rendered = Outcome3.render(outcome)
  if (rendered === undefined) {
    const encodedResult = `The call of ${outcome.name} waits for an answer, which cannot be given here. It was not run.`
    return { isFailure: true, result: outcome, encodedResult }
  }
  const own = outcomeFrom3(outcome)
  return {
    isFailure: rendered.isError,
    result: own._tag === "Success" ? own.result : own._tag === "Failure" ? own.failure : own,
    encodedResult: ToolResult3.toValue(rendered)
  }
}
