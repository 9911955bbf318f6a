import { Tool } from "@effect/ai"
import { expectTypeOf, it } from "@effect/vitest"
import { Facts, Hidden } from "@wield/core"
import { Schema } from "effect"

const Report = Tool.make("report", {
  parameters: { tenant: Schema.String, day: Schema.Date, text: Schema.String },
  success: Schema.String
})

const Twice = Report.pipe(Hidden.fields("tenant")).annotate(Tool.Readonly, true).pipe(Hidden.fields("day"))
const Once = Report.pipe(Hidden.fields("tenant", "day"))
const ClientFirst = Report.pipe(Facts.client, Hidden.fields("tenant", "day"))
const ClientLast = Report.pipe(Hidden.fields("tenant", "day"), Facts.client)

it("hidden fields add up, and stay hidden whatever else is stated", () => {
  expectTypeOf<Hidden.Names<typeof Twice>>().toEqualTypeOf<"tenant" | "day">()
  for (const tool of [Twice, Once, ClientFirst, ClientLast]) {
    expectTypeOf<Hidden.ContextOf<typeof tool>>().toEqualTypeOf<{ readonly tenant: string; readonly day: string }>()
    expectTypeOf<Hidden.VisibleParameters<typeof tool>>().toEqualTypeOf<{ readonly text: string }>()
    expectTypeOf<Hidden.VisibleArguments<typeof tool>>().toEqualTypeOf<{ readonly text: string }>()
  }
})

it("a tool without hidden fields shows all its parameters, and needs no context", () => {
  expectTypeOf<Hidden.Names<typeof Report>>().toEqualTypeOf<never>()
  expectTypeOf<Hidden.VisibleParameters<typeof Report>>().toEqualTypeOf<Tool.Parameters<typeof Report>>()
  expectTypeOf<Hidden.ContextOf<typeof Report>>().toEqualTypeOf<{}>()
})
