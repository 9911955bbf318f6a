/** A language model that answers with blocks, one answer after another, and remembers what it was asked. */
import { AiError, LanguageModel, type Response } from "@effect/ai"
import { Effect, Layer, Stream } from "effect"
import { endingWith } from "../recall/models.js"

export interface Blocks {
  readonly search: string
  readonly replace: string
}

/** What it answers: blocks, or a text made with the word of the markers, after doing something. */
export type Scripted =
  | ReadonlyArray<Blocks>
  | ((word: string) => string)
  | Effect.Effect<ReadonlyArray<Blocks>>
  | "no network"

/** The text of blocks; an empty text is no lines. */
export const written = (blocks: ReadonlyArray<Blocks>, word: string): string =>
  blocks
    .flatMap(({ replace, search }) => [
      `<<${word} search>>`,
      ...(search === "" ? [] : [search]),
      `<<${word} replace>>`,
      ...(replace === "" ? [] : [replace]),
      `<<${word} end>>`
    ])
    .join("\n")

export const makeModel = () => {
  const state: {
    answers: Array<Scripted>
    /** Why each answer ends, the first one first; what the provider does not say where there is none. */
    finishes: Array<Response.FinishReason>
    readonly asked: Array<string>
    readonly words: Array<string>
  } = { answers: [], finishes: [], asked: [], words: [] }
  const answer = (scripted: Scripted, word: string): Effect.Effect<string, AiError.AiError> => {
    if (scripted === "no network") {
      return Effect.fail(
        new AiError.UnknownError({ module: "test", method: "generateText", description: "no network" })
      )
    }
    if (Effect.isEffect(scripted)) return Effect.map(scripted, (blocks) => written(blocks, word))
    return Effect.succeed(typeof scripted === "function" ? scripted(word) : written(scripted, word))
  }
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) =>
        Effect.suspend(() => {
          const asked = prompt.content
            .map(({ content }) =>
              typeof content === "string"
                ? content
                : content.map((part) => (part.type === "text" ? part.text : "")).join("")
            )
            .join("\n\n")
          const word = /<<(\w+) search>>/.exec(asked)?.[1] ?? "no word"
          state.asked.push(asked)
          state.words.push(word)
          const scripted = state.answers.shift()
          return scripted === undefined
            ? Effect.dieMessage("the model was asked once more than it has answers")
            : answer(scripted, word)
        }).pipe(Effect.map((text) => [{ type: "text" as const, text }, ...endingWith(state.finishes.shift())])),
      streamText: () => Stream.empty
    })
  )
  return { state, layer }
}
