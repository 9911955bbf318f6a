/** Wire formats by their names: a program loads those that it uses. */
import type { WireFormat } from "@wield/providers"
import { show } from "@wield/core/Issue"
import * as Effect from "effect/Effect"

const loaders = {
  anthropic: () => import("@wield/providers/Anthropic"),
  "bedrock-converse": () => import("@wield/providers/BedrockConverse"),
  "cohere-v2": () => import("@wield/providers/CohereV2"),
  gemini: () => import("@wield/providers/Gemini"),
  mistral: () => import("@wield/providers/Mistral"),
  ollama: () => import("@wield/providers/Ollama"),
  "openai-chat": () => import("@wield/providers/OpenAiChat"),
  "openai-responses": () => import("@wield/providers/OpenAiResponses")
} satisfies { readonly [name: string]: () => Promise<{ readonly format: WireFormat.WireFormat }> }

/** An API, by the name of its wire format. */
export type FormatName =
  | "anthropic"
  | "bedrock-converse"
  | "cohere-v2"
  | "gemini"
  | "mistral"
  | "ollama"
  | "openai-chat"
  | "openai-responses"

const loaded = new Map<FormatName, Effect.Effect<WireFormat.WireFormat>>()

/** The compiler knows the names; other programs get an error that lists them. */
export function checkFormat(name: unknown): asserts name is FormatName {
  if (typeof name !== "string" || !Object.hasOwn(loaders, name))
    throw new TypeError(`There is no format ${show(name)}. There are: ${Object.keys(loaders).join(", ")}`)
}

/** The format of a name, at once if it is loaded: each answer asks, and what is there needs no fiber. */
export const formatOf = (name: FormatName): Effect.Effect<WireFormat.WireFormat> =>
  loaded.get(name) ??
  Effect.suspend(() => {
    checkFormat(name)
    return Effect.map(Effect.promise<{ readonly format: WireFormat.WireFormat }>(loaders[name]), ({ format }) => {
      loaded.set(name, Effect.succeed(format))
      return format
    })
  })
