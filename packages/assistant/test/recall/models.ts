/** A language model that answers what it is told to, and remembers what it was asked. */
import { AiError, LanguageModel } from "@effect/ai"
import { Effect, Layer, Stream } from "effect"

export const makeModel = () => {
  const state: { answer: string | undefined; readonly asked: Array<string> } = { answer: undefined, asked: [] }
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) =>
        Effect.suspend(() => {
          state.asked.push(JSON.stringify(prompt))
          return state.answer === undefined
            ? Effect.fail(
                new AiError.UnknownError({ module: "test", method: "generateText", description: "no network" })
              )
            : Effect.succeed([{ type: "text" as const, text: state.answer }])
        }),
      streamText: () => Stream.empty
    })
  )
  return { state, layer }
}
