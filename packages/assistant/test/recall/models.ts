/** A language model that answers what it is told to, and remembers what it was asked. */
import { AiError, LanguageModel, type Response } from "@effect/ai"
import { Effect, Layer, Stream } from "effect"

/** What ends an answer, where the provider says why it ended. */
export const endingWith = (reason: Response.FinishReason | undefined): Array<Response.FinishPartEncoded> =>
  reason === undefined ? [] : [{ type: "finish", reason, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }]

export const makeModel = () => {
  const state: {
    answer: string | undefined
    finish: Response.FinishReason | undefined
    readonly asked: Array<string>
  } = { answer: undefined, finish: undefined, asked: [] }
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
            : Effect.succeed([{ type: "text" as const, text: state.answer }, ...endingWith(state.finish)])
        }),
      streamText: () => Stream.empty
    })
  )
  return { state, layer }
}
