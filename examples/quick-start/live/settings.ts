/** Where the live run finds its model. OpenAI's own clients read the key and the address from the same variables. */
import { Config, Effect, Option, Schema } from "effect"

export class MissingKey extends Schema.TaggedError<MissingKey>()("MissingKey", {}) {
  override get message(): string {
    return [
      "--live lets a model of OpenAI make the calls, and needs an API key: set OPENAI_API_KEY.",
      "Without --live the quick start needs no key."
    ].join("\n")
  }
}

const settings = Config.all({
  apiKey: Config.option(Config.redacted(Config.nonEmptyString("OPENAI_API_KEY"))),
  apiUrl: Config.withDefault(Config.nonEmptyString("OPENAI_BASE_URL"), "https://api.openai.com/v1"),
  model: Config.withDefault(Config.nonEmptyString("OPENAI_MODEL"), "gpt-4.1-mini")
})

export const readSettings = Effect.gen(function* () {
  const { apiKey, apiUrl, model } = yield* settings
  return Option.isNone(apiKey) ? yield* new MissingKey() : { apiKey: apiKey.value, apiUrl, model }
})
