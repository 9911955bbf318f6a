/**
 * An embedding model that needs no provider: words of the same meaning have the
 * same place in its vectors. It counts what it is asked for.
 */
import { AiError, EmbeddingModel } from "@effect/ai"
import { Effect, Layer } from "effect"

const meanings: ReadonlyArray<ReadonlyArray<string>> = [
  ["canine", "dog", "puppy", "barks"],
  ["feline", "cat", "kitten", "purrs"],
  ["liquid", "water", "drink"],
  ["money", "salary", "wages"]
]

const vectorOf = (text: string): Array<number> => {
  const words = text.toLowerCase().split(/\W+/)
  // As a model gives it that knows none of the words.
  if (words.includes("void")) return [...meanings.map(() => 0), 0]
  return [...meanings.map((meaning) => words.filter((word) => meaning.includes(word)).length), 0.01]
}

/** `before` is what the model does before it answers. */
export const makeVectors = (before: Effect.Effect<void> = Effect.void) => {
  const asked: Array<string> = []
  const state = { isFailing: false }
  const model = EmbeddingModel.make({
    embedMany: (inputs) =>
      Effect.suspend(() => {
        if (state.isFailing) {
          return Effect.fail(
            new AiError.UnknownError({ module: "test", method: "embedMany", description: "no network" })
          )
        }
        asked.push(...inputs)
        return Effect.as(
          before,
          inputs.map((input, index) => ({ index, embeddings: vectorOf(input) }))
        )
      })
  })
  return { asked, state, layer: Layer.effect(EmbeddingModel.EmbeddingModel, model) }
}
