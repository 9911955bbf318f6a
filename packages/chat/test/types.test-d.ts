import { expectTypeOf, it } from "@effect/vitest"
import { Agent } from "@wield/agent"
import { Chat, type UiMessages } from "@wield/chat"
import type { UIMessage, UIMessageChunk } from "ai"
import type { UIMessageChunk as Chunk6 } from "ai-6"
import type { Event } from "@ag-ui/core"
import type { AgUi } from "@wield/chat"
import type { Model } from "@wield/agent"
import { Content, type Json, type Toolset } from "@wield/core"
import { Tool, Toolkit } from "@effect/ai"
import { Effect, Schema } from "effect"
import type { Shop as Kit, ShopTools as Shop } from "./shop.js"

type Message = UIMessage<UiMessages.Metadata, UiMessages.Data, UiMessages.Tools<Shop>>

it("gives a page the input and the output of each tool", () => {
  type Part = Message["parts"][number]
  type Refund = Extract<Part, { type: "tool-refund"; state: "output-available" }>
  // Hidden fields are no input of the page's.
  expectTypeOf<Refund["input"]>().toEqualTypeOf<{ readonly order: string; readonly amount: number }>()
  expectTypeOf<Refund["output"]>().toEqualTypeOf<{ readonly paid: number }>()
  expectTypeOf<Extract<Part, { type: "data-progress" }>["data"]>().toEqualTypeOf<UiMessages.ProgressData>()
  expectTypeOf<Extract<Part, { type: "tool-unknown" }>>().toEqualTypeOf<never>()
})

it("gives a page of a tool that answers with content what stands beside its images", () => {
  const Receipt = Tool.make("receipt", { success: Content.Parts })
  const List = Tool.make("list", { success: Schema.Array(Schema.Struct({ id: Schema.String })) })
  const _Kit = Toolkit.make(Receipt, List)
  type Known = UiMessages.Tools<typeof _Kit>
  expectTypeOf<Known["receipt"]["output"]>().toEqualTypeOf<Json.Json>()
  expectTypeOf<Known["list"]["output"]>().toEqualTypeOf<ReadonlyArray<{ readonly id: string }>>()
})

it("writes chunks and events that the peers' types have", () => {
  const of7 = (chunk: UiMessages.Chunk): UIMessageChunk<UiMessages.Metadata, UiMessages.Data> => chunk
  type Of6 = Exclude<UiMessages.Chunk, { readonly type: "reset-step" } | { readonly finishReason: "interrupted" }>
  const of6 = (chunk: Of6): Chunk6<UiMessages.Metadata, UiMessages.Data> => chunk
  expectTypeOf(of7).toBeFunction()
  expectTypeOf(of6).toBeFunction()
  expectTypeOf<AgUi.Chunk["type"]>().toExtend<`${Event["type"]}`>()
})

it("requires of the caller what the tools need", () => {
  const make = (model: Model.Model, toolset: Toolset.Toolset<Toolset.ToolsOf<typeof Kit>>) =>
    Effect.gen(function* () {
      const agent = yield* Agent.make({ model, toolset })
      yield* Chat.make({ agent, authorize: () => Effect.succeed({ user: "ada", context: { customer: "c1" } }) })
      // @ts-expect-error - the hidden field `customer` is missing
      yield* Chat.make({ agent, authorize: () => Effect.succeed({ user: "ada" }) })
    })
  expectTypeOf(make).toBeFunction()
})
