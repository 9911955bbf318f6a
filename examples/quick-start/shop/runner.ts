/** The one runner of the shop: its tools, under the shop's policy. */
import type { Toolkit } from "@effect/ai"
import { Approval, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { ShopLive } from "./handlers.js"
import { Shop } from "./toolkit.js"

/** A refund of more than this many euros is decided by a person. */
const refundLimit = 100

export const makeShopRunner = Effect.gen(function* () {
  const toolset = yield* Toolset.fromLayer(Shop, ShopLive)
  return yield* ToolRunner.make(toolset, {
    approval: {
      refund: ({ parameters }) =>
        parameters.amount > refundLimit
          ? Approval.ask(`a refund of ${parameters.amount} euros is over ${refundLimit}`)
          : Approval.allow
    },
    limits: { tools: { track_parcel: { timeout: "300 millis" } } }
  })
})

type ShopTools = Toolkit.Tools<typeof Shop>
export type ShopRunner = ToolRunner.Runner<ShopTools>
export type ShopRun = ToolRunner.Run<ShopTools>
export type ShopOutcome = ToolRunner.OutcomeOf<ShopTools>

/** Who is signed in. The model never sees it, and cannot set it. */
export const callContext = { customerId: "cus_7f3a91" }
