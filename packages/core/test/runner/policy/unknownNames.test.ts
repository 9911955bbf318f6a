/** A policy that names tools which are not there. */
import { expect, it } from "@effect/vitest"
import { Approval, type Policy, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Logger } from "effect"

const tools = ["pick", "remove_files"].map((name) => ({ name, execute: () => Effect.succeed(name) }))
const rule = () => Approval.ask()
const brief = { timeout: "1 second" } as const

type Dynamic = Toolset.Toolset<Toolset.DynamicTools>

/** What is wrong with the policy of tools that never change. */
const refused = (
  policy: Policy.Policy<Toolset.DynamicTools>,
  change: (toolset: Dynamic) => Dynamic = (toolset) => toolset
) =>
  Effect.flatMap(Toolset.constant(tools), (toolset) =>
    Effect.match(ToolRunner.make(change(toolset), policy), {
      onFailure: ({ message }) => message,
      onSuccess: () => undefined
    })
  )

const linesOf = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<ReadonlyArray<string>, E> =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
    return Effect.as(Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)), lines)
  })

/** What is logged when a runner is made of tools that come and go. */
const logged = (policy: Policy.Policy<Toolset.DynamicTools>) =>
  linesOf(Effect.flatMap(Toolset.dynamic(tools), (toolset) => ToolRunner.make(toolset, policy)))

it.effect("a rule or limit for a name that none of the tools can have is refused, with the name that was meant", () =>
  Effect.gen(function* () {
    expect(yield* refused({ approval: { pcik: rule, pick: rule } })).toBe(
      'approval.pcik of the policy must be named as a tool is (did you mean "pick"?), but is named "pcik"'
    )
    expect(yield* refused({ approval: { toString: rule } })).toBe(
      'approval.toString of the policy must be named as a tool is (there are pick, remove_files), but is named "toString"'
    )
    expect(yield* refused({ limits: { dynamic: { removefiles: brief } } })).toContain('"remove_files"')
    const others = { approval: { "*": { pcik: rule } } } as unknown as Policy.Policy<Toolset.DynamicTools>
    expect(yield* refused(others)).toContain('did you mean "pick"?')
  })
)

it.effect("an option that no policy has is refused, also where it stands within another one", () =>
  Effect.gen(function* () {
    const of = (policy: object) => refused(policy as Policy.Policy<Toolset.DynamicTools>)
    expect(yield* of({ aproval: rule })).toBe(
      'aproval of the policy must be named as an option is (did you mean "approval"?), but is named "aproval"'
    )
    expect(yield* of({ limits: { default: { timout: 5 } } })).toContain("limits.default.timout of the policy")
    expect(yield* of({ limits: { pick: brief } })).toContain("(there are default, tools, dynamic)")
  })
)

it.effect("where tools come and go, the name is logged as an error, and the tool that comes has its rule", () =>
  Effect.gen(function* () {
    expect(yield* logged({ approval: { pcik: rule }, limits: { dynamic: { removefiles: brief } } })).toEqual([
      'ERROR approval.pcik of the policy must be named as a tool is (did you mean "pick"?), but is named "pcik". It protects nothing until a tool of that name is there',
      'ERROR limits.dynamic.removefiles of the policy must be named as a tool is (did you mean "remove_files"?), but is named "removefiles". It protects nothing until a tool of that name is there'
    ])
    const toolset = yield* Toolset.dynamic(tools)
    const runner = yield* ToolRunner.make(toolset, { approval: { pay: rule } })
    yield* toolset.put({ name: "pay", execute: () => Effect.succeed("paid") })
    expect((yield* Effect.orDie(runner.run(ToolCall.make("call_1", "pay", "{}"))))._tag).toBe("Deferred")
  })
)

it.effect("names are those under which tools are offered, and what is withheld from some is known", () =>
  Effect.gen(function* () {
    const approval = { my_pick: rule, my_remove_files: rule }
    const some = (toolset: Dynamic) =>
      toolset.pipe(
        Toolset.prefix("my_"),
        Toolset.filter(({ name }) => name === "my_pick")
      )
    expect(yield* refused({ approval }, some)).toBe(undefined)
    expect(yield* refused({ approval: { pick: rule } }, Toolset.prefix("my_"))).toContain("(there are my_pick,")
  })
)

it.effect("a policy whose names are all there is taken, and so is one rule for all", () =>
  Effect.gen(function* () {
    for (const policy of [{ approval: { pick: rule }, limits: { default: brief } }, { approval: rule }, {}]) {
      expect(yield* refused(policy)).toBe(undefined)
      expect(yield* logged(policy)).toEqual([])
    }
  })
)

it.effect("a name on offer in a run that no tool has is reported once, and offers nothing", () =>
  Effect.gen(function* () {
    for (const make of [Toolset.constant, Toolset.dynamic]) {
      const runner = yield* Effect.flatMap(make(tools), (toolset: Dynamic) => ToolRunner.make(toolset))
      const run = runner.forRun({ offered: ["pcik", "remove_files"] })
      const definitions = Effect.map(run.definitions, (all) =>
        expect(all.map(({ name }) => name)).toEqual(["remove_files"])
      )
      expect(yield* linesOf(Effect.zipRight(definitions, definitions))).toEqual([
        'WARN A run offers "pcik", but no tool has that name now (did you mean "pick"?)'
      ])
    }
  })
)

it.effect("the rule under * is that of every tool without one of its own", () =>
  Effect.gen(function* () {
    const endings = (approval: Policy.Policy<Toolset.DynamicTools>["approval"]) =>
      Effect.gen(function* () {
        const runner = yield* ToolRunner.make(yield* Toolset.constant(tools), { approval })
        const calls = tools.map(({ name }) => ToolCall.make(name, name, "{}"))
        return (yield* Effect.orDie(runner.runAll(calls))).map(({ _tag }) => _tag)
      })
    expect(yield* endings({ pick: () => Approval.allow, "*": rule })).toEqual(["Success", "Deferred"])
    expect(yield* endings({ "*": () => Approval.deny("no") })).toEqual(["Denied", "Denied"])
    // As an expression gives it that names a rule on a condition.
    const absent = { pick: undefined, "*": rule } as unknown as Policy.Policy<Toolset.DynamicTools>["approval"]
    expect(yield* endings(absent)).toEqual(["Deferred", "Deferred"])
    const nested = { "*": { remove_files: rule } } as unknown as Policy.Policy<Toolset.DynamicTools>["approval"]
    expect(yield* endings(nested)).toEqual(["Success", "Deferred"])
    // No tool can be named so as to be without the rule of all others.
    const star = yield* ToolRunner.make(yield* Toolset.constant([{ name: "*", execute: () => Effect.void }]), {
      approval: { "*": rule }
    })
    expect((yield* Effect.orDie(star.run(ToolCall.make("1", "*", "{}"))))._tag).toBe("Deferred")
  })
)
