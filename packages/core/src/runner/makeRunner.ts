/**
 * A runner's operations over one machine and one run. Inside, the types of
 * tools, requirements and failures are erased; the type of the toolset, which
 * the caller checked them by, puts them on again.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Take from "effect/Take"
import { effectOf } from "../internal/effectOf.js"
import { hint } from "../NearestNames.js"
import { aContext, aFlag, aName, aText, type Checks, fields, orThrow, texts } from "../Options.js"
import { memoize } from "../internal/memoize.js"
import { type Deferred, type Failure, InvalidArguments, isDeferred, type Outcome } from "../Outcome.js"
import type { Policy } from "../Policy.js"
import type { Response } from "../Response.js"
import type { ToolCall } from "../ToolCall.js"
import { ToolCallError } from "../ToolCallError.js"
import type { ToolDefinition } from "../ToolDefinition.js"
import type * as ToolRunner from "../ToolRunner.js"
import { type InvalidPolicy, ToolNameCollision, type ToolsetError } from "../ToolsetError.js"
import { CurrentCounts, CurrentLimits } from "../Quota.js"
import { ask, lastAsk } from "./ask.js"
import { batch, openBatch, single } from "./batch.js"
import { ofProgram, type Parts, settleByPromise } from "./byPromise.js"
import { invalidPolicy, unknownNames } from "./invalidPolicy.js"
import { Ledger } from "./ledger.js"
import {
  defaultMaxCharacters,
  defaultMaxDepth,
  defaultRepeatLimit,
  limiterFor,
  type Machine,
  ruleFor
} from "./machine.js"
import { meterFor } from "./metrics.js"
import { readResult, readResultEntry, ResultStore } from "./resultStore.js"
import { asks, check, preview, resumeCall } from "./resume.js"
import { Run, RunMemory } from "./run.js"
import { checkToolset, type DynamicTools, knownOffer, type Offer, type Toolset } from "../toolset/model.js"

/** What is done where the type of a runner is to say less than its toolset's. */
interface Erasure {
  /** What a raised failure becomes on its way to the caller. */
  readonly wrap: (failure: unknown) => unknown
  readonly provide: Machine["provide"]
}

type Wrap = Erasure["wrap"]

export const makeRunner = <Tools, R, E>(
  toolset: Toolset<Tools, R, E>,
  policy: Policy<Tools>,
  { provide, wrap }: Erasure = { provide: identity, wrap: identity }
): Effect.Effect<ToolRunner.Runner<Tools, R, E>, E | ToolsetError> =>
  Effect.flatMap(
    Effect.all([CurrentCounts, CurrentLimits]),
    ([counts, { take }]): Effect.Effect<ToolRunner.Runner<Tools, R, E>, E | ToolsetError> => {
      const { gates, limiters } = take()
      checkToolset("What a runner is made of", toolset)
      const problem = invalidPolicy(policy)
      if (problem !== undefined) return Effect.fail(problem)
      const results = policy.resultBound === undefined ? undefined : new ResultStore(policy.resultBound)
      const offer = results?.isReadable === true ? withReadResult(toolset.offer, results) : toolset.offer
      const machine: Machine = {
        offer,
        provide,
        known: knownOffer({ offer }),
        // A policy of typed tools is one of tools by name.
        policy: policy as Policy,
        maxCharacters: policy.argumentBound?.maxCharacters ?? defaultMaxCharacters,
        maxDepth: policy.argumentBound?.maxDepth ?? defaultMaxDepth,
        repeatLimit: policy.repeatGuard === false ? undefined : (policy.repeatGuard ?? defaultRepeatLimit),
        // As above.
        ruleFor: ruleFor(policy.approval as Policy["approval"]),
        // As above.
        limiterFor: limiterFor(policy.limits as Policy["limits"], limiters),
        meterFor: meterFor(),
        counts,
        gates,
        results,
        ledger: policy.journal === undefined ? undefined : new Ledger(policy.journal),
        asks: new Map(),
        memory: new RunMemory(),
        misspelt: new Set(),
        inputs: new Map()
      }
      // Inside, types are erased; the toolset's own type has them.
      const runner = runnerOf(machine, undefined, wrap) as unknown as ToolRunner.Runner<Tools, R, E>
      // What is wrong with the toolset is reported where the runner is made, not at its
      // first call. A filter may need the context of a request, which is not there yet.
      return (offer as Effect.Effect<Offer, E | ToolsetError>).pipe(
        Effect.map((offered) => unknownNames(machine.policy, offered)),
        Effect.catchAllDefect(() => Effect.succeed([])),
        Effect.flatMap(([problem, ...others]): Effect.Effect<void, InvalidPolicy> => {
          if (problem === undefined) return Effect.void
          if (machine.known !== undefined) return Effect.fail(problem)
          return Effect.forEach(
            [problem, ...others],
            ({ message }) => Effect.logError(`${message}. It protects nothing until a tool of that name is there`),
            { discard: true }
          )
        }),
        Effect.as(runner)
      )
    }
  )

const withReadResult = (offer: Effect.Effect<Offer, unknown>, store: ResultStore): Effect.Effect<Offer, unknown> => {
  const entry = readResultEntry(store)
  const viewOf = memoize(({ entries, withheld }: Offer): Offer => ({
    entries: new Map(entries).set(readResult, entry),
    withheld
  }))
  const extended = (base: Offer): Effect.Effect<Offer, ToolNameCollision> =>
    base.entries.has(readResult)
      ? Effect.fail(new ToolNameCollision({ names: [readResult] }))
      : Effect.succeed(viewOf(base))
  const known = knownOffer({ offer })
  return known === undefined ? Effect.flatMap(offer, extended) : extended(known)
}

type AnyRun = ToolRunner.Run<DynamicTools, never, unknown>

/** A run of tools that only the run time knows, without the types that depend on what is asked. */
interface ErasedRun extends Omit<AnyRun, "call" | "forRun" | "resumeAll"> {
  readonly call: (name: string, parameters: unknown) => Effect.Effect<unknown, unknown>
  readonly forRun: (options: ToolRunner.NestedRunOptions) => ErasedRun
  readonly resumeAll: (
    outcomes: ReadonlyArray<Outcome>,
    answer: (deferred: Deferred) => Response | Effect.Effect<Response, unknown>
  ) => Effect.Effect<ReadonlyArray<Outcome>, unknown>
}

const runnerOf = (machine: Machine, run: Run | undefined, wrap: Wrap): ErasedRun => {
  // Without `forRun`, each batch is a run of its own, each time its effect is run.
  const current = (): Run => run ?? new Run({ ledger: machine.ledger, isRemembered: false })
  const raise = <A>(outcomes: ReadonlyArray<Outcome>, value: A): Effect.Effect<A, unknown> =>
    raiseAll(outcomes, value, wrap)
  const runOne = (call: ToolCall): Effect.Effect<Outcome, unknown> =>
    single(machine, current, call, (outcome) => raiseOne(outcome, wrap))
  const resume: ErasedRun["resume"] = (waiting, response, watcher) =>
    Effect.flatMap(resumeCall(machine, current, waiting, response, watcher), (outcome) => raiseOne(outcome, wrap))
  const erased: ErasedRun = {
    definitions:
      machine.known !== undefined && run !== undefined && run.offered === undefined
        ? Effect.succeed(run.definitions(machine.known))
        : Effect.suspend(() => definitionsOf(machine, current())),
    run: runOne,
    runAll: (calls) =>
      Effect.flatMap(batch(machine, current, calls, undefined), (outcomes) => raise(outcomes, outcomes)),
    settle: (calls, watcher) => batch(machine, current, calls, watcher),
    openBatch: (watcher) => openBatch(machine, current, watcher),
    stream: streamOf(machine, current, raise),
    call: (name, parameters) =>
      machine.provide(Effect.suspend(() => callByName(machine, current(), name, parameters, runOne))),
    check: (waiting, response) => check(machine, current, waiting, response),
    preview: (call) => preview(machine, current, call),
    asks: (call) =>
      Effect.map(asks(machine, current, call), (asked) =>
        asked !== undefined && isDeferred(asked) ? asked : undefined
      ),
    ask: (call) => ask(machine, current, call),
    lastAsk: (id) => lastAsk(machine, current, id),
    resume,
    resumeAll: (outcomes, answer) =>
      Effect.forEach(outcomes, (outcome) =>
        isDeferred(outcome)
          ? Effect.flatMap(
              Effect.suspend(() => effectOf(answer(outcome))),
              (response) => resume(outcome, response)
            )
          : Effect.succeed(outcome)
      ),
    forRun: (options) => {
      orThrow(checkRun(options), "What `forRun` takes")
      const {
        context,
        id,
        isAsked = false,
        isCopied = false,
        isCounted = false,
        isRecovered = false,
        offered,
        turn
      } = options
      const since = { isAsked, isCopied, isCounted, isRecovered }
      const values = context === undefined ? run?.values : { ...run?.values, ...context }
      const names = offered === undefined ? run?.offered : allowedNames(offered, machine)
      const isSame = run !== undefined && (id === undefined || id === run.id)
      const next = isSame
        ? run.within(values, names, turn ?? run.turn, since)
        : new Run({
            id,
            values,
            offered: names,
            // A run remembers what it has run even where no journal is given.
            ledger: machine.ledger ?? (id === undefined ? new Ledger(undefined) : machine.memory.ledgerOf(id)),
            isRemembered: true,
            turn,
            ...since
          })
      return runnerOf(machine, next, wrap)
    }
  }
  partsOf.set(erased, { machine, current })
  return erased
}

/**
 * Without a compiler, a misspelt `offered` would offer all tools. All runs of one id are one run: of users whose ids are
 * `null`, or empty, one would get what another's calls came to.
 */
const checkRun = fields({
  id: aName,
  turn: aText,
  isRecovered: aFlag,
  isCopied: aFlag,
  isAsked: aFlag,
  isCounted: aFlag,
  context: aContext,
  offered: texts
} satisfies Checks<ToolRunner.NestedRunOptions>)

const partsOf = new WeakMap<object, Parts>()

/** See `ToolRunner.byPromise`. */
export const runByPromise = (run: AnyRun, host: ToolRunner.PromiseHost): ToolRunner.ByPromise => {
  const parts = partsOf.get(run)
  return {
    settle: (calls, watcher) =>
      parts === undefined ? host.run(run.settle(calls, watcher)) : settleByPromise(parts, host, calls, watcher),
    call: async (name, parameters) => {
      const encoded = parts?.machine.known?.entries.get(name)?.encode(parameters)
      if (parts === undefined || encoded === undefined || !Either.isEither(encoded) || Either.isLeft(encoded))
        // Any name may be called: the runner refuses those that it does not know.
        return host.run((run as ErasedRun).call(name, parameters))
      const [outcome] = await settleByPromise(ofProgram(parts), host, [callOf(name, encoded.right)], undefined)
      return host.run(outcome === undefined ? Effect.void : resultOf(outcome))
    }
  }
}

/** Every model that gets a tool must be able to read on in its result. */
const allowedNames = (offered: ReadonlyArray<string>, machine: Machine): ReadonlySet<string> => {
  const names = new Set(offered)
  return machine.results?.isReadable === true && names.size > 0 ? names.add(readResult) : names
}

const raiseOne = (outcome: Outcome, wrap: Wrap): Effect.Effect<Outcome, unknown> =>
  outcome._tag === "Failure" && outcome.isRaised ? Effect.fail(wrap(outcome.failure)) : Effect.succeed(outcome)

/** All that was raised, the first in call order first. */
const raiseAll = <A>(outcomes: ReadonlyArray<Outcome>, value: A, wrap: Wrap): Effect.Effect<A, unknown> => {
  const failures = outcomes.filter((outcome): outcome is Failure => outcome._tag === "Failure" && outcome.isRaised)
  const [first, ...others] = failures.map(({ failure }) => Cause.fail(wrap(failure)))
  return first === undefined
    ? Effect.succeed(value)
    : Effect.failCause(others.reduce((left, right) => Cause.parallel(left, right), first))
}

const definitionsOf = (machine: Machine, run: Run): Effect.Effect<ReadonlyArray<ToolDefinition>, unknown> =>
  machine.known === undefined
    ? Effect.flatMap(run.provide(machine.offer), (offer) => definitionsIn(machine, run, offer))
    : definitionsIn(machine, run, machine.known)

/** A name on offer that no tool has offers nothing, which is reported once. */
const definitionsIn = ({ misspelt }: Machine, run: Run, offer: Offer): Effect.Effect<ReadonlyArray<ToolDefinition>> => {
  const definitions = run.definitions(offer)
  if (run.offered === undefined) return Effect.succeed(definitions)
  const unknown = [...run.offered].filter(
    (name) => !offer.entries.has(name) && !offer.withheld.has(name) && !misspelt.has(name)
  )
  if (unknown.length === 0) return Effect.succeed(definitions)
  return Effect.as(
    Effect.forEach(unknown, (name) => {
      misspelt.add(name)
      return Effect.logWarning(
        `A run offers ${JSON.stringify(name)}, but no tool has that name now${hint(name, [...offer.entries.keys()])}`
      )
    }),
    definitions
  )
}

const callByName = (
  machine: Machine,
  run: Run,
  name: string,
  parameters: unknown,
  runOne: (call: ToolCall) => Effect.Effect<Outcome, unknown>
): Effect.Effect<unknown, unknown> =>
  Effect.flatMap(run.provide(machine.offer), (offer) => {
    const entry = offer.entries.get(name)
    const encoded = entry === undefined ? Effect.succeed(parameters) : entry.encode(parameters)
    return Effect.matchEffect(encoded, {
      onFailure: (issues) =>
        Effect.fail(new ToolCallError({ outcome: new InvalidArguments({ call: callOf(name, parameters), issues }) })),
      onSuccess: (args) =>
        Effect.flatMap(Effect.exit(runOne(callOf(name, args))), (exit) =>
          Exit.isFailure(exit) ? exit : resultOf(exit.value)
        )
    })
  })

const callOf = (name: string, args: unknown): ToolCall => ({ id: crypto.randomUUID(), name, arguments: args })

const resultOf = (outcome: Outcome): Exit.Exit<unknown, unknown> => {
  switch (outcome._tag) {
    case "Success":
      return Exit.succeed(outcome.result)
    case "Failure":
      return Exit.fail(outcome.failure)
    default:
      return Exit.fail(new ToolCallError({ outcome }))
  }
}

/** Beyond so many unread events, the calls wait for the reader. */
const capacity = 16

/** A batch as a stream of what happens in it. */
const streamOf =
  (
    machine: Machine,
    current: () => Run,
    raise: (outcomes: ReadonlyArray<Outcome>, value: void) => Effect.Effect<void, unknown>
  ) =>
  (calls: ReadonlyArray<ToolCall>): Stream.Stream<ToolRunner.RunEvent, unknown> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const queue = yield* Queue.bounded<Take.Take<ToolRunner.RunEvent, unknown>>(capacity)
        // Once the reader has left there is no reader, and nothing to wait for.
        const tell = (event: ToolRunner.RunEvent): Effect.Effect<void> =>
          Effect.catchAllCause(Effect.asVoid(Queue.offer(queue, Take.of(event))), (cause) =>
            Effect.flatMap(Queue.isShutdown(queue), (hasLeft) => (hasLeft ? Effect.void : Effect.failCause(cause)))
          )
        const watcher: ToolRunner.Watcher = {
          started: (call) => tell({ _tag: "Started", call }),
          progress: (call) => (value) => tell({ _tag: "Progress", call, value }),
          finished: (call, outcome) => tell({ _tag: "Finished", call, outcome })
        }
        yield* batch(machine, current, calls, watcher).pipe(
          Effect.flatMap((outcomes) => raise(outcomes, undefined)),
          Effect.exit,
          Effect.flatMap((exit) => Queue.offer(queue, Exit.isSuccess(exit) ? Take.end : Take.failCause(exit.cause))),
          // Ends with the stream: a reader that leaves interrupts the calls.
          Effect.forkScoped
        )
        // Before the calls are interrupted: one that cannot be, would wait for the reader without end.
        yield* Effect.addFinalizer(() => Queue.shutdown(queue))
        // One at a time: a chunk of events that the reader holds is unread, too.
        return Stream.flattenTake(Stream.fromQueue(queue, { maxChunkSize: 1 }))
      })
    )
