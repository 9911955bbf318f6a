/** What plain JavaScript may give: a misspelt name must not show, or offer, what was to be kept back. */
import { expect, it } from "@effect/vitest"
import { ToolRunner, Toolset } from "@wield/core"
import { Cause, Effect, Exit } from "effect"

const pay: Toolset.DynamicTool = { name: "pay", execute: () => Effect.succeed("paid") }

it.effect.each<readonly [object, string]>([
  [{ hiden: ["account"] }, 'hiden must be named as an option is (did you mean "hidden"?)'],
  [{ hidden: "account" }, "hidden must be an array of texts"],
  [{ facts: { isReadonly: true } }, 'facts.isReadonly must be named as an option is (did you mean "isReadOnly"?)'],
  [{ facts: { isReadOnly: "yes" } }, "facts.isReadOnly must be true or false"]
])("a tool with %j is refused", ([more, problem]) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Toolset.dynamic([{ ...pay, ...more }]))
    expect(error.message).toContain(problem)
  })
)

it.effect("a filter that gives a promise or an effect offers nothing", () =>
  Effect.gen(function* () {
    const tools = yield* Toolset.dynamic([pay])
    for (const decide of [async () => false, () => Effect.succeed(false)]) {
      // As plain JavaScript gives it.
      const offer = Toolset.filter(decide as unknown as () => boolean)(tools).offer
      const exit = yield* Effect.exit(Effect.suspend(() => offer))
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("must give true or false")
    }
  })
)

it.effect("a run with a misspelt option does not begin", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* Toolset.dynamic([pay]))
    const options = { offred: [] } as ToolRunner.NestedRunOptions
    expect(() => runner.forRun(options)).toThrow('offred must be named as an option is (did you mean "offered"?)')
  })
)
