import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Approval, CallContext, Hidden, RaisedFailure, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Chunk, Context, Effect, Layer, Schema, Stream } from "effect"
import { expectOutcome, tagsOf } from "../tools/outcomes.js"
import { NoSuchOrder, Shop, ShopLive } from "../tools/Shop.js"

class User extends Context.Tag("test/User")<User, { readonly name: string }>() {}
const WhoAmI = Tool.make("who_am_i", { success: Schema.String, dependencies: [User] })
const Kit = Toolkit.make(WhoAmI)
const KitLive = Kit.toLayer({ who_am_i: () => Effect.map(User, ({ name }) => name) })

const call = ToolCall.make("c", "who_am_i", {})

it.effect("what requests need is taken from the Layer's context, and a request's own goes first", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.ToolRunner
    expect(expectOutcome(yield* runner.run(call), "Success").encoded).toBe("of the layer")
    const own = yield* runner.run(call).pipe(Effect.provideService(User, { name: "of the request" }))
    expect(expectOutcome(own, "Success").encoded).toBe("of the request")
    const events = yield* Stream.runCollect(runner.stream([call]))
    expect(Chunk.size(events)).toBe(2)
    expect(tagsOf(yield* runner.forRun({}).runAll([call]))).toEqual(["Success"])
    expect(tagsOf(yield* runner.settle([call]))).toEqual(["Success"])
  }).pipe(
    Effect.provide(
      ToolRunner.layer(Toolset.fromToolkit(Kit)).pipe(
        Layer.provide(KitLive),
        Layer.provide(Layer.succeed(User, { name: "of the layer" }))
      )
    )
  )
)

const ShopRunner = ToolRunner.layer(Toolset.fromToolkit(Shop)).pipe(Layer.provide(ShopLive))

it.effect("a raised failure is wrapped, for its type is not known", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.ToolRunner
    for (const effect of [
      runner.run(ToolCall.make("c", "cancel", { number: 8 })),
      runner.runAll([ToolCall.make("c", "cancel", { number: 8 })]),
      Stream.runDrain(runner.stream([ToolCall.make("c", "cancel", { number: 8 })]))
    ]) {
      const failure = yield* Effect.flip(effect)
      expect(failure).toBeInstanceOf(RaisedFailure)
      expect(failure._tag === "RaisedFailure" && failure.failure).toEqual(new NoSuchOrder({ number: 8 }))
    }
  }).pipe(Effect.provide(ShopRunner))
)

it.scoped("the call context of the request that builds the Layer is not that of the others", () =>
  Effect.gen(function* () {
    const Secret = Tool.make("secret", { parameters: { customer: Schema.String }, success: Schema.Unknown }).pipe(
      Hidden.fields("customer")
    )
    const Secrets = Toolkit.make(Secret)
    const live = ToolRunner.layer(Toolset.fromToolkit(Secrets)).pipe(
      Layer.provide(Secrets.toLayer({ secret: ({ customer }) => Effect.succeed(customer) }))
    )
    const built = yield* CallContext.provide(Layer.build(live), { customer: "ada" })
    const runner = Context.get(built, ToolRunner.ToolRunner)
    const ask = runner.run(ToolCall.make("c", "secret", {}))
    expectOutcome(yield* ask, "MissingContext")
    expect(expectOutcome(yield* CallContext.provide(ask, { customer: "bob" }), "Success").encoded).toBe("bob")
  })
)

it.scoped("nor is it for handlers that read it", () =>
  Effect.gen(function* () {
    const Whose = Toolkit.make(Tool.make("whose", { success: Schema.Unknown }))
    const live = ToolRunner.layer(Toolset.fromToolkit(Whose)).pipe(
      Layer.provide(
        Whose.toLayer({ whose: () => Effect.map(CallContext.CallContext, ({ customer }) => customer ?? "no one's") })
      )
    )
    const built = yield* CallContext.provide(Layer.build(live), { customer: "ada" })
    const ask = Context.get(built, ToolRunner.ToolRunner).run(ToolCall.make("c", "whose", {}))
    expect(expectOutcome(yield* ask, "Success").encoded).toBe("no one's")
    expect(expectOutcome(yield* CallContext.provide(ask, { customer: "bob" }), "Success").encoded).toBe("bob")
  })
)

it.effect("the policy may be an effect that needs services", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.ToolRunner
    expect(expectOutcome(yield* runner.run(call), "Denied").reason).toBe("not for Ada")
  }).pipe(
    Effect.provide(
      ToolRunner.layer(
        Toolset.fromToolkit(Kit),
        Effect.map(User, ({ name }) => ({ approval: () => Approval.deny(`not for ${name}`) }))
      ).pipe(Layer.provide(KitLive), Layer.provide(Layer.succeed(User, { name: "Ada" })))
    )
  )
)

it.effect("a toolset that cannot be offered fails the Layer", () =>
  Effect.gen(function* () {
    const twice = Toolset.dynamic([
      { name: "a", execute: () => Effect.void },
      { name: "a", execute: () => Effect.void }
    ])
    const error = yield* Effect.flip(Effect.provide(ToolRunner.ToolRunner, ToolRunner.layer(twice)))
    expect(error._tag).toBe("ToolNameCollision")
  })
)
