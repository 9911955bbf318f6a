import { describe, expect, it } from "@effect/vitest"
import { Agent, type Model, Stop } from "@wield/agent"
import { Approval } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Cause, Effect, Exit, Redacted, Schema } from "effect"

it.effect("a policy that would protect nothing is refused, also where the final output is a tool", () =>
  Effect.gen(function* () {
    const model = yield* ScriptedModel.make([])
    const rules: unknown = new Map([["pay", () => Approval.deny("no")]])
    for (const policy of [null, rules, { approval: rules }, { approval: Promise.resolve({}) }]) {
      for (const output of [undefined, Schema.Struct({ value: Schema.String })]) {
        // As plain JavaScript gives it.
        const given = policy as {}
        const error = yield* Effect.flip(Agent.make({ model, output, policy: given }))
        expect(error._tag).toBe("InvalidPolicy")
      }
    }
  })
)

describe("an agent whose limits no run can keep", () => {
  const wrong: ReadonlyArray<
    readonly [string, Partial<Agent.Config<{}, never, never, string, string, never, never, never, never, never, never>>]
  > = [
    ["stop", { stop: Stop.steps(0) }],
    ["stop", { stop: Stop.any(Stop.steps(3), Stop.tokens(-1)) }],
    ["stop", { stop: Stop.cost(Number.NaN, {}) }],
    // A program without types can give anything.
    ["stop", { stop: Stop.time("soon" as "1 second") }],
    ["startEarly", { startEarly: "nevr" as "never" }],
    ["whenInterrupted", { whenInterrupted: "kept" as "keep" }],
    ["retries", { retries: -2 }],
    ["mistakes.perTool", { mistakes: { perTool: -1 } }],
    ["mistakes.total", { mistakes: { total: 1.5 } }],
    // As plain JavaScript gives them.
    ["mistakes.perTol", { mistakes: { perTol: 1 } as {} }],
    ["mistakes", { mistakes: new Map([["total", 1]]) as {} }],
    ["retries", { retries: null as unknown as number }],
    ["stop", { stop: { tokens: 5 } as unknown as Stop.Stop<never> }],
    ["stop", { stop: Stop.tokens("5" as unknown as number) }],
    ["stop", { stop: Stop.cost(1, { m: { input: 1, outptu: 1 } } as unknown as Stop.Prices) }],
    ["stop", { stop: Stop.when("when", true as unknown as () => boolean) }],
    ["model", { model: Promise.resolve({}) as unknown as Model.Model }],
    ["toolset", { toolset: Promise.resolve({}) as never }],
    ["options.choise", { options: { choise: { _tag: "None" } } as {} }],
    ["instructions", { instructions: 5 as unknown as string }],
    ["settings", { settings: new Map() as {} }],
    ["prepare", { prepare: { instructions: "Only look." } as never }],
    ["answer", { answer: "yes" as never }],
    ["output", { output: { type: "object" } as never }],
    ["signing.secrets", { signing: {} as never }],
    ["signing.secrets", { signing: { secrets: ["0123456789abcdef"] as never } }],
    ["signing.secrets", { signing: { secrets: [Redacted.make(undefined)] as never } }],
    [
      "signing.timeToLive",
      { signing: { secrets: [Redacted.make("0123456789abcdef")], timeToLive: "soon" as "1 hour" } }
    ],
    // Effect takes it for zero: no request could be answered.
    ["signing.timeToLive", { signing: { secrets: [Redacted.make("0123456789abcdef")], timeToLive: Number.NaN } }]
  ]
  for (const [path, limits] of wrong) {
    it.effect(`is refused when it is made: ${path}, ${limits.stop?.name ?? JSON.stringify(limits)}`, () =>
      Effect.gen(function* () {
        const model = yield* ScriptedModel.make([])
        const error = yield* Effect.flip(Agent.make({ model, ...limits }))
        expect(error._tag === "InvalidAgent" && error.path.join(".")).toBe(path)
      })
    )
  }
  it.effect("is refused with an option that no agent has, as plain JavaScript may spell one", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([])
      const config = { model, signin: { secrets: [] } } as { readonly model: typeof model }
      const error = yield* Effect.flip(Agent.make(config))
      expect(error.message).toBe(
        'signin of the agent must be named as an option is (did you mean "signing"?), but is named "signin"'
      )
    })
  )
})

describe("a run of plain JavaScript", () => {
  const messageOf = (run: (agent: Agent.Agent<{}>) => unknown, instructions: unknown = undefined) =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([ScriptedModel.text("Hello.")])
      // As plain JavaScript gives it.
      const agent = yield* Agent.make({ model, instructions: instructions as undefined })
      const exit = yield* Effect.exit(Effect.suspend(() => run(agent) as Effect.Effect<unknown>))
      return Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "nothing"
    })
  const part = { _tag: "Image", mediaType: "image/png" }
  const wrong: ReadonlyArray<readonly [string, (agent: Agent.Agent<{}>) => unknown, string]> = [
    ["a misspelt option", (agent) => Agent.run(agent, { promt: "Hi" } as {}), "promt must be named as an option is"],
    [
      "no input",
      (agent) => Agent.run(agent, undefined as never),
      "What a run is given must be an object, but is nothing"
    ],
    [
      "a prompt that is a part",
      (agent) => Agent.run(agent, { prompt: part as never }),
      "prompt must be a text, or an array of parts"
    ],
    [
      "an image without its source",
      (agent) => Agent.run(agent, { prompt: [part as never] }),
      "prompt must be a text, or an array of parts"
    ],
    [
      "the id of a conversation",
      (agent) => Agent.run(agent, { prompt: "Hi", conversation: "c1" as never }),
      'conversation must be a conversation, such as `result.conversation`, but is "c1"'
    ],
    [
      "an inbox of texts",
      (agent) => Agent.run(agent, { prompt: "Hi", inbox: Effect.succeed(["more"]) as never }),
      "inbox[0] must be { id, content }"
    ],
    [
      "an agent that is not made yet",
      () => Agent.run(Effect.void as never, "Hi"),
      "An agent must be what `yield* Agent.make(…)` gives"
    ]
  ]
  it.effect.each(wrong)("does not begin with %s", ([, run, problem]) =>
    Effect.map(messageOf(run), (message) => expect(message).toContain(problem))
  )

  it.effect("ends where its instructions are no text", () =>
    Effect.gen(function* () {
      const message = yield* messageOf((agent) => Agent.run(agent, "Hi"), Effect.succeed({ text: "Be brief." }))
      expect(message).toContain("instructions of the agent must be a text, but is an object with text")
    })
  )
})

it.effect("no rule of all tools, by function or under *, is asked about the final output", () =>
  Effect.gen(function* () {
    const ask = () => Approval.ask()
    for (const approval of [ask, { "*": ask }]) {
      const model = yield* ScriptedModel.make([ScriptedModel.call("final_answer", { value: "42" })])
      const agent = yield* Agent.make({ model, output: Schema.Struct({ value: Schema.String }), policy: { approval } })
      expect(yield* Agent.run(agent, "?")).toMatchObject({ _tag: "Finished", output: { value: "42" } })
    }
  })
)
