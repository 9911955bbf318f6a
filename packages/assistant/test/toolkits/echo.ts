/** A language model that answers with all that it was asked: what a tool lets it see, a test sees too. */
import { LanguageModel } from "@effect/ai"
import { Effect, Layer, Stream } from "effect"

export const echo = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt }) => Effect.succeed([{ type: "text" as const, text: JSON.stringify(prompt) }]),
    streamText: () => Stream.empty
  })
)
