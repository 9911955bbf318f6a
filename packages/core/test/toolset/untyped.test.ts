/** What plain JavaScript may give: what was to be kept back must not be shown, or offered. */
import { expect, it } from "@effect/vitest"
import { Facts, ToolRunner, Toolset } from "@wield/core"
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

// As plain JavaScript gives them.
const unsure = [async () => false, () => Effect.succeed(false)] as unknown as ReadonlyArray<() => boolean>

it.effect("a filter that gives a promise or an effect offers nothing", () =>
  Effect.gen(function* () {
    const tools = yield* Toolset.dynamic([pay])
    for (const decide of unsure) {
      for (const offer of [
        Toolset.filter(decide)(tools).offer,
        Toolset.filterEffect(Effect.succeed(decide))(tools).offer
      ]) {
        const exit = yield* Effect.exit(offer)
        expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("must give true or false")
      }
      const facts = Facts.make({ disclosure: "endpoint" })
      expect(() => Facts.staysLocal({ isEndpointAllowed: decide })({ name: "pay", facts })).toThrow("true or false")
    }
  })
)

it.effect.each<readonly [object, string]>([
  [{ offred: [] }, 'offred must be named as an option is (did you mean "offered"?)'],
  [{ context: new Map([["account", 1]]) }, "context must be an object, but is an instance of Map"],
  [{ context: Promise.resolve({}) }, "context must be an object, but is a promise"]
])("a run of %j does not begin", ([options, problem]) =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* Toolset.dynamic([pay]))
    expect(() => runner.forRun(options)).toThrow(problem)
  })
)

it.effect("what is no toolset is refused where it is given", () =>
  Effect.gen(function* () {
    const tools = yield* Toolset.dynamic([pay])
    for (const wrong of [undefined, [pay], Promise.resolve(tools), Toolset.dynamic([pay])]) {
      // As above.
      const given = wrong as unknown as typeof tools
      const exit = yield* Effect.exit(Effect.asVoid(ToolRunner.make(given)))
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("What a runner is made of must be a toolset")
      expect(() => Toolset.combine(tools, given)).toThrow("Number 2 of what is combined must be a toolset")
    }
  })
)
