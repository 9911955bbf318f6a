/** A run for hosts that know promises: every call comes to one result, and none is begun that a person has not approved. */
import {
  type Approval,
  Outcome,
  type Response,
  type ToolCall,
  type ToolDefinition,
  ToolResult,
  type ToolRunner,
  type Toolset
} from "@wield/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import { type Answer, type Reply, responseOf, type Waiting, waitingOf } from "../approval.js"

type Run<R = never, E = unknown> = ToolRunner.Run<Toolset.DynamicTools, R, E>

export interface Execute {
  readonly signal?: AbortSignal | undefined
  /** What the person said, as far as the host can show it. Without an answer the call is refused. */
  readonly answer?: ((waiting: Waiting) => Reply | Answer | undefined | Promise<Reply | Answer | undefined>) | undefined
}

export interface Host {
  /** What the host's model is to be shown. */
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  /** What would become of a call. An approval that follows holds for what was previewed. */
  readonly preview: (call: ToolCall.ToolCall) => Promise<Approval.Allow | Outcome.Outcome>
  /** Rejects only when the signal aborts, with its reason. */
  readonly execute: (call: ToolCall.ToolCall, options?: Execute) => Promise<ToolResult.ToolResult>
}

export const makeHost = <Tools, R, E>(typed: ToolRunner.Run<Tools, R, E>): Effect.Effect<Host, E, R> =>
  Effect.gen(function* () {
    // Calls come by name from outside, whatever the compiler knows of them.
    const run = typed as unknown as Run<R, E>
    const runtime = yield* Effect.runtime<R>()
    /** The digests of calls that were previewed, by id. */
    const previews = new Map<string, string>()

    const respond = (deferred: Outcome.Deferred, answer: Execute["answer"]) =>
      Effect.gen(function* () {
        if (deferred.waitsFor === "client") return new Outcome.Denied(deferred.call, deferred.name, [], noClient)
        const reply = yield* Effect.promise(async () => answer?.(waitingOf(deferred)))
        if (reply === undefined) return new Outcome.Denied(deferred.call, deferred.name, [], notAsked)
        const [digest, response] = isOfDigest(reply)
          ? [reply.digest, responseOf(reply.reply)]
          : [previews.get(deferred.id) ?? deferred.digest, responseOf(reply)]
        return yield* resume(run, { ...waitingOf(deferred), digest }, response)
      })

    return {
      definitions: (yield* run.definitions).filter(({ provider }) => provider === undefined),
      preview: (call) =>
        toPromise(
          runtime,
          Effect.tap(run.preview(call), (preview) =>
            Effect.sync(() => preview._tag === "Deferred" && previews.set(call.id, preview.digest))
          ).pipe(Effect.catchAllCause((cause) => failInternally(call, cause)))
        ),
      execute: (call, { answer, signal } = {}) =>
        toPromise(
          runtime,
          run.settle([call]).pipe(
            Effect.flatMap(([outcome]): Effect.Effect<Outcome.Outcome, E, R> =>
              outcome?._tag === "Deferred" ? respond(outcome, answer) : Effect.succeed(outcome!)
            ),
            Effect.catchAllCause((cause) => failInternally(call, cause)),
            // What is deferred has come to a refusal or to its end.
            Effect.map((outcome) => Outcome.render(outcome) ?? resultOfText(outcome, notAsked))
          ),
          signal
        )
    }
  })

/** The outcome, also where the tool raises it. */
const resume = <R, E>(run: Run<R, E>, waiting: Waiting, response: Response.Response) =>
  Effect.suspend(() => {
    let outcome: Outcome.Outcome | undefined
    const watcher: ToolRunner.Watcher = {
      started: () => undefined,
      progress: () => () => Effect.void,
      finished: (_, ended) => void (outcome = ended)
    }
    return Effect.catchAll(run.resume(waiting, response, watcher), (error) =>
      outcome !== undefined
        ? Effect.succeed(outcome)
        : Effect.succeed(
            new Outcome.Denied(
              waiting.call,
              waiting.name,
              [],
              error instanceof Error ? error.message : "the answer was refused"
            )
          )
    )
  })

const isOfDigest = (reply: Reply | Answer): reply is Answer => typeof reply === "object" && "digest" in reply

const noClient = "the program that holds the conversation has to execute it, and this host does not"
const notAsked = "it needs a person's approval, and this host did not ask for it"

const resultOfText = ({ id, name }: Outcome.Outcome, text: string): ToolResult.ToolResult => ({
  id,
  name,
  isError: true,
  content: [{ _tag: "Text", text }]
})

/** A toolset that cannot be offered any more, or a journal that dies. The model reads a reference. */
const failInternally = <E>(call: ToolCall.ToolCall, cause: Cause.Cause<E>): Effect.Effect<Outcome.Outcome> =>
  Effect.suspend(() => {
    if (Cause.isInterruptedOnly(cause)) return Effect.interrupt
    const outcome = new Outcome.Defect(call, call.name, [], crypto.randomUUID().slice(0, 8), cause)
    return Effect.as(Effect.logError(`A call of ${call.name} failed (reference ${outcome.reference})`, cause), outcome)
  })

/** Resolves after the finalizers of the call. */
const toPromise = <A, R>(
  runtime: Runtime.Runtime<R>,
  effect: Effect.Effect<A, never, R>,
  signal?: AbortSignal
): Promise<A> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const fiber = Runtime.runFork(runtime, effect)
    const abort = () => fiber.unsafeInterruptAsFork(FiberId.none)
    signal?.addEventListener("abort", abort)
    fiber.addObserver((exit) => {
      signal?.removeEventListener("abort", abort)
      if (Exit.isSuccess(exit)) resolve(exit.value)
      else reject(signal?.aborted === true ? signal.reason : Cause.squash(exit.cause))
    })
  })
