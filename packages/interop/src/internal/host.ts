/** A run for hosts that know promises: every call comes to one result, and none is begun that a person has not approved. */
import type { Response, ToolCall, ToolDefinition, ToolResult, ToolRunner, Toolset } from "@wield/core"
import * as Fibers from "@wield/core/Fibers"
import * as Json from "@wield/core/Json"
import { type Check, fields, holds, orThrow } from "@wield/core/Options"
import * as Outcome from "@wield/core/Outcome"
import * as Secret from "@wield/core/Secret"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import { answerOf, isDenial, responseOf, type Waiting, waitingOf } from "../approval.js"

type Run<R = never, E = unknown> = ToolRunner.Run<Toolset.DynamicTools, R, E>

export interface Execute {
  readonly signal?: AbortSignal | undefined
  /**
   * What a person said to a call that waits: a `Reply` or an `Answer`. Anything else refuses the call. Where it throws,
   * the call ends as an internal error.
   */
  readonly ask?: ((waiting: Waiting) => unknown) | undefined
  /** What `ask` throws is how the host stops, to go on later: `execute` rejects with it. */
  readonly isStop?: ((thrown: unknown) => boolean) | undefined
  /** The answer of `ask` may be to an earlier question: a yes or a reply has to repeat its id. */
  readonly isLater?: boolean
  /** A person has answered already: a rule that allows the call by now does not run it past a no, or an edit. */
  readonly isAsked?: boolean
  /** In place of `ask`: the host knows only that a person said yes to a call of this id. */
  readonly isApproved?: (() => boolean) | undefined
}

export interface Host {
  /** What the host's model is to be shown. */
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  /**
   * The call, if a person is asked first. Unless they have answered (`isAnswered`), this is the question that
   * `isApproved` is about.
   */
  readonly waiting: (call: ToolCall.ToolCall, isAnswered: boolean) => Promise<Waiting | undefined>
  /** Rejects only with the reason of the signal, what stops the host, and `Closed` where the tools are closed. */
  readonly execute: (call: ToolCall.ToolCall, options?: Execute) => Promise<ToolResult.ToolResult>
}

/** `options` are what else `fromRun` got: an `ask` or a `signal` of another name would be lost in silence. */
export const makeHost = <Tools, R, E>(
  typed: ToolRunner.Run<Tools, R, E>,
  options: unknown = {},
  checks: { readonly [option: string]: Check } = {},
  required?: ReadonlyArray<string>
): Effect.Effect<Host, E, R> => {
  // Of plain JavaScript, the effect that this gives would be spread into a request that has no tools then.
  if (Predicate.hasProperty(typed, "to"))
    throw new TypeError(
      "This is a run of `wield`: give `await run.to(fromRun)`, or `run.to((run) => fromRun(run, options))`"
    )
  orThrow(aRun(typed), "What `fromRun` takes")
  orThrow(fields(checks, required)(options), "What else `fromRun` takes")
  return hostOf(typed)
}

const aRun = holds(
  "a run, such as `runner.forRun({ id })`",
  (given) => Predicate.hasProperty(given, "settle") && Predicate.hasProperty(given, "definitions")
)

const hostOf = <Tools, R, E>(typed: ToolRunner.Run<Tools, R, E>): Effect.Effect<Host, E, R> =>
  Effect.gen(function* () {
    // Calls come by name from outside, whatever the compiler knows of them.
    const run = typed as unknown as Run<R, E>
    const runtime = yield* Effect.runtime<R>()

    const promise = async <A>(
      call: ToolCall.ToolCall,
      effect: Effect.Effect<A, unknown, R>,
      signal?: AbortSignal
    ): Promise<A | Outcome.Defect> => {
      const exit = await exitOf(runtime, effect, signal)
      if (Exit.isSuccess(exit)) return exit.value
      if (Cause.isInterruptedOnly(exit.cause)) throw signal?.aborted === true ? signal.reason : Cause.squash(exit.cause)
      const failure = Cause.squash(exit.cause)
      // Of tools that their owner has closed: no call is at fault.
      if (failure instanceof Error && failure.name === "Closed") throw failure
      return Runtime.runPromise(runtime, failInternally(call, exit.cause))
    }

    return {
      definitions: (yield* run.definitions)
        .filter(({ provider }) => provider === undefined)
        // A host may add to a schema, which is part of what a person approves.
        .map((definition) => ({ ...definition, inputSchema: structuredClone(definition.inputSchema) })),
      waiting: async (call, isAnswered) => {
        const preview = await promise(call, isAnswered ? run.preview(call) : run.ask(call))
        return preview._tag === "Deferred" && preview.waitsFor === "approval" ? waitingOf(preview) : undefined
      },
      execute: async (call, { ask, isApproved, isAsked, isLater = false, isStop, signal } = {}) => {
        const within = <A>(effect: Effect.Effect<A, unknown, R>) => promise(call, effect, signal)
        // A host that runs a call from its beginning again says the answer where it is asked: the run keeps what it asked.
        const isKept = ask !== undefined && isLater && isAsked === undefined
        const last = isKept ? await within(run.lastAsk(call.id)) : undefined
        if (typeof last === "object") return render(last)
        const settle = async (wasAsked: boolean) => {
          const settled = await within((wasAsked ? run.forRun({ isAsked: true }) : run).settle([call]))
          // One call has one outcome.
          return (settled instanceof Array ? settled[0] : settled) as Outcome.Outcome
        }
        const first = await settle(isAsked ?? last !== undefined)
        // Another call of this id was asked about.
        const isOther = last !== undefined && first._tag === "Deferred" && first.requestId !== last
        const outcome = isOther ? await settle(false) : first
        // A host hands to the model what is thrown.
        const askPerson: AskPerson = async (deferred) => {
          try {
            return answerOf(await ask?.(waitingOf(deferred)))
          } catch (thrown) {
            if (isStop?.(thrown) === true) throw thrown
            return within(Effect.die(thrown))
          }
        }
        const withInput = (waiting: Outcome.Outcome) =>
          replyTo(run, waiting, isApproved === undefined ? askPerson : async () => undefined, isLater, within)
        if (outcome._tag !== "Deferred") return render(outcome)
        if (outcome.waitsFor !== "approval") return render(await withInput(outcome))
        if (isKept && last !== outcome.requestId) {
          const asked = await within(run.ask(call))
          if (asked._tag === "Defect") return render(asked)
        }
        const waiting = waitingOf(outcome)
        const given = isApproved === undefined ? await askPerson(outcome) : isApproved() ? yes : undefined
        if (given === undefined) return render(refuse(outcome, notAsked))
        if ("_tag" in given) return render(given)
        const { reply } = given
        const own = isLater && !isDenial(reply) ? undefined : waiting.id
        const idOf = isApproved === undefined ? Effect.succeed(given.id ?? own) : run.lastAsk(call.id)
        const answered = Effect.flatMap(idOf, (id): Effect.Effect<Outcome.Outcome, unknown, R> => {
          if (id === waiting.id) return resume(run, waiting, responseOf(reply))
          if (id !== undefined) return Effect.succeed(refuse(outcome, another))
          return isApproved === undefined
            ? Effect.succeed(refuse(outcome, noId))
            : Effect.as(reportNoRecord, refuse(outcome, noRecord))
        })
        const ended = await within(answered)
        // An approved call of a client waits once more, and so does one that asks for input.
        return render(await withInput(ended))
      }
    }
  })

/** Whether an answer that a host has kept is to another question than this one. */
export const isToAnother = (answer: unknown, { id }: Waiting): boolean => {
  const given = answerOf(answer)?.id
  return given !== undefined && given !== id
}

/** Whether what a call was resumed with answers this question: what it asks after its approval is a question of its own. */
export const isResumed = (answer: unknown, waiting: Waiting): boolean =>
  waiting.waitsFor === "approval" || !isToAnother(answer, waiting)

type AskPerson = (deferred: Outcome.Deferred) => Promise<ReturnType<typeof answerOf> | Outcome.Defect>

/** Asks for the input that a call waits for, until it waits no more. What else it may wait for, is refused. */
const replyTo = async <R, E>(
  run: Run<R, E>,
  waiting: Outcome.Outcome,
  askPerson: AskPerson,
  isLater: boolean,
  within: <A>(effect: Effect.Effect<A, unknown, R>) => Promise<A | Outcome.Defect>
): Promise<Outcome.Outcome> => {
  let outcome = waiting
  while (outcome._tag === "Deferred") {
    if (outcome.waitsFor !== "input") return refuse(outcome, noClient)
    const given = await askPerson(outcome)
    if (given === undefined) return refuse(outcome, notAskedWithin(outcome) ?? noInput)
    if ("_tag" in given) return given
    const { id = isLater && !isDenial(given.reply) ? undefined : outcome.requestId, reply } = given
    if (id !== outcome.requestId) return refuse(outcome, id === undefined ? noId : another)
    outcome = await within(resume(run, waitingOf(outcome), responseOf(reply)))
  }
  return outcome
}

const refuse = ({ call, input }: Outcome.Deferred, reason: string) => Outcome.denial(call, reason, input && "begun")
const noClient = "the program that holds the conversation has to execute it, and this host does not"
const noInput = "it asks for input, and this host has no one to ask"
/** As a program or a sub-agent asks, whose own calls wait. */
const notAskedWithin = ({ input }: Outcome.Deferred): string | undefined => {
  const { agent, waits } = Json.isObject(input?.asks) ? input.asks : {}
  return typeof agent === "string" && Array.isArray(waits)
    ? `it has made calls that need a person's answer (${[...new Set(waits)].join(", ")}), and this host does not ask about calls within a call. These were not run; what had run before stays done. Go on without them, or call them directly`
    : undefined
}
const notAsked = "it needs a person's approval, and this host did not ask for it"
const noId = "the answer does not repeat the id of what the person was shown"
const another =
  "what was approved is no longer what the call would do. Make the call again if it is still wanted: it will be asked about as it is now"
const noRecord = "there is no record of what the person was asked, and nothing was done"

/** Once: the program is set up so that this happens to each approval. */
let isReported = false
const reportNoRecord = Effect.suspend(() => {
  if (isReported) return Effect.void
  isReported = true
  return Effect.logWarning(
    "An approval was refused, since nothing tells what the person was asked. Give the runs of one conversation the same id, and the runners of all processes one journal (with promises: `run({ id })` and `store`)"
  )
})
const yes: ReturnType<typeof answerOf> = { reply: "approve" }

/** Every outcome has a result but `Deferred`, which does not come here. */
const render = (outcome: Outcome.Outcome): ToolResult.ToolResult => Outcome.render(outcome) as ToolResult.ToolResult

/** The outcome, also where the tool raises it. */
const resume = <R, E>(run: Run<R, E>, { id: requestId, ...waiting }: Waiting, response: Response.Response) =>
  Effect.suspend(() => {
    let outcome: Outcome.Outcome | undefined
    const watcher: ToolRunner.Watcher = {
      started: () => undefined,
      progress: () => () => Effect.void,
      finished: (_, ended) => void (outcome = ended)
    }
    return Effect.catchAll(run.resume({ ...waiting, requestId }, response, watcher), (error) =>
      outcome !== undefined
        ? Effect.succeed(outcome)
        : Effect.succeed(
            Outcome.denial(
              waiting.call,
              error instanceof Error ? error.message : "the answer was refused",
              waiting.input === undefined ? undefined : "begun"
            )
          )
    )
  })

/** A toolset that cannot be offered any more, or a journal that dies. The model reads a reference. */
const failInternally = (call: ToolCall.ToolCall, cause: Cause.Cause<unknown>): Effect.Effect<Outcome.Defect> =>
  Effect.suspend(() => {
    const outcome = new Outcome.Defect({ call, reference: crypto.randomUUID().slice(0, 8), cause })
    return Effect.logError(`A call of ${call.name} failed (reference ${outcome.reference})`, cause).pipe(
      Secret.outsideTraces,
      Effect.as(outcome)
    )
  })

/** At once, where nothing has to wait; otherwise after the finalizers of the call. */
const exitOf = <A, E, R>(
  runtime: Runtime.Runtime<R>,
  effect: Effect.Effect<A, E, R>,
  signal: AbortSignal | undefined
): Exit.Exit<A, E> | Promise<Exit.Exit<A, E>> => {
  signal?.throwIfAborted()
  const fiber = Runtime.runFork(runtime, effect)
  const ended = Fibers.endOf(fiber)
  if (ended !== undefined) return ended
  return new Promise((resolve) => {
    const abort = () => Fibers.interrupt(fiber)
    signal?.addEventListener("abort", abort)
    // A fiber runs until it first waits before it is known here: what has come meanwhile was not heard.
    if (signal?.aborted === true) abort()
    Fibers.onEnd(fiber, (exit) => {
      signal?.removeEventListener("abort", abort)
      resolve(exit)
    })
  })
}
