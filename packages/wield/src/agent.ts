/** The loop around a model, for programs that use promises. */
import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { AgentEvent, AgentResult, DeferredCall } from "@wield/agent"
import type * as Agents from "@wield/agent/Agent"
import * as ConversationStore from "@wield/agent/ConversationStore"
import type * as Model from "@wield/agent/Model"
import type { Content, Json, Policy, Toolset } from "@wield/core"
import type { Reply } from "@wield/interop/approval"
import type { LanguageModel } from "@wield/interop/ai-sdk-model"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { checkNames } from "./internal/checkNames.js"
import type { Running, Services } from "./internal/Running.js"
import { type Abortable, type FormatName, responseTo } from "./run.js"
import type { CallValues } from "./tool.js"

/** A model over HTTP. */
export interface ModelOptions extends Omit<Model.WireOptions, "key" | "headers" | "prepareRequest" | "onLosses"> {
  /** The API. Servers that speak another one's format take its name: most take `openai-chat`. */
  readonly format: FormatName
  /** The API's key. It is sent to the API, and stands in no error, log or trace. */
  readonly key?: string | undefined
  /** Further headers. Their values are treated as the key is. */
  readonly headers?: { readonly [name: string]: string }
}

/** How an agent is made. */
export interface AgentOptions<Output> {
  /**
   * A model over HTTP, one of the AI SDK's (`anthropic("claude-sonnet-4-5")`, which needs its package and its key), or one
   * of `@wield/agent` or `@wield/testing`.
   */
  readonly model: ModelOptions | LanguageModel | Model.Model | Effect.Effect<Model.Model>
  /** The system text; as a function, it is asked before each request to the model. */
  readonly instructions?: string | ((context: CallValues) => string | Promise<string>)
  /** What the model must answer with. It is given a tool for it, and text is not an answer then. */
  readonly output?: StandardSchemaV1<unknown, Output>
  /** The most requests to the model in a run. 20 unless given. */
  readonly steps?: number
  /** Keys of the provider's request body (`temperature`, …), as its API spells them. */
  readonly settings?: Json.JsonObject
  /** Answers a call that waits, at once; `undefined` leaves it waiting, and the run ends as `Paused`. */
  readonly answer?: (request: DeferredCall.DeferredCall) => Reply | undefined | Promise<Reply | undefined>
  /** Everything else that `Agent.make` of `@wield/agent` takes. */
  readonly more?: Partial<
    Omit<
      Agents.Config<Toolset.DynamicTools, never, unknown, string, string, never, never, never, never, never, never>,
      "model" | "instructions" | "output" | "settings" | "answer" | "toolset" | "policy"
    >
  >
}

/** What a run is given beside the prompt. `context` is required where tools have hidden parameters. */
export type AskOptions<Needed> = Abortable & {
  /** The id of the conversation to go on with, or to begin. A new id unless given. */
  readonly conversation?: string
  /** Answers to the requests of a paused run. */
  readonly answers?: ReadonlyArray<{ readonly to: DeferredCall.DeferredCall; readonly reply: Reply }>
  readonly onEvent?: (event: Event<unknown>) => void
} & ({} extends Needed ? { readonly context?: CallValues } : { readonly context: Needed & CallValues })

type Ended<Result> = Result extends unknown ? Omit<Result, "conversation"> & { readonly conversation: string } : never

/**
 * How a run ended: `Finished` with `output`, `Paused` with the `requests` that wait for a person, or `Stopped` `by` a
 * limit. `conversation` is its id.
 */
export type Result<Output> = Ended<AgentResult.AgentResult<Output>>

/** What happens in a run: text, calls, turns. The last one is `Done`. */
export type Event<Output> =
  | Exclude<AgentEvent.AgentEvent, { readonly _tag: "Done" }>
  | { readonly _tag: "Done"; readonly result: Result<Output> }

type Prompt = string | ReadonlyArray<Content.Part> | undefined
type Given<Needed> = {} extends AskOptions<Needed> ? [options?: AskOptions<Needed>] : [options: AskOptions<Needed>]

/** A model that uses tools. */
export interface Agent<Needed, Output> {
  /** Runs until the model has answered. Without a prompt a conversation goes on where it is. */
  readonly ask: (prompt: Prompt, ...options: Given<Needed>) => Promise<Result<Output>>
  /** The same as events. Leaving the loop aborts the run. */
  readonly stream: (prompt: Prompt, ...options: Given<Needed>) => AsyncIterable<Event<Output>>
}

const askNames = ["conversation", "answers", "onEvent", "context", "signal"]

const names = ["model", "instructions", "output", "steps", "settings", "answer", "more"]

export const makeAgent = <Needed, Output>(
  running: Running,
  toolset: Toolset.Toolset<Toolset.DynamicTools, never, unknown>,
  policy: Policy.Policy,
  options: AgentOptions<Output>
): Agent<Needed, Output> => {
  checkNames("`agent`", options, names)
  // The loop, models and their client of HTTP: only a program that asks an agent loads them.
  const made = Effect.runSync(
    Effect.cached(
      Effect.flatMap(
        Effect.promise(() => import("./internal/loop.js")),
        ({ agentOf, stream }) => Effect.map(agentOf(toolset, policy, options), (agent) => ({ agent, stream }))
      )
    )
  )

  const events = (prompt: Prompt, given: AskOptions<unknown> = {}): Stream.Stream<Event<Output>, unknown, Services> =>
    Effect.gen(function* () {
      checkNames("`ask`", given, askNames)
      const { agent, stream } = yield* made
      const store = yield* ConversationStore.ConversationStore
      const conversation =
        given.conversation === undefined ? yield* store.create() : yield* store.openOrCreate(given.conversation)
      const answers = given.answers?.map((answer) => ({ request: answer.to, response: responseTo(answer) }))
      return stream(agent, { prompt, conversation, answers, context: given.context })
    }).pipe(
      Stream.unwrap,
      Stream.map((event): Event<Output> =>
        event._tag === "Done" ? { _tag: "Done", result: resultOf(event.result) } : event
      )
    )

  return {
    ask: (prompt, ...[given]) =>
      running.run(
        Effect.gen(function* () {
          let result: Result<Output> | undefined
          yield* Stream.runForEach(events(prompt, given), (event) =>
            Effect.sync(() => {
              if (event._tag === "Done") result = event.result
              given?.onEvent?.(event)
            })
          )
          // The last event of every run that does not fail.
          return result!
        }),
        given?.signal
      ),
    stream: (prompt, ...[given]) => ({
      [Symbol.asyncIterator]: () => iterate(running, events(prompt, given), given)
    })
  }
}

async function* iterate<Output>(
  running: Running,
  events: Stream.Stream<Event<Output>, unknown, Services>,
  given: AskOptions<unknown> = {}
): AsyncGenerator<Event<Output>, void> {
  const { signal } = given
  signal?.throwIfAborted()
  const aborted = Effect.async<never, unknown>((resume) => {
    const abort = () => resume(Effect.fail(signal?.reason))
    signal?.addEventListener("abort", abort)
    return Effect.sync(() => signal?.removeEventListener("abort", abort))
  })
  const context = await running.run(Effect.runtime<Services>())
  const all = events.pipe(Stream.interruptWhen(aborted), Stream.interruptWhen(running.closed))
  for await (const event of Stream.toAsyncIterableRuntime(all, context)) {
    given.onEvent?.(event)
    yield event
  }
}

const resultOf = <Output>(result: AgentResult.AgentResult<unknown, unknown>): Result<Output> =>
  // The same result, but for the conversation, which is its id here.
  ({ ...result, conversation: result.conversation.id }) as unknown as Result<Output>
