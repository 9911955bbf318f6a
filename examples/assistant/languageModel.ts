/** The model of the conversation as the `LanguageModel` that the tools ask for help: with edits, memories, thoughts. */
import { AiError, LanguageModel, type Prompt } from "@effect/ai"
import { Agent, type Model } from "@wield/agent"
import { Effect, Layer, Stream } from "effect"

const textOf = (prompt: Prompt.Prompt): string =>
  prompt.content
    .flatMap(({ content }) =>
      typeof content === "string" ? [content] : content.map((part) => (part.type === "text" ? part.text : ""))
    )
    .join("\n\n")

export const languageModel = (model: Model.Model): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) =>
        Effect.gen(function* () {
          const agent = yield* Agent.make({ model })
          const { text } = yield* Agent.run(agent, textOf(prompt))
          return [{ type: "text" as const, text }]
        }).pipe(
          Effect.mapError(
            ({ message }) =>
              new AiError.UnknownError({ module: "example", method: "generateText", description: message })
          )
        ),
      streamText: () => Stream.empty
    })
  )
