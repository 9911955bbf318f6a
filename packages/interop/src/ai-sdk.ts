/**
 * The AI SDK, 7 and 6: a run as the tools of `generateText` and `streamText`,
 * and their tools as a toolset. Nothing of `ai` is loaded.
 */
import type * as AiTool from "@effect/ai/Tool"
import type { Facts, Hidden, ToolRunner, ToolsetError } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"
import { aFunction, anything, type Checks, holds, orThrow, record, unknownName } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolResult from "@wield/core/ToolResult"
import type { Tool as SdkTool } from "ai"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { fromFunction, type Call } from "@wield/core/Handler"
import { type Host, makeHost } from "./internal/host.js"
import type { Imported, ImportOptions } from "./imported.js"
import { checkImport, importAll, loss, needsOf, parametersOf, type Read } from "./internal/importAll.js"
import { fromJsonSchema } from "./standard.js"

/**
 * What a tool's `execute` throws for every outcome that is no success: the AI
 * SDK makes a `tool-error` of it, and a page gets `output-error`. Its message is
 * what the model reads. By itself, the AI SDK tells a page "An error occurred."
 * of every error; give `onError` of the response to tell it this message.
 *
 * @category errors
 */
export class ToolError extends Error {
  override readonly name = "ToolError"

  constructor(readonly result: ToolResult.ToolResult) {
    super(ToolResult.toText(result))
  }

  /** The AI SDK 7 tells the model this. */
  override toString(): string {
    return this.message
  }
}

/**
 * The tools of a toolset as the AI SDK types them: names, inputs and outputs
 * stay known.
 *
 * @category type-level
 */
export type ToolsOf<Tools> = string extends keyof Tools
  ? { readonly [name: string]: SdkTool<unknown, unknown> }
  : [keyof Tools & string] extends [never]
    ? { readonly [name: string]: SdkTool<unknown, unknown> }
    : {
        [Name in keyof Tools & string]: SdkTool<
          Hidden.VisibleArguments<Tools[Name]>,
          AiTool.SuccessEncoded<Tools[Name]>
        >
      }

/**
 * A run as the options of `generateText`, `streamText` and `ToolLoopAgent`.
 *
 * @category models
 */
export interface Exported<Tools> {
  readonly tools: ToolsOf<Tools>
  /** For the AI SDK 7: the tools ask by themselves; with this, the request for approval says why. */
  readonly toolApproval: {
    readonly [Name in keyof ToolsOf<Tools>]: (
      input: unknown,
      options: { readonly toolCallId: string; readonly messages?: ReadonlyArray<{ readonly content: unknown }> }
    ) => Promise<"not-applicable" | { readonly type: "user-approval"; readonly reason?: string }>
  }
}

/**
 * The tools of a run, as they are offered now. Make a run for each request; the
 * ids of the AI SDK's calls are those in the journal.
 *
 * A call that waits for approval runs only if the last message has the person's
 * yes, and if its input and hidden values are those that the person was asked
 * about. That is kept with the run, not in the history: give the runs of a
 * conversation one id, and the runner a journal if it is to outlive the process.
 * What the program made of an error never reaches the model.
 *
 * @category conversions
 */
export const fromRun = <Tools, R, E>(run: ToolRunner.Run<Tools, R, E>): Effect.Effect<Exported<Tools>, E, R> =>
  Effect.map(makeHost(run), (host) => {
    const remarked: Remarked = new Map()
    const names = host.definitions.map(({ name }) => name)
    return {
      tools: Object.fromEntries(
        host.definitions.map((definition) => [definition.name, toolOf(host, definition, remarked)])
      ),
      toolApproval: Object.fromEntries(
        names.map((name) => [
          name,
          async (input: unknown, options: ApprovalOptions) => {
            const waiting = await waitingFor(host, name, input, options)
            if (waiting === undefined) return "not-applicable"
            return { type: "user-approval", ...(waiting.why === undefined ? {} : { reason: waiting.why }) }
          }
        ])
      )
      // The names are those of the toolset's type.
    } as unknown as Exported<Tools>
  })

/** Values of tools that the runner has added a remark to for the model, such as that the call repeats itself, by their calls. */
type Remarked = Map<string, { readonly output: unknown; readonly content: ReadonlyArray<Content.Part> }>

const toolOf = (
  host: Host,
  { description, facts, inputSchema, name }: Host["definitions"][number],
  remarked: Remarked
) => ({
  description,
  inputSchema: fromJsonSchema(inputSchema),
  ...(facts.examples.length === 0 ? {} : { inputExamples: facts.examples.map((input) => ({ input })) }),
  ...(facts.title === undefined ? {} : { title: facts.title }),
  needsApproval: async (input: unknown, options: ApprovalOptions) =>
    (await waitingFor(host, name, input, options)) !== undefined,
  toModelOutput: ({ output, toolCallId }: { readonly output: unknown; readonly toolCallId: string }) => {
    const known = remarked.get(toolCallId)
    return modelOutputOf(known !== undefined && Object.is(known.output, output) ? known.content : output)
  },
  // The program that holds the conversation executes the tools of a client.
  ...(facts.kind === "client"
    ? {}
    : {
        execute: async (input: unknown, { abortSignal, messages, toolCallId }: ExecutionOptions) => {
          const isAsked = responsesTo(messages, toolCallId).some(({ approved }) => approved !== true)
          const options = { signal: abortSignal, isAsked, isApproved: () => isApproved(messages, toolCallId) }
          const result = await host.execute(ToolCall.make(toolCallId, name, input), options)
          const output = outputOf(result)
          if (result.content.length > 1 && "structured" in result) {
            remarked.set(toolCallId, { output, content: result.content })
          }
          return output
        }
      })
})

interface ApprovalOptions {
  readonly toolCallId: string
  readonly messages?: ReadonlyArray<{ readonly content: unknown }> | undefined
}

interface ExecutionOptions extends ApprovalOptions {
  readonly abortSignal?: AbortSignal
}

/** The SDK asks about an approved call once more before it executes it: the history is then no question, but the answer. */
const waitingFor = (host: Host, name: string, input: unknown, { messages, toolCallId }: ApprovalOptions) =>
  host.waiting(ToolCall.make(toolCallId, name, input), responsesTo(messages, toolCallId).length > 0)

interface Part {
  readonly type?: string
  readonly toolCallId?: string
  readonly approvalId?: string
  readonly approved?: boolean
  readonly isAutomatic?: boolean
}

/** What the input was when the person said yes, is on record with the run: the history may come from a browser. */
const isApproved = (messages: ApprovalOptions["messages"], id: string): boolean => {
  const responses = responsesTo(messages, id)
  return responses.length > 0 && responses.every(({ approved }) => approved === true)
}

/** What a person answers in the last message: ids of calls come again in other turns. */
const responsesTo = (messages: ApprovalOptions["messages"] = [], id: string): ReadonlyArray<Part> => {
  // Messages of the SDK have lists of parts.
  const partsOf = (content: unknown) => (Array.isArray(content) ? (content as ReadonlyArray<Part>) : [])
  const requests = messages
    .flatMap(({ content }) => partsOf(content))
    .filter(({ isAutomatic, toolCallId, type }) => {
      return type === "tool-approval-request" && toolCallId === id && isAutomatic !== true
    })
  return partsOf(messages.at(-1)?.content).filter(
    ({ approvalId, type }) =>
      type === "tool-approval-response" && requests.some((request) => request.approvalId === approvalId)
  )
}

/** The tool's own output, as JSON: the history goes through storage and browsers. */
const outputOf = (result: ToolResult.ToolResult): unknown => {
  if (result.isError) throw new ToolError(result)
  return "structured" in result ? result.structured : JSON.parse(JSON.stringify(result.content))
}

const modelOutputOf = (output: unknown) => {
  if (typeof output === "string") return { type: "text", value: output }
  const content = Array.isArray(output) && output.length > 0 ? contentOf(output) : Option.none()
  return Option.match(content, {
    onNone: () => ({ type: "json", value: output ?? null }),
    onSome: (parts) => ({ type: "content", value: parts.map(partOf) })
  })
}

const contentOf = Schema.decodeUnknownOption(Content.Parts)

/** The kinds that both versions know. */
const partOf = (part: Content.Part) => {
  switch (part._tag) {
    case "Text":
      return { type: "text", text: part.text }
    case "JsonValue":
      return { type: "text", text: typeof part.value === "string" ? part.value : JSON.stringify(part.value) }
    case "Image":
    case "File": {
      const { mediaType, source } = part
      const kind = part._tag === "Image" ? "image" : "file"
      const name = part._tag === "File" && part.filename !== undefined ? { filename: part.filename } : {}
      return source._tag === "Base64"
        ? { type: `${kind}-data`, data: source.data, mediaType, ...name }
        : { type: `${kind}-url`, url: source.url, ...(kind === "file" ? { mediaType } : {}) }
    }
  }
}

/**
 * How tools of the AI SDK are read.
 *
 * @category models
 */
export interface Options extends ImportOptions {
  /** What a tool's `execute` gets as its `context` (6: `experimental_context`). The call context unless given. */
  readonly context?: ((name: string, context: Call["context"]) => unknown) | undefined
  /** What is known of the tools, by name. */
  readonly facts?: { readonly [name: string]: Partial<Facts.Facts> } | undefined
}

/**
 * Tools of the AI SDK as a toolset: their schemas with refinements and
 * transforms, their `needsApproval` as an approval rule, their yields as
 * progress. Tools of a provider are losses. Fails with `InvalidTool` where a
 * schema has no JSON Schema.
 *
 * @category conversions
 */
export const toToolset = (tools: AnyTools, options: Options = {}): Effect.Effect<Imported, ToolsetError> =>
  Effect.gen(function* () {
    checkImport(tools, record(aTool), options, checks)
    // A tool set of the SDK, of which the fields read here are the same in all versions.
    const all = Object.entries(tools).filter(([, tool]) => tool !== undefined) as ReadonlyArray<[string, ForeignTool]>
    const names = all.map(([name]) => name)
    const unknown = Object.keys(options.facts ?? {}).find((name) => !names.includes(name))
    if (unknown !== undefined) orThrow(unknownName(["facts", unknown], "a tool", names))
    const own = all.filter(([, { type }]) => !isOfProvider(type))
    const read = yield* Effect.forEach(own, ([name, tool]) => readTool(name, tool, options))
    const lost = all.filter(([, { type }]) => isOfProvider(type))
    return yield* importAll(
      read,
      lost.map(([name, { type }]) => loss(name, String(type), "the model's own API executes it; give it to the model"))
    )
  })

const checks = { context: aFunction, facts: record(anything) } satisfies Omit<Checks<Options>, "failure">

const aTool = holds(
  "a tool of the AI SDK",
  (tool) => Json.isObject(tool) && (tool["execute"] === undefined || typeof tool["execute"] === "function")
)

/** A record of tools, as `generateText` takes it. */
type AnyTools = { readonly [name: string]: object }

/** What is read of a tool, by the names that both versions have. */
interface ForeignTool {
  readonly type?: string
  readonly title?: string
  readonly description?: string | ((options: object) => string)
  readonly inputSchema?: ForeignSchema | (() => ForeignSchema)
  readonly inputExamples?: ReadonlyArray<{ readonly input: Json.JsonObject }>
  readonly needsApproval?: boolean | ((input: unknown, options: object) => unknown)
  readonly execute?: (input: unknown, options: object) => unknown
  readonly toModelOutput?: (options: object) => unknown
  readonly onInputStart?: unknown
  readonly onInputAvailable?: unknown
}

interface ForeignSchema {
  readonly jsonSchema: Json.JsonSchema | PromiseLike<Json.JsonSchema>
  readonly validate?: (value: unknown) => Validated | PromiseLike<Validated>
}

type Validated =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error }

const isOfProvider = (type: string | undefined) => type !== undefined && type.startsWith("provider")

const readTool = (name: string, tool: ForeignTool, { context, facts, failure }: Options) =>
  Effect.gen(function* () {
    const { description, execute, inputExamples, needsApproval, title, toModelOutput } = tool
    const contextOf = (values: Call["context"]) => (context === undefined ? values : context(name, values))
    const optionsOf = (id: string, values: Call["context"]) => {
      const given = contextOf(values)
      return { toolCallId: id, messages: [], context: given, experimental_context: given }
    }
    const known: Partial<Facts.Facts> = {
      ...(title === undefined ? {} : { title }),
      ...(inputExamples === undefined ? {} : { examples: inputExamples.map(({ input }) => input) }),
      ...facts?.[name],
      ...(execute === undefined ? { kind: "client" } : {})
    }
    const run = async (input: unknown, call: Call) => {
      let output = execute?.(input, { ...optionsOf(call.id, call.context), abortSignal: call.signal })
      if (isAsyncIterable(output)) {
        const yields = output[Symbol.asyncIterator]()
        output = undefined
        for (let next = await yields.next(); next.done !== true; next = await yields.next()) {
          if (output !== undefined) await call.progress(output)
          output = next.value
        }
      }
      output = await output
      return toModelOutput === undefined
        ? output
        : // The SDK's type says so, for any tool.
          answerOf((await toModelOutput({ toolCallId: call.id, input, output })) as ModelOutput)
    }
    const failureOf = (thrown: unknown) => failure?.(thrown) ?? valueOf(thrown)
    const read: Read = {
      tool: {
        name,
        // What a tool with a description of its own for each request says without one.
        description:
          typeof description === "function"
            ? description({ context: {}, experimental_sandbox: undefined })
            : description,
        ...(yield* readSchema(name, tool.inputSchema)),
        facts: known,
        execute: fromFunction(run, failureOf, (value) =>
          value instanceof Failed ? Exit.fail(value.value) : Exit.succeed(value)
        )
      },
      needsApproval: needsOf(needsApproval, (input, id, values) => [input, optionsOf(id, values)]),
      losses: (["onInputStart", "onInputAvailable"] as const)
        .filter((hook) => tool[hook] !== undefined)
        .map((hook) => loss(name, hook, "hooks on streamed input are not called"))
    }
    return read
  })

/** Of an error of a tool that `fromRun` has made, what the model reads. */
const valueOf = (thrown: unknown): Json.Json | undefined => {
  if (!(thrown instanceof ToolError)) return undefined
  const { message, result } = thrown
  // What a tool fails with has been encoded as JSON.
  return result.structured === undefined ? message : (result.structured as Json.Json)
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value

/** A schema of another library, or one of `jsonSchema()`; `lazySchema()` makes one when it is called. */
const readSchema = (name: string, given: ForeignTool["inputSchema"]) =>
  Effect.gen(function* () {
    const schema =
      // Other than a function, it is the schema itself.
      typeof given === "function" && !("~standard" in given) ? given() : (given as ForeignSchema | undefined)
    if (schema === undefined || !("jsonSchema" in schema)) return yield* parametersOf(name, schema)
    const { $schema: _, ...inputSchema } = yield* Effect.promise(async () => schema.jsonSchema)
    const { validate } = schema
    if (validate === undefined) return { inputSchema }
    return {
      inputSchema,
      validate: (value: unknown) =>
        Effect.flatMap(
          Effect.promise(async () => validate(value)),
          (result) =>
            result.success
              ? // Parameters of a tool are an object: its schema has accepted the value.
                Effect.succeed(result.value as { readonly [name: string]: unknown })
              : Effect.fail([
                  { path: [], expected: result.error.message, received: undefined, message: result.error.message }
                ])
        )
    }
  })

/** What a tool wants the model to read instead of its output. */
type ModelOutput = { readonly type: string; readonly value?: unknown; readonly reason?: string }

class Failed {
  constructor(readonly value: Json.Json) {}
}

const answerOf = ({ reason, type, value }: ModelOutput): unknown => {
  // The SDK's output of this type is a list of parts.
  if (type === "content") return new Content.Answer({ parts: (value as ReadonlyArray<ForeignPart>).map(foreignPartOf) })
  if (type === "text" || type === "json") return value
  // The SDK sends it as JSON.
  return new Failed((value ?? reason ?? "the tool denied it") as Json.Json)
}

interface ForeignPart {
  readonly type: string
  readonly text?: string
  readonly data?:
    | string
    | { readonly type: string; readonly data?: string; readonly url?: string | URL; readonly text?: string }
  readonly url?: string
  readonly mediaType?: string
  readonly filename?: string
}

const foreignPartOf = ({
  data,
  filename,
  mediaType = "application/octet-stream",
  text,
  type,
  url
}: ForeignPart): Content.Part => {
  if (type === "text") return Content.text(text ?? "")
  const bytes = typeof data === "object" ? data.data : data
  const address = typeof data === "object" ? data.url : url
  const source =
    bytes !== undefined
      ? { _tag: "Base64" as const, data: bytes }
      : { _tag: "Url" as const, url: String(address ?? "") }
  if (type.startsWith("image") || mediaType.startsWith("image")) {
    return new Content.Image({ mediaType: mediaType.startsWith("image") ? mediaType : "image/*", source })
  }
  return new Content.File({ mediaType, source, ...(filename === undefined ? {} : { filename }) })
}
