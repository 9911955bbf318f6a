/** The tools of the shop, one of each kind, and the type of the messages that its page shows. */
import { Tool, Toolkit } from "@effect/ai"
import type { UiMessages } from "@wield/chat"
import { Approval, Content, CurrentCall, Facts, Hidden, NeedsInput, type Policy } from "@wield/core"
import type { UIMessage } from "ai"
import { Effect, Schema } from "effect"
import { drawReceipt } from "./drawReceipt.js"
import { orders, teas } from "./teas.js"

const Order = Schema.Literal(...Object.keys(orders)).annotations({ description: "The number of an order" })

const FindTea = Tool.make("find_tea", {
  description: "Teas whose name or taste has this word",
  parameters: { word: Schema.String },
  success: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, price: Schema.Number }))
}).annotate(Tool.Readonly, true)

/** The page runs it: it has no handler. */
const ShowTea = Tool.make("show_tea", {
  description: "Lights up a tea in the window of the shop",
  parameters: { id: Schema.String },
  success: Schema.String
}).pipe(Facts.client)

const PackOrder = Tool.make("pack_order", {
  description: "Packs an order; it takes a while",
  parameters: { order: Order },
  success: Schema.Struct({ parcel: Schema.String, grams: Schema.Number })
})

const Receipt = Tool.make("receipt", {
  description: "Draws the receipt of an order",
  parameters: { order: Order },
  success: Content.Parts
}).annotate(Tool.Readonly, true)

const WrapGift = Tool.make("wrap_gift", {
  description: "Wraps an order as a gift. It asks for paper and card",
  parameters: { order: Order },
  success: Schema.String,
  failure: NeedsInput
})

const Refund = Tool.make("refund", {
  description: "Pays an order back, wholly or in part",
  parameters: { order: Order, amount: Schema.Positive, customer: Schema.String },
  success: Schema.Struct({ order: Schema.String, paid: Schema.Number })
}).pipe(Hidden.fields("customer"))

export const Shop = Toolkit.make(FindTea, ShowTea, PackOrder, Receipt, WrapGift, Refund)

/** What the page of `useChat<Message>()` shows. */
export type Message = UIMessage<UiMessages.Metadata, UiMessages.Data, UiMessages.Tools<typeof Shop>>

export const policy: Policy.Policy = {
  approval: ({ name }) => (name === "refund" ? Approval.ask("It pays money back") : Approval.allow)
}

/** What was paid back, and to whom. */
export type Refunds = Array<{ readonly customer: string; readonly order: string; readonly amount: number }>

const stepsOfPacking = ["fetched", "weighed", "filled", "sealed", "labelled"]

const Wish = Schema.Struct({ paper: Schema.String, card: Schema.String })

/** `pace` is what a slow step waits for. */
export const handlers = ({ pace, refunds }: { readonly pace: Effect.Effect<void>; readonly refunds: Refunds }) =>
  Shop.toLayer({
    find_tea: ({ word }) =>
      Effect.succeed(teas.filter(({ name, taste }) => `${name} ${taste}`.toLowerCase().includes(word.toLowerCase()))),
    pack_order: ({ order }) =>
      Effect.gen(function* () {
        const call = yield* CurrentCall.CurrentCall
        for (const [index, step] of stepsOfPacking.entries()) {
          yield* Effect.repeatN(pace, 9)
          yield* call.progress({ step, done: index + 1, of: stepsOfPacking.length })
        }
        return { parcel: `P-${order}`, grams: 340 }
      }),
    receipt: ({ order }) =>
      Effect.succeed([Content.text(`The receipt of ${order}`), Content.image("image/svg+xml", drawReceipt(order))]),
    wrap_gift: ({ order }) =>
      Effect.gen(function* () {
        const { input } = yield* CurrentCall.CurrentCall
        if (input === undefined) {
          return yield* new NeedsInput({
            asks: "Which paper, and what do we write on the card?",
            accepts: {
              type: "object",
              properties: {
                paper: { type: "string", title: "Paper", enum: ["stars", "leaves", "plain"] },
                card: { type: "string", title: "Card", maxLength: 60 }
              },
              required: ["paper", "card"]
            }
          })
        }
        // The reply fits what was accepted.
        const { card, paper } = yield* Effect.orDie(Schema.decodeUnknown(Wish)(input.reply))
        return `${order} is wrapped in paper with ${paper}. The card says “${card}”`
      }),
    refund: ({ amount, customer, order }) =>
      Effect.sync(() => {
        refunds.push({ customer, order, amount })
        return { order, paid: amount }
      })
  })
