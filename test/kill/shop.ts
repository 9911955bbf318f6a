/** The tools: one that changes nothing, one that may be repeated, and three that may not. */
import { Tool, Toolkit } from "@effect/ai"
import { CurrentCall, Facts, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { Effects } from "./Effects.js"
import { Points } from "./Points.js"
import { answerOf } from "./task.js"

const parameters = { item: Schema.String }
const success = Schema.String

class Shop extends Toolkit.make(
  Tool.make("look", { parameters, success }).annotate(Tool.Readonly, true).annotate(Tool.Destructive, false),
  Tool.make("pay", { parameters, success }),
  Tool.make("refund", { parameters, success }),
  Tool.make("reserve", { parameters, success }).annotate(Tool.Idempotent, true),
  Tool.make("ship", { parameters, success }).pipe(Facts.sequential)
) {}

/** The toolset, its effects in the table. */
export const shop = Effect.gen(function* () {
  const effects = yield* Effects
  const points = yield* Points
  /** A tool takes its time, before its effect and after it. */
  const doing = (tool: string, item: string, effect: Effect.Effect<void>) =>
    Effect.sleep("1 millis").pipe(
      Effect.zipRight(points.pass("handler: before the effect")),
      Effect.zipRight(effect),
      Effect.zipRight(points.pass("handler: after the effect")),
      Effect.zipRight(Effect.sleep("1 millis")),
      Effect.as(answerOf(tool, item))
    )
  const once =
    (tool: string) =>
    ({ item }: { readonly item: string }) =>
      doing(
        tool,
        item,
        Effect.zipRight(effects.add(tool, item), points.pass("handler: after an effect that may not be repeated"))
      )
  return yield* Effect.provide(
    Toolset.fromToolkit(Shop),
    Shop.toLayer({
      look: ({ item }) => Effect.succeed(answerOf("look", item)),
      pay: once("pay"),
      refund: once("refund"),
      ship: once("ship"),
      reserve: ({ item }) =>
        Effect.flatMap(CurrentCall.CurrentCall, ({ idempotencyKey }) =>
          doing("reserve", item, effects.addOnce("reserve", item, idempotencyKey))
        )
    })
  )
})
