import { Tool, Toolkit } from "@effect/ai"
import { McpClient, type McpError } from "@wield/mcp"
import { Context, Effect, type ParseResult, Schema } from "effect"
import { describe, expectTypeOf, it } from "vitest"

declare const client: McpClient.Client

class Zone extends Context.Tag("test/Zone")<Zone, string>() {}

const Zoned = Schema.transformOrFail(Schema.String, Schema.String, {
  decode: (text) => Effect.map(Zone, (zone) => text + zone),
  encode: (text) => Effect.succeed(text)
})

const Clock = Toolkit.make(
  Tool.make("now", { success: Schema.Date }),
  Tool.make("add_days", {
    parameters: { to: Schema.Date, days: Schema.optional(Schema.Number) },
    success: Schema.Date
  }),
  Tool.make("show", { parameters: { at: Schema.Date }, success: Zoned })
)

describe("typed", () => {
  it("gives a function for each tool, with the types of its schemas", () => {
    const typed = McpClient.typed(client, Clock)
    type Calls = Effect.Effect.Success<typeof typed>
    expectTypeOf<keyof Calls>().toEqualTypeOf<"now" | "add_days" | "show">()
    expectTypeOf<Parameters<Calls["add_days"]>[0]>().toEqualTypeOf<{
      readonly to: Date
      readonly days?: number | undefined
    }>()
    type Call = ReturnType<Calls["add_days"]>
    expectTypeOf<Effect.Effect.Success<Call>>().toEqualTypeOf<Date>()
    expectTypeOf<Effect.Effect.Error<Call>>().toEqualTypeOf<
      McpError.McpError | McpError.ToolFailed | ParseResult.ParseError
    >()
    expectTypeOf<Effect.Effect.Context<Call>>().toEqualTypeOf<never>()
    expectTypeOf<Effect.Effect.Error<typeof typed>>().toEqualTypeOf<McpError.McpError | McpError.Mismatched>()
  })

  it("requires what the schemas require", () => {
    type Show = Effect.Effect.Success<ReturnType<typeof typedClock>>["show"]
    expectTypeOf<Effect.Effect.Context<ReturnType<Show>>>().toEqualTypeOf<Zone>()
  })
})

const typedClock = () => McpClient.typed(client, Clock)
