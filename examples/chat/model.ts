/** Whatever model the environment has a key for; without one, a script of what a model would say. */
import type { HttpClient } from "@effect/platform"
import { Model } from "@wield/agent"
import { Anthropic, CohereV2, Gemini, Mistral, Ollama, OpenAiChat, OpenAiResponses } from "@wield/providers"
import { ScriptedModel } from "@wield/testing"
import { Effect, Redacted } from "effect"

const { call, text, turn } = ScriptedModel

/** A model, and what its user says where both are written down here. */
export interface Chosen {
  readonly model: Model.Model
  readonly user: ReadonlyArray<string> | undefined
}

const withKey = [
  { variable: "OPENAI_API_KEY", format: OpenAiResponses.format, model: "gpt-5-mini" },
  { variable: "ANTHROPIC_API_KEY", format: Anthropic.format, model: "claude-sonnet-4-5" },
  { variable: "GEMINI_API_KEY", format: Gemini.format, model: "gemini-2.5-flash" },
  { variable: "MISTRAL_API_KEY", format: Mistral.format, model: "mistral-large-latest" },
  { variable: "CO_API_KEY", format: CohereV2.format, model: "command-a-03-2025" }
]

export const variables = ["OPENAI_BASE_URL", ...withKey.map(({ variable }) => variable), "OLLAMA_HOST"]

/** The model of the first variable that is set; `undefined` where none is. */
export const fromEnvironment = (
  environment: NodeJS.ProcessEnv
): Effect.Effect<Model.Model | undefined, never, HttpClient.HttpClient> => {
  const named = environment["WIELD_MODEL"]
  const secret = (name: string) => {
    const value = environment[name]
    return value === undefined || value === "" ? undefined : Redacted.make(value)
  }
  // OpenAI itself, or one of the many servers that speak its older language.
  const url = environment["OPENAI_BASE_URL"]
  if (url !== undefined) {
    return Model.fromWire(OpenAiChat.format, { model: named ?? "gpt-5-mini", url, key: secret("OPENAI_API_KEY") })
  }
  for (const { format, model, variable } of withKey) {
    const key = secret(variable)
    if (key !== undefined) return Model.fromWire(format, { model: named ?? model, key })
  }
  const host = environment["OLLAMA_HOST"]
  if (host !== undefined) {
    return Model.fromWire(Ollama.format, {
      model: named ?? "qwen3",
      url: host.includes("://") ? host : `http://${host}`
    })
  }
  return Effect.succeed(undefined)
}

export const choose = (environment: NodeJS.ProcessEnv): Effect.Effect<Chosen, never, HttpClient.HttpClient> =>
  Effect.flatMap(fromEnvironment(environment), (model) =>
    model === undefined ? scripted : Effect.succeed({ model, user: undefined })
  )

const scripted: Effect.Effect<Chosen> = Effect.map(
  ScriptedModel.make([
    call("read_notes"),
    text("Your list is empty."),
    turn(text("I write that down."), call("write_note", { text: "Adas birthday: 10 December" })),
    text("Done, with the apostrophe."),
    call("write_note", { text: "Buy the moon" }),
    text("As you like: no moon."),
    call("read_notes"),
    text("Only Ada's birthday.")
  ]),
  (model) => ({
    model,
    user: [
      "What is on my list?",
      "Put Ada's birthday on it.",
      `e {"text":"Ada's birthday: 10 December"}`,
      "And the moon.",
      "n too dear",
      "What is on it now?"
    ]
  })
)
