import { type AiError, LanguageModel, Tool, Toolkit } from "@effect/ai"
import { type Outcome, type ToolNameCollision, type ToolsetError, Toolset } from "@wield/core"
import { Context, Effect, Schema, type Stream } from "effect"
import { describe, expectTypeOf, it } from "vitest"
import type { Shop, TooMuch } from "../tools/Shop.js"

class User extends Context.Tag("test/User")<User, { readonly name: string }>() {}

const Who = Toolkit.make(Tool.make("who", { success: Schema.String, dependencies: [User] }))

declare const shop: Toolset.Toolset<Toolkit.Tools<typeof Shop>>
declare const who: Toolset.Toolset<Toolkit.Tools<typeof Who>, User>
const Bank = Toolkit.make(
  Tool.make("pay", { success: Schema.String, failure: Schema.Literal("declined") }),
  Tool.make("tell", { success: Schema.String, failure: Schema.Number, failureMode: "return" })
)
declare const bank: Toolset.Toolset<Toolkit.Tools<typeof Bank>>
declare const dynamic: Toolset.DynamicToolset

const ask = LanguageModel.generateText({ prompt: "", toolkit: Toolset.toToolkit(shop) })
type Answer = Effect.Effect.Success<typeof ask>
type ResultOf<Name extends string, IsFailure extends boolean> = Extract<
  Answer["toolResults"][number],
  { readonly name: Name; readonly isFailure: IsFailure }
>["result"]

describe("toToolkit", () => {
  it("keeps names and results; a failure is the tool's own or how else the call ended", () => {
    expectTypeOf<Answer["toolCalls"][number]["name"]>().toEqualTypeOf<
      "get_orders" | "refund" | "cancel" | "show_chart"
    >()
    expectTypeOf<ResultOf<"refund", false>>().toEqualTypeOf<string>()
    expectTypeOf<ResultOf<"refund", true>>().toEqualTypeOf<TooMuch | Outcome.Deferred | Outcome.Unhandled>()
  })
  it("gives arguments as the model sent them, whatever they are", () => {
    expectTypeOf<Answer["toolCalls"][number]["params"]>().toEqualTypeOf<unknown>()
  })
  it("fails as the toolset and the model can, never with a tool's failure", () => {
    expectTypeOf<Effect.Effect.Error<typeof ask>>().toEqualTypeOf<AiError.AiError | ToolsetError>()
    expectTypeOf<
      Effect.Effect.Error<ReturnType<typeof Toolset.toToolkit<unknown, never, ToolNameCollision>>>
    >().toEqualTypeOf<ToolsetError>()
  })
  it("fails with the failures of tools that raise, where that is asked for", () => {
    const asked = LanguageModel.generateText({
      prompt: "",
      toolkit: Toolset.toToolkit(bank, {}, { raisesFailures: true })
    })
    type Result = Effect.Effect.Success<typeof asked>["toolResults"][number]
    expectTypeOf<Effect.Effect.Error<typeof asked>>().toEqualTypeOf<AiError.AiError | ToolsetError | "declined">()
    expectTypeOf<Extract<Result, { readonly name: "tell"; readonly isFailure: true }>["result"]>().toEqualTypeOf<
      number | Outcome.Deferred | Outcome.Unhandled
    >()
  })
  it("requires what its tools require", () => {
    const asked = LanguageModel.generateText({ prompt: "", toolkit: Toolset.toToolkit(who) })
    expectTypeOf<Effect.Effect.Context<typeof asked>>().toEqualTypeOf<LanguageModel.LanguageModel | User>()
  })
  it("checks the choice of a tool, and the policy, against the names", () => {
    LanguageModel.generateText({ prompt: "", toolkit: Toolset.toToolkit(shop), toolChoice: { tool: "refund" } })
    // @ts-expect-error there is no tool of this name
    LanguageModel.generateText({ prompt: "", toolkit: Toolset.toToolkit(shop), toolChoice: { tool: "refunds" } })
    // @ts-expect-error there is no tool of this name
    Toolset.toToolkit(shop, { limits: { tools: { refunds: { timeout: "1 second" } } } })
  })
  it("has tools of any name where only the run time knows them", () => {
    const asked = LanguageModel.generateText({ prompt: "", toolkit: Toolset.toToolkit(dynamic) })
    type Part = Effect.Effect.Success<typeof asked>["toolResults"][number]
    expectTypeOf<Part["name"]>().toEqualTypeOf<string>()
    expectTypeOf<Part["result"]>().toEqualTypeOf<unknown>()
  })
  it("is taken by streamText and generateObject too", () => {
    const streamed = Effect.map(Toolset.toToolkit(shop), (toolkit) => LanguageModel.streamText({ prompt: "", toolkit }))
    expectTypeOf<Stream.Stream.Error<Effect.Effect.Success<typeof streamed>>>().toEqualTypeOf<AiError.AiError>()
    LanguageModel.generateObject({ prompt: "", schema: Schema.Struct({}), toolkit: Toolset.toToolkit(shop) })
  })
})
