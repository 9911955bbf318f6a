/** The toolset under test. Its handlers are watched, or replaced if they must not run. */
import type { Toolset, ToolsetError } from "@wield/core"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as CallContext from "@wield/core/CallContext"
import { orThrow, unknownName } from "@wield/core/Options"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Exit from "effect/Exit"
import * as Ref from "effect/Ref"
import type { CommonOptions } from "../Laws.js"

export interface Subject<R, E> {
  readonly entries: ReadonlyMap<string, Toolset.Entry>
  readonly isRun: (tool: string) => boolean
  readonly running: Watched<R, E>
  /** Runs no handler. */
  readonly dry: Watched<R, E>
  readonly context: CallContext.Values
  readonly options: CommonOptions
  readonly runs: number
  readonly seed: number
  readonly timeout: Duration.Duration
}

export interface Received {
  readonly tool: string
  readonly parameters: unknown
}

export interface Watched<R, E> {
  /** Starts a new run, with call ids of its own. */
  readonly run: Effect.Effect<ToolRunner.Run<Toolset.DynamicTools, R, E>>
  /** Takes what reached handlers since the last time. */
  readonly takeReceived: Effect.Effect<ReadonlyArray<Received>>
  /** Reports the beginning and the end of the next handler. */
  readonly watch: Effect.Effect<Watch>
}

interface Watch {
  readonly begun: Deferred.Deferred<void>
  readonly ended: Deferred.Deferred<Exit.Exit<unknown, unknown>>
}

export const subjectOf = <Tools, R, E>(
  toolset: Toolset.Toolset<Tools, R, E>,
  options: CommonOptions & { readonly context?: CallContext.Values | undefined }
): Effect.Effect<Subject<R, E>, E | ToolsetError> =>
  Effect.gen(function* () {
    const context = options.context ?? {}
    const timeout = Duration.decode(options.timeout ?? "5 seconds")
    const { entries, withheld } = yield* toolset.offer.pipe(CallContext.provide(context))
    // Of a name that is misspelt, a handler would run that is not to.
    const named = {
      only: options.only ?? [],
      except: options.except ?? [],
      arguments: Object.keys(options.arguments ?? {})
    }
    for (const [option, names] of Object.entries(named)) {
      const unknown = names.find((name) => !entries.has(name) && !withheld.has(name))
      if (unknown !== undefined) orThrow(unknownName([option, unknown], "a tool", [...entries.keys()]))
    }
    const isRun = (tool: string): boolean =>
      options.isDry !== true &&
      (options.only === undefined || options.only.includes(tool)) &&
      options.except?.includes(tool) !== true &&
      entries.get(tool)?.handler !== undefined
    return {
      entries,
      isRun,
      running: yield* watchHandlers(toolset, { isRun, context, timeout }),
      dry: yield* watchHandlers(toolset, { isRun: () => false, context, timeout }),
      context,
      options,
      runs: options.runs ?? 50,
      seed: options.seed ?? 1,
      timeout
    }
  })

const watchHandlers = <Tools, R, E>(
  toolset: Toolset.Toolset<Tools, R, E>,
  how: {
    readonly isRun: (tool: string) => boolean
    readonly context: CallContext.Values
    readonly timeout: Duration.Duration
  }
): Effect.Effect<Watched<R, E>, E | ToolsetError> =>
  Effect.gen(function* () {
    const received = yield* Ref.make<ReadonlyArray<Received>>([])
    const watching = yield* Ref.make<Watch | undefined>(undefined)
    const made = new WeakMap<Toolset.Entry, Toolset.Entry>()
    const watchedEntry = (name: string, entry: Toolset.Entry): Toolset.Entry => {
      const known = made.get(entry)
      if (known !== undefined) return known
      const { handler } = entry
      if (handler === undefined) return entry
      const seen = (parameters: unknown) => Ref.update(received, (all) => [...all, { tool: name, parameters }])
      const other: Toolset.Entry = how.isRun(name)
        ? {
            ...entry,
            handler: (parameters) => Effect.zipRight(seen(parameters), notify(watching, handler, parameters))
          }
        : { ...entry, ...emptyAnswer, handler: seen }
      made.set(entry, other)
      return other
    }
    const offer = Effect.map(toolset.offer, (offer) => ({
      ...offer,
      entries: new Map(Array.from(offer.entries, ([name, entry]) => [name, watchedEntry(name, entry)]))
    }))
    // The toolset with another offer. `Object.create` returns `any`.
    const view = Object.create(toolset, { offer: { value: offer, enumerable: true } }) as Toolset.Toolset<
      Toolset.DynamicTools,
      R,
      E
    >
    const runner = yield* ToolRunner.make(view, {
      repeatGuard: false,
      limits: { default: { timeout: how.timeout } }
    }).pipe(CallContext.provide(how.context))
    return {
      run: Effect.sync(() => runner.forRun({ context: how.context })),
      takeReceived: Ref.getAndSet(received, []),
      watch: Effect.gen(function* () {
        const watch = {
          begun: yield* Deferred.make<void>(),
          ended: yield* Deferred.make<Exit.Exit<unknown, unknown>>()
        }
        yield* Ref.set(watching, watch)
        return watch
      })
    }
  })

/** A replaced handler answers like a tool without a result. */
const emptyAnswer: Pick<Toolset.Entry, "encodeSuccess" | "isContent"> = {
  encodeSuccess: () => Either.right(null),
  isContent: false
}

type Handler = NonNullable<Toolset.Entry["handler"]>

const notify = (
  watching: Ref.Ref<Watch | undefined>,
  handler: Handler,
  parameters: unknown
): Effect.Effect<unknown, unknown> =>
  Effect.flatMap(Ref.getAndSet(watching, undefined), (watch) =>
    watch === undefined
      ? handler(parameters)
      : Effect.zipRight(
          Deferred.succeed(watch.begun, undefined),
          Effect.onExit(
            Effect.suspend(() => handler(parameters)),
            (exit) => Deferred.succeed(watch.ended, exit)
          )
        )
  )
