/** A real model and the shop's tools, turn after turn, until the model only has text to say. */
import { OpenAiClient } from "@effect/ai-openai"
import { FetchHttpClient } from "@effect/platform"
import { type Json, type ResponseError, Turn } from "@wield/core"
import { OpenAiChat, type WireError } from "@wield/providers"
import { Console, Effect, Layer, Schema } from "effect"
import { answer } from "../answer.js"
import { callContext, makeShopRunner, type ShopRun } from "../shop/runner.js"
import { outcomeTable } from "../terminal/outcomeTable.js"
import { colours, title } from "../terminal/style.js"
import { complete, type RequestFailed } from "./complete.js"
import { readSettings } from "./settings.js"

const instructions =
  "You are the assistant of a small shop. The customer is signed in. Use the tools; do not make anything up."

/** A model that still calls after so many turns is going round in circles. */
const maxTurns = 8

export class TooManyTurns extends Schema.TaggedError<TooManyTurns>()("TooManyTurns", {}) {
  override get message(): string {
    return `The model still made calls after ${maxTurns} turns`
  }
}

export const converse = (question: string) =>
  Effect.gen(function* () {
    const { apiKey, apiUrl, model } = yield* readSettings
    const run = (yield* makeShopRunner).forRun({ context: callContext })
    const client = OpenAiClient.layer({ apiKey, apiUrl }).pipe(Layer.provide(FetchHttpClient.layer))
    yield* Console.log(`${title(`${model}, asked`)}\n${question}\n`)
    const text = yield* Effect.provide(turns(run, model, question), client)
    yield* Console.log(`${title(`${model}, answers`)}\n${text}`)
  }).pipe(Effect.scoped)

const turns = (
  run: ShopRun,
  model: string,
  question: string
): Effect.Effect<
  string,
  RequestFailed | TooManyTurns | WireError.WireError | ResponseError,
  OpenAiClient.OpenAiClient
> =>
  Effect.gen(function* () {
    const definitions = yield* run.definitions
    const tools = OpenAiChat.encodeTools(definitions).body
    const messages: Array<Json.Json> = [
      { role: "system", content: instructions },
      { role: "user", content: question }
    ]
    for (let count = 0; count < maxTurns; count++) {
      const turn = yield* OpenAiChat.decodeTurn(yield* complete({ model, messages, ...tools }), { definitions })
      const calls = Turn.calls(turn)
      if (calls.length === 0) return Turn.text(turn)
      // A call that waits is answered at once: this terminal is the person and the client.
      const outcomes = yield* run.resumeAll(yield* run.runAll(calls), (deferred) => {
        const { done, response } = answer(deferred)
        return Effect.as(Console.log(`${colours.cyan("waits")}  ${done}\n`), response)
      })
      yield* Console.log(outcomeTable([{ provider: model, detail: `turn ${count + 1}`, outcomes }]))
      messages.push(...OpenAiChat.encodeResults(turn, outcomes).messages)
    }
    return yield* new TooManyTurns()
  })
