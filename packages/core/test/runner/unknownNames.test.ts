/** A policy that names tools which are not there. */
import { expect, it } from "@effect/vitest"
import { Approval, type Policy, ToolRunner, Toolset } from "@wield/core"
import { Effect, Logger } from "effect"

const tool = (name: string) => ({ name, execute: () => Effect.void })

/** What is logged when a runner is made. */
const logged = (
  policy: Policy.Policy,
  change: (toolset: Toolset.DynamicToolset) => Toolset.Toolset<Toolset.DynamicTools> = (toolset) => toolset
) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
    const toolset = yield* Toolset.dynamic([tool("pick"), tool("remove_files")])
    yield* Effect.provide(ToolRunner.make(change(toolset), policy), Logger.replace(Logger.defaultLogger, logger))
    return lines
  })

const rule = () => Approval.ask()
const brief = { timeout: "1 second" } as const

it.effect("a rule or limit for a name that no tool has is warned of, with the name that was meant", () =>
  Effect.gen(function* () {
    expect(
      yield* logged({
        approval: { pcik: rule, pick: rule, toString: rule },
        limits: { dynamic: { removefiles: brief, remove_files: brief } }
      })
    ).toEqual([
      'WARN The policy has a rule of `approval` for "pcik", but no tool has that name now; did you mean "pick"?',
      'WARN The policy has a rule of `approval` for "toString", but no tool has that name now',
      'WARN The policy has an entry of `limits.dynamic` for "removefiles", but no tool has that name now; did you mean "remove_files"?'
    ])
  })
)

it.effect("names are those under which tools are offered, and what is withheld from some is known", () =>
  Effect.gen(function* () {
    const approval = { my_pick: rule, my_remove_files: rule }
    expect(
      yield* logged({ approval }, (toolset) =>
        toolset.pipe(
          Toolset.prefix("my_"),
          Toolset.filter(({ name }) => name === "my_pick")
        )
      )
    ).toEqual([])
    expect(yield* logged({ approval: { pick: rule } }, Toolset.prefix("my_"))).toEqual([
      'WARN The policy has a rule of `approval` for "pick", but no tool has that name now; did you mean "my_pick"?'
    ])
  })
)

it.effect("a policy whose names are all there is not spoken of, nor one rule for all", () =>
  Effect.gen(function* () {
    expect(yield* logged({ approval: { pick: rule }, limits: { default: brief } })).toEqual([])
    expect(yield* logged({ approval: rule })).toEqual([])
    expect(yield* logged({})).toEqual([])
  })
)
