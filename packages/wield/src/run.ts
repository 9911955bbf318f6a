/** The calls of one request or conversation, answered in the format they came in. */
import * as Digest from "@wield/core/Digest"
import type * as AiTool from "@effect/ai/Tool"
import type * as AgentEvent from "@wield/agent/AgentEvent"
import type { Outcome, Response, ToolCall, Toolset } from "@wield/core"
import type * as Json from "@wield/core/Json"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as Turn from "@wield/core/Turn"
import { type Reply, responseOf, type Waiting, waitingOf } from "@wield/interop/approval"
import type { WireFormat } from "@wield/providers"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { checkKind, checkNames, checkOptions, offerChecks } from "./internal/checkNames.js"
import { type FormatName, formatOf } from "./internal/formats.js"
import type { Running } from "./internal/Running.js"
import { type AnyTool, type CallValues, ToolFailure } from "./tool.js"

export type { Reply, Waiting } from "@wield/interop/approval"
export type { FormatName } from "./internal/formats.js"

export type Tools = ReadonlyArray<AnyTool>
export type Names<T extends Tools> = T[number]["name"]
type TypesOf<T> = T extends { readonly types?: infer Types } ? NonNullable<Types> : never
export type ByName<T extends Tools, Name> = TypesOf<Extract<T[number], { readonly name: Name }>>
type InputOf<T> = T extends { sent: never; parameters: infer P } ? P : T extends { sent: infer P } ? P : unknown
type HiddenOf<T extends Tools, Name> =
  ByName<T, Name> extends { hidden: infer Hidden } ? Hidden & keyof InputOf<ByName<T, Name>> : never

type AllHidden<T extends Tools> = { [Name in Names<T>]: HiddenOf<T, Name> }[Names<T>]

/** What each tool that hides the field has it for. */
type Needed<T extends Tools, Field> = {
  [Name in Names<T>]: Field extends HiddenOf<T, Name> ? (value: InputOf<ByName<T, Name>>[Field]) => void : never
}[Names<T>]

type NeededFields<T extends Tools> = {
  readonly [Field in AllHidden<T>]: Needed<T, Field> extends (value: infer Value) => void ? Value : never
}

/** The hidden parameters of all tools. */
// Inferred, an editor shows the fields instead of the tools that they come from.
export type NeededContext<T extends Tools> =
  NeededFields<T> extends infer Fields ? { readonly [Field in keyof Fields]: Fields[Field] } : never

/** What happens to a call, as JSON for a page: it starts, reports `progress`, ends. */
export type CallEvent = Extract<
  AgentEvent.Happening,
  { readonly _tag: "CallStarted" | "CallProgress" | "CallFinished" }
>

/** An answer to a call that waits. */
export interface Answered {
  readonly to: Pick<Waiting, "id" | "call" | "name" | "digest" | "input" | "within"> &
    Partial<Pick<Waiting, "arguments" | "waitsFor">>
  readonly reply: Reply
}

/** An answer may be built from what a browser sent. */
export const responseTo = (
  answer: { readonly to: unknown; readonly reply: Reply } | null | undefined
): Response.Response => {
  const to = answer?.to
  const within = Predicate.hasProperty(to, "within") ? (to.within ?? []) : []
  // Without its id, it would hold for an equal call of another turn, too.
  const isNamed = Predicate.hasProperty(to, "id") && typeof to.id === "string"
  if (!answer || !isNamed || !isOfCall(to) || !Array.isArray(within) || !within.every(isOfCall))
    throw new TypeError("An answer lacks `to`: one of what waits, whole, as `waiting` or `requests` named it")
  // In the wrong place, an edit would be lost, and run what a person has changed.
  checkNames("An answer", answer, ["to", "reply", "by"])
  return responseOf(answer.reply)
}

const isOfCall = (of: unknown): boolean =>
  Predicate.hasProperty(of, "call") && Predicate.hasProperty(of.call, "id") && typeof of.call.id === "string"

/** What came of a model's response. */
export interface Answer {
  /** Add them to the history of the next request. Where calls wait, send it once `waiting` is empty. */
  readonly messages: ReadonlyArray<Json.Json>
  /** One for each call, in their order. */
  readonly outcomes: ReadonlyArray<Outcome.Outcome>
  readonly waiting: ReadonlyArray<Waiting>
  /** The text of the response. Where there are no calls, it is the model's answer. */
  readonly text: string
  readonly turn: Turn.Turn
}

/** Ends what it is given to, and rejects with the signal's reason. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

/** The calls of one request or conversation. `Open` are names that only the run time knows, of `toolsets`. */
export interface Run<T extends Tools, Open extends string = never> {
  /** The part of a request's body that offers the tools: `{ tools: […] }`. */
  readonly tools: (format: FormatName, options?: WireFormat.ToolsOptions) => Promise<Json.JsonObject>
  /**
   * Reads a model's response, runs its calls and writes their results in the same format. What a call comes to never
   * rejects; a response of another format does (`WireError`). `answers` are those to calls that waited: give the
   * same response again, and what has run before does not run again.
   */
  readonly answer: (
    format: FormatName,
    response: unknown,
    options?: Abortable & {
      readonly answers?: ReadonlyArray<Answered>
      /**
       * Gets what happens to the calls meanwhile, as JSON: that they start, what they report, how they end. A call waits
       * for its promise; where it fails, the log has why, and the call goes on.
       */
      readonly onEvent?: (event: CallEvent) => unknown
    }
  ) => Promise<Answer>
  /**
   * Gives the run to a function that makes something else of it, such as the tools of another SDK:
   * `const { tools, toolApproval } = await run.to(AiSdk.fromRun)`, with `import * as AiSdk from "@wield/interop/ai-sdk"`.
   */
  readonly to: <A>(
    convert: (run: ToolRunner.Run<ByNames<T>, never, unknown>) => Effect.Effect<A, unknown>
  ) => Promise<A>
  /** Calls a tool from the program, through the same pipeline. Rejects with `ToolFailure`, or `ToolCallError`. */
  readonly call: <Name extends Names<T> | Open>(
    name: Name,
    ...input: {} extends VisibleOf<T, Name>
      ? [parameters?: VisibleOf<T, Name>, options?: Abortable]
      : [parameters: VisibleOf<T, Name>, options?: Abortable]
  ) => Promise<ResultOf<T, Name>>
}

/** The tools as `@wield/core` types them. */
type ByNames<T extends Tools> = {
  readonly [Name in Names<T>]: AiTool.Tool<
    Name,
    {
      readonly parameters: Schema.Struct<{
        readonly [Key in keyof VisibleOf<T, Name>]: Schema.Schema<VisibleOf<T, Name>[Key]>
      }>
      readonly success: Schema.Schema<ResultOf<T, Name>>
      readonly failure: Schema.Schema<unknown>
      readonly failureMode: "return"
    }
  >
}

/** What a model or the program sends: the input of the schema, but for what is hidden. */
type VisibleOf<T extends Tools, Name> = [ByName<T, Name>] extends [never]
  ? CallValues
  : Omit<InputOf<ByName<T, Name>>, HiddenOf<T, Name>>
type ResultOf<T extends Tools, Name> = [ByName<T, Name>] extends [never]
  ? unknown
  : ByName<T, Name> extends { result: infer Result }
    ? Result
    : unknown

export const makeRun = <T extends Tools>(
  running: Running,
  run: ToolRunner.Run<Toolset.DynamicTools, never, unknown>,
  id: string | undefined
): Run<T> => {
  return {
    tools: async (format, options) => {
      checkOptions("`tools`", options, offerChecks)
      return running.run(
        Effect.zipWith(
          run.definitions,
          formatOf(format),
          (definitions, wire) => wire.encodeTools(definitions, options).body
        )
      )
    },
    answer: async (format, response, options = {}) => {
      checkNames("`answer`", options, ["answers", "onEvent", "signal"])
      const { answers = [], onEvent, signal } = options
      checkKind("`answers`", options.answers, "an array of { to, reply }", Array.isArray(answers))
      checkKind("`onEvent`", onEvent, "a function", typeof onEvent === "function")
      const host = running.host(signal)
      const watcher = onEvent === undefined ? undefined : (await import("./internal/watcherOf.js")).watcherOf(onEvent)
      const wire = await running.run(formatOf(format), signal)
      checkResponse(response)
      const turn = await running.run(
        wire.decodeTurn(response, { definitions: await running.run(run.definitions) }),
        signal
      )
      // Ids of calls come again in other turns of some APIs. What keeps JSON may not keep the order of its keys.
      const entry = Digest.ofValues(JSON.parse(JSON.stringify(response)))
      const ofTurn = run.forRun({ turn: entry })
      const calls = Turn.calls(turn)
      // A hole of a list is no answer.
      const given = Array.from(answers, (answer) => ({ response: responseTo(answer), to: answer.to }))
      const settle = (some: typeof calls, since?: ToolRunner.NestedRunOptions) =>
        ToolRunner.byPromise(since === undefined ? ofTurn : ofTurn.forRun(since), host).settle(some, watcher)
      // Calls that another process may have begun do not begin again, unless a record says that they were not. What is
      // answered goes on with its answer alone, also where the rule allows it by now: a person may have denied it.
      const settleBefore = async (isAnswered: (call: ToolCall.ToolCall) => boolean) => {
        const ended = [...(await settle(calls.filter(isAnswered), { isRecovered: true, isAsked: true }))]
        const others = calls.filter((call) => !isAnswered(call))
        const rest = [...(await settle(others, { isRecovered: true }))]
        return calls.flatMap((call) => (isAnswered(call) ? ended : rest).shift() ?? [])
      }
      const answering = given.length === 0 ? undefined : await import("./internal/answering.js")
      const settled = await (answering === undefined
        ? settle(calls)
        : settleBefore((call) => answering.isAnswered(calls, call, given)))
      const outcomes =
        answering === undefined
          ? settled
          : await answering.takeAnswers(
              {
                run: ofTurn,
                calls,
                outcomes: settled,
                name: id,
                entry,
                watcher,
                complete: (effect) => running.run(effect, signal)
              },
              given
            )
      const within = await loadWithin(outcomes)
      return {
        turn,
        text: Turn.text(turn),
        outcomes,
        waiting: outcomes.flatMap((outcome) =>
          outcome._tag === "Deferred" ? (within?.waitsWithin(outcome) ?? [waitingOf(outcome)]) : []
        ),
        messages: wire.encodeResults(turn, outcomes).messages
      }
    },
    to: async (convert) => {
      checkKind(
        "What `to` is given",
        convert ?? null,
        "a function, such as `AiSdk.fromRun`",
        typeof convert === "function"
      )
      // The names are known to this package's types, not to the run's.
      const converted = convert(untilClosed(running, run) as never)
      const isEffect = Effect.isEffect(converted)
      checkKind(
        "What the function of `to` gives",
        converted ?? null,
        "an effect, as `AiSdk.fromRun` gives it",
        isEffect
      )
      return running.run(converted)
    },
    call: async (name, ...[parameters, options]) => {
      checkKind("The name of a call", name ?? null, "that of a tool", typeof name === "string")
      checkNames("`call`", options, ["signal"])
      try {
        // The pipeline has held the result against the tool's schema.
        return (await ToolRunner.byPromise(run, running.host(options?.signal)).call(name, parameters ?? {})) as never
      } catch (error) {
        throw error instanceof Error ? error : new ToolFailure(error)
      }
    }
  }
}

/** Loaded where a call may wait for what it has called itself: such a call waits for input. */
const loadWithin = async (outcomes: ReadonlyArray<Outcome.Outcome>) =>
  outcomes.some((outcome) => outcome._tag === "Deferred" && outcome.input !== undefined)
    ? import("./internal/within.js")
    : undefined

/** What a program without types gives in place of the parsed JSON. */
const checkResponse = (response: unknown): void => {
  const advice =
    typeof response === "string"
      ? "a text: give `JSON.parse` of it"
      : Predicate.isPromiseLike(response)
        ? "a promise: `await` it first"
        : // Not by its class, with which Node would load its whole HTTP client.
          Object.prototype.toString.call(response) === "[object Response]"
          ? "a Response of fetch: give `await response.json()`"
          : undefined
  if (advice !== undefined) throw new TypeError(`The response is ${advice}`)
}

type DynamicRun = ToolRunner.Run<Toolset.DynamicTools, never, unknown>

/** What runs its calls outside of `Running.run`, and ends with it all the same. */
const untilClosed = (running: Running, run: DynamicRun): DynamicRun => {
  const until = <A, E>(effect: Effect.Effect<A, E>) => Effect.zipRight(running.open, running.within(effect))
  return {
    ...run,
    run: (call) => until(run.run(call)),
    settle: (calls, watcher) => until(run.settle(calls, watcher)),
    preview: (call) => until(run.preview(call)),
    ask: (call) => until(run.ask(call)),
    resume: (deferred, response, watcher) => until(run.resume(deferred, response, watcher)),
    forRun: (options) => untilClosed(running, run.forRun(options))
  }
}
