/** A language model of Effect 4 that says what a script has for each of its turns, and keeps what it was asked. */
import { Model } from "@wield/effect4"
import { Effect, Stream } from "effect"
import { type AiError, LanguageModel, type Response } from "effect/ai"

export const call = (id: string, name: string, params: unknown): Response.PartEncoded =>
  ({ type: "tool-call", id, name, params }) as const

export const text = (said: string): Response.PartEncoded => ({ type: "text", text: said })

export const finish: Response.PartEncoded & Response.StreamPartEncoded = {
  type: "finish",
  reason: "stop",
  usage: {
    inputTokens: { uncached: 10, total: 12, cacheRead: 2, cacheWrite: undefined },
    outputTokens: { total: 5, text: 5, reasoning: undefined }
  },
  response: undefined
}

const streamed = (part: Response.PartEncoded): ReadonlyArray<Response.StreamPartEncoded> =>
  part.type === "text"
    ? [
        { type: "text-start", id: "t" },
        { type: "text-delta", id: "t", delta: part.text },
        { type: "text-end", id: "t" }
      ]
    : // Every other part of a response may stand in a stream.
      [part as Response.StreamPartEncoded]

export const scripted = (
  turns: ReadonlyArray<ReadonlyArray<Response.PartEncoded> | AiError.AiError>,
  asked: Array<LanguageModel.ProviderOptions> = []
): Effect.Effect<LanguageModel.LanguageModel> => {
  let next = 0
  const turn = (options: LanguageModel.ProviderOptions) =>
    Effect.suspend(() => {
      asked.push(options)
      const said = turns[next++] ?? [text("The script is over."), finish]
      // What is no list of parts is a failure, be it an error or not.
      return "length" in said ? Effect.succeed([...said]) : Effect.fail(said)
    })
  return LanguageModel.make({
    generateText: turn,
    streamText: (options) =>
      Stream.unwrap(Effect.map(turn(options), (parts) => Stream.fromIterable(parts.flatMap(streamed))))
  })
}

/** The same as the model of an agent. */
export const modelOf = (
  turns: ReadonlyArray<ReadonlyArray<Response.PartEncoded> | AiError.AiError>,
  asked?: Array<LanguageModel.ProviderOptions>
) =>
  Effect.flatMap(scripted(turns, asked), (model) =>
    Effect.provideService(Model.fromLanguageModel({ id: "m" }), LanguageModel.LanguageModel, model)
  )
