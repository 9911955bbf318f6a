/**
 * What callers use of an agent's conversations, in any process of the cluster.
 */
import type { Sharding } from "@effect/cluster/Sharding"
import type { DeferredCall } from "@wield/agent"
import * as Conversation from "@wield/agent/Conversation"
import type { Content } from "@wield/core"
import * as Json from "@wield/core/Json"
import { aName, anything, type Checks, fields } from "@wield/core/Options"
import * as SchemaTree from "@wield/core/SchemaTree"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Context from "effect/Context"
import { isAfter } from "./entity/hub.js"
import {
  AnswerBody,
  checkGiven,
  entityOf,
  type Numbered,
  type Position,
  PromptBody,
  refuse,
  version,
  Work
} from "./entity/rpcs.js"
import { makeSender } from "./entity/sender.js"
import type { RunEvent } from "./RunEvent.js"
import type { AnyResult, RunResult } from "./RunResult.js"
import * as Runs from "./Runs.js"

/**
 * A run that was accepted: it ends whatever process dies, also without this one.
 *
 * @category models
 */
export interface Run<Output> {
  /** The id of the prompt or of the answers; `AgentClient.run` finds the run by it. */
  readonly id: string
  /** Waits for the end. Interrupting it leaves the run alone. It fails within seconds where no such run is stored. */
  readonly result: Effect.Effect<RunResult<Output>, Runs.ClusterError | Runs.RunNotFound>
  /** From the first event that is kept; goes on over a takeover, and ends with the run. */
  readonly events: Stream.Stream<RunEvent, Runs.RunNotFound>
}

/**
 * The call context, where the entity has a schema for one.
 *
 * @category models
 */
export type WithContext<Context> = [Context] extends [undefined]
  ? { readonly context?: undefined }
  : { readonly context: Context }

/**
 * A prompt.
 *
 * @category models
 */
export type Prompt<Context> = {
  readonly prompt: string | ReadonlyArray<Content.Part>
  /**
   * Names the prompt in its conversation: sent again, it is the same run; another text or context under it is refused. A
   * random one unless given. Give one, such as the id of the request, wherever you may send it twice.
   */
  readonly promptId?: string | undefined
  /** When it is due; at once unless given. */
  readonly at?: DateTime.DateTime.Input | undefined
} & WithContext<Context>

/**
 * The client of an agent's conversations. Each operation goes to the one process
 * that has the conversation. A conversation's name has 1 to 255 characters.
 *
 * @category models
 */
export interface AgentClient<Context = undefined, Output = string> {
  /** Sends a prompt. It is kept when this succeeds, and runs once for its `promptId`. */
  readonly prompt: (
    conversation: string,
    prompt: Prompt<Context>
  ) => Effect.Effect<Run<Output>, Runs.ClusterError | Runs.IdReused>
  /** Answers the requests of a paused run. The same answers in the same context are taken once. */
  readonly answer: (
    conversation: string,
    answers: ReadonlyArray<DeferredCall.Answer>,
    ...options: [Context] extends [undefined] ? [] : [WithContext<Context>]
  ) => Effect.Effect<Run<Output>, Runs.ClusterError>
  /**
   * Says something to the run that goes on: the model reads it at its next step. `false` where no run took it, since
   * the last one was over or waits for a person; send it as a prompt then.
   */
  readonly steer: (
    conversation: string,
    message: string | ReadonlyArray<Content.Part>,
    options?: { readonly id?: string | undefined }
  ) => Effect.Effect<boolean, Runs.ClusterError | Runs.IdReused>
  /**
   * Ends what goes on in the conversation, and the prompts behind it, of which no further call begins; gives their ids.
   * Answers that were not taken yet can be given again. A prompt that is due later still comes, and what a paused run
   * asks about can still be answered. It fails where no runner has taken it in a minute; the first that comes then still
   * does.
   */
  readonly cancel: (conversation: string) => Effect.Effect<ReadonlyArray<string>, Runs.ClusterError>
  /** A run that was sent before, by this process or another. It need not have begun. */
  readonly run: (conversation: string, id: string) => Run<Output>
  /** The run that was sent or changed last; `undefined` where the conversation has no run. */
  readonly status: (conversation: string) => Effect.Effect<Runs.Run | undefined, Runs.ClusterError>
}

/** What the client of an entity is made from. */
interface Definition<Context, Output> {
  readonly name: string
  readonly context: Schema.Schema<Context, unknown> | undefined
  readonly output: Schema.Schema<Output, unknown>
}

export const make = <Context, Output>(
  { context: contextSchema, name, output }: Definition<Context, Output>,
  sharding: Context.Tag.Service<typeof Sharding>,
  runs: Runs.Service
): Effect.Effect<AgentClient<Context, Output>> =>
  Effect.gen(function* () {
    const client = yield* sharding.makeClient(entityOf(name))
    const { ask, deliver } = yield* makeSender(name, sharding, runs.progress)

    const failed = (operation: string) => (cause: unknown) =>
      new Runs.ClusterError({
        operation,
        detail: detailOf(cause),
        cause
      })

    /** The storage of messages dies of it. */
    const failOfReuse = Effect.catchSomeDefect((defect) =>
      defect instanceof Runs.IdReused ? Option.some(Effect.fail(defect)) : Option.none()
    )

    const run = (conversation: string, id: string): Run<Output> => {
      const result = runs.result({ entity: name, conversation, id })
      return {
        id,
        result: Effect.flatMap(result, decodeResult),
        events: eventsOf((after) => client(conversation).events({ id, after }), result)
      }
    }

    const decodeResult = (result: AnyResult): Effect.Effect<RunResult<Output>, Runs.ClusterError> =>
      result._tag !== "Finished"
        ? Effect.succeed(result)
        : Schema.decodeUnknown(output)(result.output).pipe(
            Effect.map((output) => ({ ...result, output })),
            Effect.mapError(failed("read the output of a run"))
          )

    /** What no schema describes cannot be kept: it may hold anything. */
    const encodeContext =
      contextSchema === undefined
        ? ({ context }: { readonly context: Context }) =>
            context === undefined
              ? Effect.succeed({ context })
              : refuse(`\`context\` is kept by a schema: give \`AgentEntity.make\` of ${name} the one of its context`)
        : Schema.encode(Schema.Struct({ context: contextSchema }))

    const prompt = (conversation: string, given: Prompt<Context>) =>
      Effect.gen(function* () {
        yield* checkGiven(checkPrompt, given, "A prompt")
        const id = given.promptId ?? crypto.randomUUID()
        const noTime = () => refuse(`\`at\` must be a time, such as a Date, but is ${JSON.stringify(given.at)}`)
        const at = DateTime.toEpochMillis(
          yield* Effect.mapError(DateTime.make(given.at === undefined ? 0 : given.at), noTime)
        )
        const message = Conversation.user(given.prompt)
        // Where a context is not required, its schema takes none.
        const { context } = yield* encodeContext({ context: given.context as Context })
        const body = yield* Schema.encode(PromptBody)({ message, context })
        yield* deliver(conversation, "prompt", new Work({ version, id, attempt: 0, at, body }))
        return run(conversation, id)
      }).pipe(Effect.mapError(failed("send a prompt")), failOfReuse)

    const answer = (
      conversation: string,
      answers: ReadonlyArray<DeferredCall.Answer>,
      options?: { readonly context?: unknown }
    ) =>
      Effect.gen(function* () {
        yield* checkGiven(checkAnswer, options ?? {}, "What else `answer` takes")
        // As above.
        const { context } = yield* encodeContext({ context: options?.context as Context })
        const encoded = yield* Schema.encode(AnswerBody)({ answers, context })
        const body = JSON.parse(JSON.stringify(encoded))
        // A run that lacked something in its context does not stand for one that has it.
        const id = `answers ${yield* digest(Json.canonical(body))}`
        // A cancel uses no approval up: what it kept from being taken is delivered again.
        const key = { entity: name, conversation, id }
        const before = yield* Effect.orElseSucceed(runs.read(key), () => undefined)
        if (before?.result?._tag === "Cancelled" && before.result.isUntaken === true) yield* runs.retry(key)
        else yield* deliver(conversation, "answer", new Work({ version, id, attempt: 0, at: 0, body }))
        return run(conversation, id)
      }).pipe(Effect.mapError(failed("send answers")))

    const steer: AgentClient<Context, Output>["steer"] = (conversation, content, options) =>
      Effect.gen(function* () {
        yield* checkGiven(checkSteer, options ?? {}, "What else `steer` takes")
        const id = options?.id ?? crypto.randomUUID()
        const body = yield* Schema.encode(PromptBody)({ message: Conversation.user(content) })
        const reply = yield* ask(conversation, "steer", new Work({ version, id, attempt: 0, at: 0, body }))
        return (reply.runs ?? []).length > 0
      }).pipe(Effect.mapError(failed("steer")), failOfReuse)

    const cancel = (conversation: string) =>
      Effect.gen(function* () {
        const id = `${yield* Clock.currentTimeMillis} ${crypto.randomUUID()}`
        const reply = yield* ask(conversation, "cancel", new Work({ version, id, attempt: 0, at: 0, body: {} }))
        return reply.runs ?? []
      }).pipe(Effect.mapError(failed("cancel")))

    const status = (conversation: string) =>
      Effect.map(runs.list({ entity: name, conversation, limit: 1 }), ([latest]) => latest)

    return { prompt, answer, steer, cancel, run, status }
  })

const checkPrompt = fields(
  { prompt: anything, promptId: aName, at: anything, context: anything } satisfies Checks<Prompt<unknown>>,
  ["prompt"]
)

const checkAnswer = fields({ context: anything })

const checkSteer = fields({ id: aName })

/** Of a value that does not fit, each place; the tree of all types would come first. */
const detailOf = (cause: unknown): string => {
  if (!SchemaTree.isDecodeError(cause)) return cause instanceof Error ? cause.message : "the cause has the reason"
  const issues = SchemaTree.linesOf(cause.issue)
  return issues.map(({ message, path }) => `${path.join(".")}: ${message}`.slice(0, 200)).join("; ")
}

const digest = (text: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
  )

/** Joins again where it was when a process is gone, and makes one story of the events of all of them. */
const eventsOf = <E>(
  join: (after: Position) => Stream.Stream<Numbered, E>,
  result: ReturnType<Runs.Service["result"]>
): Stream.Stream<RunEvent, Runs.RunNotFound> =>
  Stream.suspend(() => {
    let position: Position = { delivery: 0, number: 0 }
    let open: string | undefined
    const recorded = new Set<string>()

    /** The end of a turn that its process did not tell. */
    const breakOpen = (reason: string, isRetried: boolean): ReadonlyArray<RunEvent> => {
      const broken = open
      open = undefined
      return broken === undefined ? [] : [{ _tag: "TurnBroken", entry: broken, message: reason, isRetried }]
    }
    const breakForNext = () => breakOpen("it was not recorded", true)

    const story = ({ event }: Numbered): ReadonlyArray<RunEvent> => {
      switch (event._tag) {
        case "TurnStarted": {
          const broken = breakForNext()
          open = event.entry
          return [...broken, event]
        }
        case "TurnFinished": {
          if (recorded.has(event.entry)) return []
          recorded.add(event.entry)
          if (open === event.entry) open = undefined
          return [event]
        }
        case "TurnBroken":
          open = undefined
          return [event]
        case "Resumed":
          return [...breakForNext(), event]
        default:
          return [event]
      }
    }

    const joined: Stream.Stream<Numbered> = Stream.suspend(() => join(position)).pipe(
      Stream.filter((numbered) => isAfter(numbered, position)),
      Stream.tap((numbered) => Effect.sync(() => void (position = numbered))),
      Stream.catchAllCause(() => Stream.unwrap(Effect.as(Effect.sleep("200 millis"), joined)))
    )
    let isWhole = false
    const whole = Stream.concat(joined, Stream.execute(Effect.sync(() => void (isWhole = true))))
    // A reader never waits without end for a process that stands still, or for one that has no run left to begin.
    const isOver = Effect.zipRight(
      Effect.catchTag(result, "ClusterError", () => Effect.never),
      Effect.sleep("2 seconds")
    )
    const readUntil = (limit: Effect.Effect<void, Runs.RunNotFound>): Stream.Stream<Numbered, Runs.RunNotFound> =>
      Stream.concat(
        Stream.interruptWhen(whole, limit),
        Stream.suspend(() => (isWhole ? Stream.empty : readUntil(Effect.sleep("10 seconds"))))
      )
    const end = Stream.suspend(() => Stream.fromIterable(breakOpen("the run ended", false)))
    return Stream.concat(Stream.mapConcat(readUntil(isOver), story), end)
  })
