/**
 * A recorded conversation over the language models of @effect/ai: run again as
 * far as its packages can. Where they cannot, the run has to fail by an error of
 * a type.
 */
import { AnthropicClient, AnthropicLanguageModel } from "@effect/ai-anthropic"
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai"
import { FetchHttpClient } from "@effect/platform"
import { Model } from "@wield/agent"
import { Cause, Chunk, Effect, Either, Exit, Layer, Option, Redacted } from "effect"
import { firstDifference } from "../wire/firstDifference.js"
import { settingsOf } from "./checkConversation.js"
import type { Need } from "./checkRequests.js"
import { checkRuns } from "./checkRuns.js"
import type { Conversation, Step } from "./conversations.js"
import { effectAiDifferences } from "./effectAiDifferences.js"
import { type ModelAt, replay, type Replay } from "./replay.js"
import { saidOf } from "./said.js"
import { spokenOf } from "./spoken.js"

export interface Checked {
  readonly problems: ReadonlyArray<string>
  /** Why the package could not go on, where it could not. */
  readonly refused: string | undefined
}

/** The packages by the format that they speak. */
export const packages: ReadonlyMap<string, { readonly name: string; readonly modelAt: ModelAt<never> }> = new Map([
  [
    "openai-responses",
    {
      name: "@effect/ai-openai",
      modelAt: (url, step) =>
        Effect.provide(
          modelOf(step),
          OpenAiLanguageModel.layer({ model: step.model, config: { ...configOf(step), strict: false } }).pipe(
            Layer.provide(OpenAiClient.layer({ apiKey: key, apiUrl: url })),
            Layer.provide(FetchHttpClient.layer)
          )
        )
    }
  ],
  [
    "anthropic-messages",
    {
      name: "@effect/ai-anthropic",
      modelAt: (url, step) =>
        Effect.provide(
          modelOf(step),
          AnthropicLanguageModel.layer({ model: step.model, config: configOf(step) }).pipe(
            Layer.provide(AnthropicClient.layer({ apiKey: key, apiUrl: url })),
            Layer.provide(FetchHttpClient.layer)
          )
        )
    }
  ]
])

const key = Redacted.make("sk-not-a-key")

const modelOf = ({ exchange, model }: Step) =>
  Model.fromLanguageModel({ id: model, isStreaming: exchange.stream !== undefined })

/** The configuration of a package holds keys of the request body, but for those that the package makes. */
const configOf = (step: Step): {} => {
  const {
    input: _input,
    messages: _messages,
    system: _system,
    tool_choice: _choice,
    tools: _tools,
    ...config
  } = settingsOf(step)
  return config
}

export const checkOverEffectAi = async (
  conversation: Conversation,
  modelAt: ModelAt<never>,
  isCut: boolean,
  need: Need
): Promise<Checked> => {
  const program = replay(conversation, isCut, modelAt, () => undefined)
  const exit = await Effect.runPromiseExit(program.pipe(Effect.scoped, Effect.timeout("4 minutes")))
  if (Exit.isFailure(exit)) return { problems: [Cause.pretty(exit.cause).slice(0, 600)], refused: undefined }
  for (const run of exit.value.runs) {
    if (Exit.isSuccess(run.exit)) continue
    const error = typedError(run.exit.cause)
    return error === undefined
      ? { problems: [`no error of a type: ${Cause.pretty(run.exit.cause).slice(0, 600)}`], refused: undefined }
      : { problems: [], refused: error }
  }
  return { problems: problemsOf(conversation, exit.value, need), refused: undefined }
}

const problemsOf = (conversation: Conversation, { received, runs }: Replay, need: Need): ReadonlyArray<string> => {
  const { known, steps } = conversation
  const { problems, replacements } = spokenOf(conversation, runs)
  const asked = steps.flatMap((step, index) => {
    const words = Either.all({
      expected: saidOf(known, step.body, new Map()),
      found: saidOf(known, received[index]?.body ?? {}, replacements)
    })
    if (Either.isLeft(words)) return [`request ${index + 1}: ${words.left}`]
    let { expected, found } = words.right
    for (const { apply, name } of effectAiDifferences) {
      const left = firstDifference(expected, found)
      if (left === "") return []
      const [plainExpected, plainFound] = [apply(expected), apply(found)]
      if (firstDifference(plainExpected, plainFound) !== left) need(name)
      expected = plainExpected
      found = plainFound
    }
    const left = firstDifference(expected, found)
    return left === "" ? [] : [`request ${index + 1}: ${left}`]
  })
  return [...checkRuns(conversation, runs, false), ...problems, ...asked]
}

/** The errors by which a model may fail; undefined for anything else, a defect too. */
const typedError = (cause: Cause.Cause<unknown>): string | undefined => {
  if (!Chunk.isEmpty(Cause.defects(cause))) return undefined
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  if (!(error instanceof Error) || !("_tag" in error) || !modelErrors.has(String(error._tag))) return undefined
  return `${String(error._tag)}: ${reasonOf(error.message)}`
}

const modelErrors: ReadonlySet<string> = new Set(["RequestRejected", "WireError"])

/** Of an issue, which may tell of a whole union. */
const longestReason = 120

/** The innermost line of a schema's issue, with the place of it; or the message itself. */
const reasonOf = (message: string): string => {
  const lines = message.split("\n").map((line) => line.replace(/^[\s│├└─]+/, ""))
  const places = lines.filter((line) => line.startsWith("["))
  const reason = lines.length === 1 ? message : `${places.join("")} ${lines.findLast((line) => line !== "") ?? ""}`
  return reason.replace("The request was rejected (effect-ai): ", "").slice(0, longestReason)
}
