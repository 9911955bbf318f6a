/** What the carriers know of a parcel. Two of the three are as carriers can be. */
import { Effect, Schema } from "effect"

export const Tracking = Schema.Struct({
  carrier: Schema.String,
  place: Schema.String,
  expected: Schema.String
})

export class Carriers extends Effect.Service<Carriers>()("shop/Carriers", {
  succeed: {
    track: (carrier: string, orderId: string): Effect.Effect<typeof Tracking.Type> => {
      switch (carrier) {
        case "Tortoise Freight":
          // Accepts the request and never answers.
          return Effect.never
        case "Hermit Post":
          // Answers with a web page, which is unexpected. The address holds a
          // key that neither the model nor the customer may ever read.
          return Effect.die(new Error(`GET https://hermit.example/parcels/${orderId}?key=hp_secret_8c1d is not JSON`))
        default:
          return Effect.succeed({ carrier, place: "Utrecht sorting centre", expected: "tomorrow before noon" })
      }
    }
  }
}) {}
