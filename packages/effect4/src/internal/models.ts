/** A `LanguageModel` of Effect 4 as a model of Wield: the one of Effect 3 that agents know is made of it. */
import {
  AiError as AiError3,
  Effect as Effect3,
  type LanguageModel as LanguageModel3,
  Model as Model3,
  Option as Option3,
  type Prompt as Prompt3,
  type Response as Response3,
  Stream as Stream3,
  Tool as Tool3,
  LanguageModel as Service3
} from "@wield/effect3"
import type { Model } from "../Model.js"
import * as Ai from "./effectAi.js"
import { into4, streamInto3 } from "./seam.js"

const models = new WeakMap<Model, Model3.Model>()

export const modelFrom3 = (model: Model3.Model): Model => {
  // The mark exists in the type only.
  const own = { id: model.id, format: model.format } as unknown as Model
  models.set(own, model)
  return own
}

export const modelTo3 = (model: Model): Model3.Model => {
  const own = models.get(model)
  if (own === undefined) throw new TypeError("An agent's model must be one of @wield/effect4/Model")
  return own
}

export const fromLanguageModel = (model: Ai.LanguageModel.LanguageModel, options: Model3.LanguageModelOptions) =>
  into4(Effect3.provideService(Model3.fromLanguageModel(options), Service3.LanguageModel, serviceOf(model)))

/** The part of a `LanguageModel` that a model of Wield asks. */
const serviceOf = (model: Ai.LanguageModel.LanguageModel): LanguageModel3.Service => {
  const parts = (options: Options, isStreaming: boolean): Stream3.Stream<Response3.AnyPart, AiError3.AiError> =>
    Stream3.suspend(() =>
      streamInto3(
        Ai.ask(model, {
          messages: messagesOf(options.prompt),
          tools: Object.values(options.toolkit.tools).map((tool) =>
            Ai.shadowOf(tool.name, tool.description, { ...Tool3.getJsonSchema(tool) })
          ),
          toolChoice: options.toolChoice,
          isStreaming
        })
      )
    ).pipe(Stream3.map(partTo3), Stream3.mapError(errorTo3))
  const service = {
    streamText: (options: Options) => parts(options, true),
    generateText: (options: Options) =>
      Effect3.map(Stream3.runCollect(parts(options, false)), (chunk) => ({ content: [...chunk] }))
  }
  // A model asks these two, with these options, and reads these parts.
  return service as unknown as LanguageModel3.Service
}

interface Options {
  readonly prompt: Prompt3.Prompt
  readonly toolkit: { readonly tools: Readonly<Record<string, Parameters<typeof Tool3.getJsonSchema>[0]>> }
  readonly toolChoice: Ai.Asked["toolChoice"]
}

/** Both say a message in the same words. */
const messagesOf = ({ content }: Prompt3.Prompt): Ai.Asked["messages"] =>
  content.map(({ content, options, role }) => ({
    role,
    content: typeof content === "string" ? content : content.map((part) => ({ ...part })),
    options
  })) as unknown as Ai.Asked["messages"]

interface Usage {
  readonly inputTokens: { readonly total?: number | undefined; readonly cacheRead?: number | undefined }
  readonly outputTokens: { readonly total?: number | undefined; readonly reasoning?: number | undefined }
}

const partTo3 = (part: Ai.AnsweredPart): Response3.AnyPart => {
  const { metadata = {}, type } = part
  if (type === "response-metadata") {
    return {
      type,
      id: Option3.fromNullable(part["id"]),
      modelId: Option3.fromNullable(part["modelId"]),
      metadata
      // Of this type these fields are read.
    } as unknown as Response3.AnyPart
  }
  if (type === "finish") {
    // The usage of that type.
    const { inputTokens, outputTokens } = part["usage"] as Usage
    return {
      type,
      reason: part["reason"],
      usage: {
        inputTokens: inputTokens.total,
        outputTokens: outputTokens.total,
        reasoningTokens: outputTokens.reasoning,
        cachedInputTokens: inputTokens.cacheRead
      },
      // All tokens are counted already.
      metadata: {}
      // As above.
    } as unknown as Response3.AnyPart
  }
  // Both say it in the same words.
  return { ...part, metadata } as unknown as Response3.AnyPart
}

const errorTo3 = (error: unknown): AiError3.AiError => {
  const method = "generateText"
  const refused = Ai.refusalOf(error)
  if (refused === undefined) return new AiError3.UnknownError({ module: "LanguageModel", method, cause: error })
  const { isUnreachable, message, module, retryAfterSeconds, status } = refused
  const request = { method: "POST", url: "", urlParams: [], hash: Option3.none(), headers: {} } as const
  if (isUnreachable) {
    return new AiError3.HttpRequestError({ module, method, reason: "Transport", request, description: message })
  }
  if (status === undefined) return new AiError3.UnknownError({ module, method, description: message })
  return new AiError3.HttpResponseError({
    module,
    method,
    reason: "StatusCode",
    request,
    response: { status, headers: retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) } },
    body: JSON.stringify({ error: { message } }),
    description: message
  })
}
