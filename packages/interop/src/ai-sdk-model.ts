/**
 * A language model of the AI SDK as a model of `@wield/agent`, so that each of
 * its providers works there. Nothing of `ai` is loaded; the model is yours.
 */
import type { Model, ModelError } from "@wield/agent"
import { Unreachable } from "@wield/agent/ModelError"
import type { Content, Message, ToolDefinition, TurnEvent } from "@wield/core"
import * as Json from "@wield/core/Json"
import { holds, orThrow } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolResult from "@wield/core/ToolResult"
import * as Turn from "@wield/core/Turn"
import * as ApiError from "@wield/providers/ApiError"
import { keepOwn, keepPaired } from "@wield/providers/Maker"
import { WireError } from "@wield/providers/WireError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const format = "ai-sdk"

/**
 * What the versions 3 (AI SDK 6) and 4 (AI SDK 7) of the specification have in common.
 *
 * @category models
 */
export interface LanguageModel {
  readonly specificationVersion: "v3" | "v4"
  readonly provider: string
  readonly modelId: string
  // The options differ by version; the parts that are sent are those that both know.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly doStream: (options: any) => PromiseLike<{ readonly stream: ReadableStream<any> }>
}

/**
 * A language model of any provider package of the AI SDK, 7 or 6, as a model.
 *
 * Its native messages are those of the AI SDK, with what a provider keeps
 * beside each part (signatures, encrypted reasoning), so a conversation goes on
 * with the same provider as it was. `settings` of a request are options of the
 * call: `temperature`, `maxOutputTokens`, `providerOptions`. The AI SDK has no
 * word for a choice among some tools but one: then any of those on offer may be
 * called.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent } from "@wield/agent"
 * import { fromLanguageModel } from "@wield/interop/ai-sdk-model"
 * import { simulateReadableStream } from "ai"
 * import { MockLanguageModelV4 } from "ai/test"
 * import { Effect } from "effect"
 *
 * // In place of anthropic("claude-sonnet-4-5") of @ai-sdk/anthropic.
 * const usage = { inputTokens: { total: 9 }, outputTokens: { total: 2 } }
 * const chunks = [
 *   { type: "text-start", id: "1" },
 *   { type: "text-delta", id: "1", delta: "It is noon." },
 *   { type: "text-end", id: "1" },
 *   { type: "finish", finishReason: { unified: "stop", raw: "end_turn" }, usage }
 * ]
 * const claude = new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) as never })
 *
 * const program = Effect.flatMap(Agent.make({ model: fromLanguageModel(claude) }), (agent) =>
 *   Agent.run(agent, "What time is it?")
 * )
 * Effect.runPromise(program).then(({ text }) => assert.strictEqual(text, "It is noon."))
 * ```
 *
 * @category conversions
 */
export const fromLanguageModel = (model: LanguageModel): Model.Model => {
  orThrow(aModel(model), "What `fromLanguageModel` takes")
  return {
    id: model.modelId,
    format,
    origin: { provider: originOf(model.provider), isStreaming: true },
    stream: (request) =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          const controller = yield* Effect.acquireRelease(
            Effect.sync(() => new AbortController()),
            (controller) => Effect.sync(() => controller.abort())
          )
          const reader = new Reader(model)
          const { stream } = yield* Effect.tryPromise({
            try: async () => model.doStream({ ...optionsOf(model, request), abortSignal: controller.signal }),
            catch: (error) => errorOf(model, error)
          })
          return Stream.fromReadableStream<Part, ModelError.ModelError>(
            () => stream,
            (error) => errorOf(model, error)
          ).pipe(
            Stream.mapEffect((part) =>
              part.type === "error" ? Effect.fail(errorOf(model, part.error)) : Effect.succeed(reader.push(part))
            ),
            Stream.flattenIterables,
            Stream.concat(Stream.suspend(() => reader.end())),
            Stream.catchAll((error) =>
              reader.hasBegun
                ? Stream.concat(Stream.make(reader.finished(false)), Stream.fail(error))
                : Stream.fail(error)
            )
          )
        })
      )
  }
}

const aModel = holds(
  'a language model of the AI SDK 6 or 7 (`specificationVersion` "v3" or "v4"), such as openai("gpt-5")',
  (model) =>
    Json.isObject(model) &&
    (model["specificationVersion"] === "v3" || model["specificationVersion"] === "v4") &&
    typeof model["provider"] === "string" &&
    typeof model["modelId"] === "string" &&
    typeof model["doStream"] === "function"
)

/** The AI SDK writes `openai.responses`, `google.generative-ai`; these names differ from those of OpenTelemetry. */
const providers: { readonly [name: string]: string } = {
  "amazon-bedrock": "aws.bedrock",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  moonshotai: "moonshot_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai"
}

const originOf = (provider: string): string => {
  if (/vertex/.test(provider)) return "gcp.vertex_ai"
  const [name = provider] = provider.split(".")
  return Object.hasOwn(providers, name) ? (providers[name] ?? name) : name
}

interface Part {
  readonly type: string
  readonly id: string
  readonly delta: string
  readonly text?: string
  readonly toolCallId: string
  readonly toolName: string
  readonly input: string
  readonly providerExecuted?: boolean
  readonly providerMetadata?: Json.JsonObject
  readonly usage: Usage
  readonly finishReason: { readonly unified: string; readonly raw?: string }
  readonly modelId?: string
  readonly error?: unknown
}

interface Usage {
  readonly inputTokens: { readonly total?: number; readonly cacheRead?: number; readonly cacheWrite?: number }
  readonly outputTokens: { readonly total?: number; readonly reasoning?: number }
}

/** One part of the assistant's message as the AI SDK takes it back. */
interface NativePart {
  readonly type: string
  text?: string
  readonly [key: string]: unknown
}

class Reader {
  hasBegun = false
  readonly #parts: Array<Turn.Part> = []
  readonly #native: Array<NativePart> = []
  readonly #indexes = new Map<string, number>()
  /** Parts of text and reasoning that are still written to, by id. */
  readonly #open = new Map<string, { readonly part: { text: string }; readonly native: NativePart }>()
  #id: string | undefined
  #model: string | undefined
  #usage = Turn.unknownUsage
  #finish: Part["finishReason"] | undefined

  constructor(private readonly asked: LanguageModel) {
    this.#model = asked.modelId
  }

  push(part: Part): ReadonlyArray<TurnEvent.TurnEvent> {
    switch (part.type) {
      case "response-metadata":
        this.#id = part.id ?? this.#id
        this.#model = part.modelId ?? this.#model
        return []
      case "text-start":
      case "reasoning-start":
        this.#start(part)
        return []
      case "text-delta":
      case "reasoning-delta": {
        const { native, part: open } = this.#open.get(part.id) ?? this.#start(part)
        open.text += part.delta
        native.text = open.text
        this.#keep(native, part)
        return [{ _tag: part.type === "text-delta" ? "TextDelta" : "ReasoningDelta", text: part.delta }]
      }
      case "text-end":
      case "reasoning-end": {
        const open = this.#open.get(part.id)
        if (open !== undefined) this.#keep(open.native, part)
        this.#open.delete(part.id)
        return []
      }
      case "tool-input-start":
        return part.providerExecuted === true ? [] : this.#startCall(part.id, part.toolName)
      case "tool-input-delta": {
        const index = this.#indexes.get(part.id)
        return index === undefined ? [] : [{ _tag: "ArgumentsDelta", index, text: part.delta }]
      }
      case "tool-call":
        return this.#call(part)
      case "finish":
        this.#finish = part.finishReason
        this.#usage = usageOf(part.usage)
        return [{ _tag: "UsageKnown", usage: this.#usage }]
      default:
        return []
    }
  }

  end(): Stream.Stream<TurnEvent.TurnEvent, WireError> {
    return this.#finish !== undefined
      ? Stream.make(this.finished(true))
      : Stream.fail(new WireError({ format, path: [], expected: "a part of the type finish", received: "the end" }))
  }

  finished(isComplete: boolean): TurnEvent.TurnEvent {
    const turn: Turn.Turn = {
      format,
      id: this.#id,
      model: this.#model,
      parts: this.#parts,
      usage: this.#usage,
      finish: finishOf(this.#finish?.unified),
      nativeFinish: this.#finish?.raw ?? this.#finish?.unified,
      native: [Json.from({ role: "assistant", content: this.#native })],
      isComplete
    }
    return { _tag: "Finished", turn: Turn.mark(turn, makerOf(this.asked)) }
  }

  #start(part: Part) {
    this.hasBegun = true
    const isText = part.type.startsWith("text")
    const open = { _tag: isText ? ("Text" as const) : ("Reasoning" as const), text: "" }
    const native: NativePart = { type: isText ? "text" : "reasoning", text: "" }
    this.#keep(native, part)
    this.#parts.push(open)
    this.#native.push(native)
    const both = { part: open, native }
    this.#open.set(part.id, both)
    return both
  }

  /** What the provider wants to see again; the last word holds. */
  #keep(native: NativePart, { providerMetadata }: Part): void {
    if (providerMetadata !== undefined) Object.assign(native, { providerOptions: providerMetadata })
  }

  #startCall(id: string, name: string): ReadonlyArray<TurnEvent.TurnEvent> {
    this.hasBegun = true
    const index = this.#indexes.size
    this.#indexes.set(id, index)
    return [{ _tag: "CallStarted", index, id, name }]
  }

  #call({ input, providerExecuted = false, providerMetadata, toolCallId, toolName }: Part) {
    this.hasBegun = true
    const part: Turn.CallPart = {
      _tag: "Call",
      call: ToolCall.make(toolCallId, toolName, input),
      executedBy: providerExecuted ? "provider" : "application",
      nativeName: toolName,
      nativeId: toolCallId,
      format
    }
    this.#parts.push(part)
    this.#native.push({
      type: "tool-call",
      toolCallId,
      toolName,
      input: inputOf(input),
      ...(providerExecuted ? { providerExecuted } : {}),
      ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata })
    })
    if (providerExecuted) return []
    const started = this.#indexes.has(toolCallId) ? [] : this.#startCall(toolCallId, toolName)
    return [...started, { _tag: "CallComplete" as const, index: this.#indexes.get(toolCallId) ?? 0, part }]
  }
}

/** Providers want an object back: broken JSON goes back as an empty one. */
const inputOf = (input: unknown): unknown => {
  if (typeof input !== "string") return input ?? {}
  try {
    return Json.parse(input, { decimals: "rounded" })
  } catch {
    return {}
  }
}

/** A model of the program's own may state none. */
const usageOf = ({ inputTokens, outputTokens }: Partial<Usage> = {}): Turn.Usage => ({
  input: inputTokens?.total,
  output: outputTokens?.total,
  reasoning: outputTokens?.reasoning,
  cacheRead: inputTokens?.cacheRead,
  cacheWrite: inputTokens?.cacheWrite
})

const finishes: { readonly [name: string]: Turn.Finish } = {
  stop: "stop",
  length: "length",
  "content-filter": "filter",
  "tool-calls": "calls",
  error: "error"
}

const finishOf = (unified: string | undefined): Turn.Finish =>
  unified === undefined ? "error" : (finishes[unified] ?? "other")

const makerOf = ({ modelId, provider }: LanguageModel): Message.Maker => ({ host: provider, model: modelId })

const optionsOf = (model: LanguageModel, { definitions, messages, options, settings }: Model.ModelRequest) => {
  const { choice } = options ?? {}
  const isOne = choice?._tag === "OneOf" && choice.names.length === 1
  const offered = choice?._tag === "OneOf" ? definitions.filter(({ name }) => choice.names.includes(name)) : definitions
  return {
    ...settings,
    prompt: Json.toWellFormed(keepPaired(keepOwn(messages, { format, ...makerOf(model) }), format)).map((message) =>
      messageOf(model, message)
    ),
    ...(offered.length === 0 ? {} : { tools: offered.map(toolOf) }),
    ...(choice === undefined || offered.length === 0
      ? {}
      : {
          toolChoice: isOne
            ? { type: "tool", toolName: choice.names[0] }
            : { type: choice._tag === "OneOf" ? "required" : choice._tag.toLowerCase() }
        })
  }
}

const toolOf = ({ description, inputSchema, name, provider }: ToolDefinition.ToolDefinition) =>
  provider === undefined
    ? { type: "function", name, inputSchema, ...(description === undefined ? {} : { description }) }
    : { type: "provider", id: provider.id, name, args: provider.settings }

const messageOf = ({ specificationVersion: version }: LanguageModel, message: Message.Message) => {
  if (message.native?.format === format && message.native.json.length === 1) {
    const [own] = message.native.json
    return message._tag === "Assistant" ? withIds(own, message.parts) : own
  }
  switch (message._tag) {
    case "System":
      return { role: "system", content: message.text }
    case "User":
      return { role: "user", content: message.content.map((part) => contentOf(version, part)) }
    case "Assistant":
      return { role: "assistant", content: message.parts.flatMap(turnPartOf) }
    case "Results":
      return {
        role: "tool",
        content: message.results.map((result) => ({
          type: "tool-result",
          toolCallId: result.id,
          toolName: result.name,
          output: outputOf(version, result)
        }))
      }
  }
}

/** A message as it stood, with the ids that results name its calls by. */
const withIds = (message: unknown, parts: ReadonlyArray<Turn.Part>): unknown => {
  if (!Json.isObject(message) || !Array.isArray(message["content"])) return message
  const calls = parts.filter((part) => part._tag === "Call")
  const content = message["content"].map((part: unknown): unknown => {
    const at = Json.isObject(part) ? calls.findIndex(({ nativeId }) => nativeId === part["toolCallId"]) : -1
    const [found] = at === -1 ? [] : calls.splice(at, 1)
    return Json.isObject(part) && found !== undefined ? { ...part, toolCallId: found.call.id } : part
  })
  return { ...message, content }
}

/** Reasoning of another API cannot be shown to this one. */
const turnPartOf = (part: Turn.Part): ReadonlyArray<object> => {
  switch (part._tag) {
    case "Text":
    case "Refusal":
      return [{ type: "text", text: part.text }]
    case "Reasoning":
      return []
    case "Call": {
      const { call, executedBy } = part
      if (executedBy === "provider") return []
      return [{ type: "tool-call", toolCallId: call.id, toolName: call.name, input: inputOf(call.arguments) }]
    }
  }
}

const contentOf = (version: LanguageModel["specificationVersion"], part: Content.Part) => {
  if (part._tag === "Text" || part._tag === "JsonValue") return textOf(part)
  const { mediaType, source } = part
  const filename = part._tag === "File" && part.filename !== undefined ? { filename: part.filename } : {}
  const data = source._tag === "Url" ? new URL(source.url) : source.data
  const tagged = source._tag === "Url" ? { type: "url", url: new URL(source.url) } : { type: "data", data: source.data }
  return { type: "file", mediaType, data: version === "v3" ? data : tagged, ...filename }
}

const textOf = (part: Content.Part) => ({
  type: "text",
  text: ToolResult.toText({ id: "", name: "", isError: false, content: [part] })
})

const outputOf = (version: LanguageModel["specificationVersion"], result: ToolResult.ToolResult) => {
  const hasFiles = result.content.some(({ _tag }) => _tag === "Image" || _tag === "File")
  if (hasFiles && !result.isError) {
    return { type: "content", value: result.content.map((part) => resultPartOf(version, part)) }
  }
  const value = ToolResult.toValue(result)
  const kind = typeof value === "string" ? "text" : "json"
  return { type: result.isError ? `error-${kind}` : kind, value }
}

const resultPartOf = (version: LanguageModel["specificationVersion"], part: Content.Part) => {
  if (version === "v4" || part._tag === "Text" || part._tag === "JsonValue") return contentOf(version, part)
  const { mediaType, source } = part
  const kind = part._tag === "Image" ? "image" : "file"
  return source._tag === "Url"
    ? { type: `${kind}-url`, url: source.url }
    : { type: `${kind}-data`, data: source.data, mediaType }
}

const unsendable: ReadonlySet<unknown> = new Set([
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_LoadSettingError",
  "AI_NoSuchModelError",
  "AI_UnsupportedFunctionalityError"
])

/** Neither the request nor the body of the response: they may hold what the user said. */
const errorOf = ({ provider }: LanguageModel, thrown: unknown): ModelError.ModelError => {
  // What the SDK throws for a request has these; what else is thrown has other fields or none.
  const { message, name, responseHeaders, statusCode: status, url } = Json.isObject(thrown) ? thrown : {}
  const detail = typeof message === "string" ? message : String(thrown)
  if (typeof status !== "number") {
    // Nothing was sent, and later it would be the same.
    if (name === "AI_LoadAPIKeyError") return new ApiError.NotAuthorized({ format, detail })
    if (unsendable.has(name)) return new ApiError.RequestRejected({ format, detail })
    return new Unreachable({ format, url: (typeof url === "string" && url.split("?")[0]) || provider, detail })
  }
  const common = { format, status, detail }
  const seconds = Number(Json.isObject(responseHeaders) ? responseHeaders["retry-after"] : undefined)
  const retryAfter = Number.isFinite(seconds) ? { retryAfter: seconds * 1000 } : {}
  if (status === 401 || status === 403) return new ApiError.NotAuthorized(common)
  if (status === 402) return new ApiError.QuotaExceeded(common)
  if (status === 429) return new ApiError.RateLimited({ ...common, ...retryAfter })
  if (status === 408 || status >= 500) return new ApiError.ProviderUnavailable({ ...common, ...retryAfter })
  return new ApiError.RequestRejected(common)
}
