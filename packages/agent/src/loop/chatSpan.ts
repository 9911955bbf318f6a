/** What a request to a model leaves behind: its span and its metrics, by the GenAI conventions of OpenTelemetry. */
import type { Turn } from "@wield/core"
import * as Fibers from "@wield/core/Fibers"
import * as Metrics from "@wield/core/Metrics"
import * as Time from "@wield/core/Time"
import * as Traces from "@wield/core/Traces"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Tracer } from "effect"
import type { Model, ModelRequest } from "../Model.js"
import type { State } from "./state.js"

/** What was heard of a response. */
interface Heard {
  readonly turn: Turn.Turn | undefined
  readonly usage: Turn.Usage | undefined
}

/** `effect` is given the span, which is the parent of nothing but the request itself. */
export const withChat = <E>(
  state: State,
  { model, request }: { readonly model: Model; readonly request: ModelRequest },
  heard: Heard,
  effect: (span: Tracer.Span | undefined) => Effect.Effect<void, E>
): Effect.Effect<void, E> =>
  Effect.flatMap(Time.monotonic, (startedAt) => {
    const common = commonAttributes(model)
    return Traces.withSpan(
      `chat ${model.id}`,
      "client",
      () => ({
        ...common,
        "gen_ai.conversation.id": state.conversation.id,
        ...agentAttributes(state.plan),
        ...(model.origin?.isStreaming === true ? { "gen_ai.request.stream": true } : {}),
        ...settingAttributes({ ...model.origin?.settings, ...request.settings }),
        ...(state.plan.observe?.messages === true
          ? Traces.requestContent(request.messages, request.definitions, redactionOf(state))
          : {})
      }),
      (span) =>
        Effect.onExit(effect(span), (exit) =>
          Fibers.withFiber((fiber) => {
            const recorder = Fibers.peek(Fibers.contextOf(fiber), Metrics.Recorder)
            const endedAt = Time.unsafeMonotonic(Fibers.clockOf(fiber))
            record(common, heard, exit, (endedAt - startedAt) / 1000, recorder)
            return Effect.void
          })
        ),
      () => ({
        ...responseAttributes(heard),
        ...(state.plan.observe?.messages === true && heard.turn !== undefined
          ? Traces.responseContent(heard.turn, redactionOf(state))
          : {})
      })
    )
  })

const redactionOf = ({ context, plan }: State): Traces.Redaction => ({
  hidden: context,
  redact: plan.observe?.redact
})

/** What spans and metrics of a model both say. */
export const commonAttributes = ({ format, id, origin }: Model): { readonly [name: string]: string | number } => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": origin?.provider ?? format,
  "gen_ai.request.model": id,
  ...(origin?.address === undefined ? {} : { "server.address": origin.address }),
  ...(origin?.port === undefined ? {} : { "server.port": origin.port })
})

export const agentAttributes = ({ about, name }: State["plan"]): Traces.Attributes => ({
  "gen_ai.agent.name": name,
  ...(about?.id === undefined ? {} : { "gen_ai.agent.id": about.id }),
  ...(about?.description === undefined ? {} : { "gen_ai.agent.description": about.description }),
  ...(about?.version === undefined ? {} : { "gen_ai.agent.version": about.version })
})

const responseAttributes = ({ turn, usage }: Heard): Traces.Attributes => ({
  ...(turn?.model === undefined ? {} : { "gen_ai.response.model": turn.model }),
  ...(turn?.id === undefined ? {} : { "gen_ai.response.id": turn.id }),
  ...(turn === undefined ? {} : { "gen_ai.response.finish_reasons": [Traces.finishReason(turn.finish)] }),
  ...(usage === undefined ? {} : usageAttributes(usage)),
  ...(usage?.reasoning === undefined ? {} : { "gen_ai.usage.reasoning.output_tokens": usage.reasoning })
})

export const usageAttributes = ({ cacheRead, cacheWrite, input, output }: Turn.Usage): Traces.Attributes => ({
  ...(input === undefined ? {} : { "gen_ai.usage.input_tokens": input }),
  ...(output === undefined ? {} : { "gen_ai.usage.output_tokens": output }),
  ...(cacheRead === undefined ? {} : { "gen_ai.usage.cache_read.input_tokens": cacheRead }),
  ...(cacheWrite === undefined ? {} : { "gen_ai.usage.cache_creation.input_tokens": cacheWrite })
})

const isInteger = Number.isInteger
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value)
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item: unknown) => typeof item === "string")

/** The keys of requests that the conventions know, as the APIs spell them without case and underscores. */
const settingNames = new Map<string, readonly [name: string, fits: (value: unknown) => boolean]>([
  ["maxtokens", ["max_tokens", isInteger]],
  ["maxcompletiontokens", ["max_tokens", isInteger]],
  ["maxoutputtokens", ["max_tokens", isInteger]],
  ["numpredict", ["max_tokens", isInteger]],
  ["temperature", ["temperature", isNumber]],
  ["topp", ["top_p", isNumber]],
  ["p", ["top_p", isNumber]],
  ["topk", ["top_k", isNumber]],
  ["k", ["top_k", isNumber]],
  ["frequencypenalty", ["frequency_penalty", isNumber]],
  ["presencepenalty", ["presence_penalty", isNumber]],
  ["seed", ["seed", isInteger]],
  ["randomseed", ["seed", isInteger]],
  ["stop", ["stop_sequences", isTexts]],
  ["stopsequences", ["stop_sequences", isTexts]]
])

/** Objects within a request that hold settings: of Gemini, Bedrock, Ollama. */
const within = ["generationConfig", "inferenceConfig", "options"]

const settingAttributes = (settings: { readonly [key: string]: unknown }): Traces.Attributes => {
  const found: Record<string, unknown> = {}
  for (const key of within) Object.assign(found, settingsIn(settings[key]))
  return Object.assign(found, settingsIn(settings))
}

const settingsIn = (settings: unknown): Traces.Attributes => {
  const found: Record<string, unknown> = {}
  if (typeof settings !== "object" || settings === null) return found
  for (const [key, value] of Object.entries(settings)) {
    const known = settingNames.get(key.toLowerCase().replaceAll("_", ""))
    if (known?.[1](value) === true) found[`gen_ai.request.${known[0]}`] = value
  }
  return found
}

const duration: Metrics.Instrument = {
  name: "gen_ai.client.operation.duration",
  description: "Duration of requests to models",
  unit: "s",
  boundaries: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
}

const tokens: Metrics.Instrument = {
  name: "gen_ai.client.token.usage",
  description: "Tokens that models read and wrote",
  unit: "{token}",
  boundaries: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864]
}

const record = (
  common: { readonly [name: string]: string | number },
  { turn, usage }: Heard,
  exit: Exit.Exit<void, unknown>,
  seconds: number,
  recorder: typeof Metrics.Recorder.Service
): void => {
  const attributes = turn?.model === undefined ? common : { ...common, "gen_ai.response.model": turn.model }
  const failed = Exit.isFailure(exit) ? Traces.errorType(exit.cause) : undefined
  const ended = failed === undefined ? attributes : { ...attributes, "error.type": failed }
  Metrics.measure({ instrument: duration, value: seconds, attributes: ended }, recorder)
  for (const type of ["input", "output"] as const) {
    const count = usage?.[type]
    if (count === undefined) continue
    const attributesOfType = { ...attributes, "gen_ai.token.type": type }
    Metrics.measure({ instrument: tokens, value: count, attributes: attributesOfType }, recorder)
  }
}
