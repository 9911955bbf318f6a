/**
 * All that Wield asks of a fiber beside what Effect documents: what it reads of one that runs, and how it looks into
 * an effect. Another major of Effect is met here, and nowhere else.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as RuntimeFlagsPatch from "effect/RuntimeFlagsPatch"
import * as Tracer from "effect/Tracer"

/**
 * A fiber that is only looked at: how it will end does not matter.
 *
 * @category models
 */
export type Running = Fiber.RuntimeFiber<unknown, unknown>

type WithFiber = <A, E = never, R = never>(use: (fiber: Running) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * An effect that sees the fiber which runs it.
 *
 * @category accessors
 */
// A fiber's types say how it ends, which no one asks here; and a function in between would cost each call.
export const withFiber = Effect.withFiberRuntime as unknown as WithFiber

/**
 * The services that the fiber has now.
 *
 * @category accessors
 */
export const contextOf = (fiber: Running): Context.Context<never> => fiber.currentContext

/**
 * What stands in a context under a tag; without the default of a reference, which `Context.get` would look for.
 *
 * @category accessors
 */
export const peek = <S>(
  context: Context.Context<never>,
  tag: { readonly key: string; readonly Service?: S }
): S | undefined => context.unsafeMap.get(tag.key)

/**
 * A context with what stands in another, and over it in a third, and over that services by their keys. `Context.merge`
 * and `Context.add` copy all of it each time.
 *
 * @category contexts
 */
export const together = (
  under: Context.Context<never> | undefined,
  over: Context.Context<never>,
  services: ReadonlyMap<string, unknown>
): Context.Context<never> => {
  const all = new Map<string, unknown>(under?.unsafeMap)
  for (const [key, service] of over.unsafeMap) all.set(key, service)
  for (const [key, service] of services) all.set(key, service)
  return Context.unsafeMake(all)
}

/**
 * The context in which something is logged, of the references of its fiber.
 *
 * @category accessors
 */
export const contextIn = (references: FiberRefs.FiberRefs): Context.Context<never> =>
  FiberRefs.getOrDefault(references, FiberRef.currentContext)

/**
 * The fiber's clock.
 *
 * @category accessors
 */
export const clockOf = (fiber: Running): Clock.Clock => Context.get(fiber.currentDefaultServices, Clock.Clock)

const defaults = FiberRefs.getOrDefault(FiberRefs.empty(), DefaultServices.currentServices)

/**
 * The clock of the machine. Copies of Effect share the one of the first of them.
 *
 * @category accessors
 */
export const liveClock: Clock.Clock = Context.get(defaults, Clock.Clock)

/** Effect always has a tracer; the one it starts with records nothing. Copies of Effect share it, too. */
const silent = Context.get(defaults, Tracer.Tracer)

/**
 * Whether spans of this fiber go anywhere.
 *
 * @category traces
 */
export const isTraced = (fiber: Running): boolean =>
  fiber.currentTracer !== silent && fiber.getFiberRef(FiberRef.currentTracerEnabled)

/**
 * The fiber's tracer.
 *
 * @category traces
 */
export const tracerOf = (fiber: Running): Tracer.Tracer => fiber.currentTracer

/**
 * The span in which the fiber is.
 *
 * @category traces
 */
export const spanOf = (fiber: Running): Tracer.AnySpan | undefined => fiber.currentSpan

/**
 * What each span of the fiber is to say.
 *
 * @category traces
 */
export const annotationsOf = (fiber: Running) => fiber.getFiberRef(FiberRef.currentTracerSpanAnnotations)

/**
 * What each span of the fiber is to be linked to.
 *
 * @category traces
 */
export const linksOf = (fiber: Running) => fiber.getFiberRef(FiberRef.currentTracerSpanLinks)

/**
 * How a fiber has ended; `undefined` while it runs.
 *
 * @category ends
 */
export const endOf = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Exit.Exit<A, E> | undefined =>
  fiber.unsafePoll() ?? undefined

/**
 * Hears how a fiber ends, at once if it has.
 *
 * @category ends
 */
export const onEnd = <A, E>(fiber: Fiber.RuntimeFiber<A, E>, hear: (exit: Exit.Exit<A, E>) => void): void =>
  fiber.addObserver(hear)

/**
 * Interrupts a fiber, and does not wait for its end.
 *
 * @category ends
 */
export const interrupt = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): void => fiber.unsafeInterruptAsFork(FiberId.none)

/**
 * Whether the fiber can wait for another turn of the event loop. One that
 * `Effect.runSync` runs cannot.
 *
 * @category scheduling
 */
export const canWait = (fiber: Running): boolean =>
  // Its scheduler alone can be flushed; it may be that of another copy of Effect.
  !("flush" in fiber.currentScheduler)

/**
 * Runs effects with what a fiber has, after it has gone on.
 *
 * @category scheduling
 */
export const runnerOf = (fiber: Running): (<A>(effect: Effect.Effect<A>) => Promise<A>) => {
  const context = contextOf(fiber)
  return (effect) =>
    Runtime.runPromise(
      Runtime.make({ context, fiberRefs: fiber.getFiberRefs(), runtimeFlags: Runtime.defaultRuntimeFlags })
    )(effect)
}

/**
 * What is forked within lives as long as the fiber that runs this, however deep it is forked.
 *
 * @category scheduling
 */
export const transplant: <A, E, R>(
  use: (graft: <B, F, S>(effect: Effect.Effect<B, F, S>) => Effect.Effect<B, F, S>) => Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R> = Effect.transplant

/**
 * What the first who asks makes, for all. Where that fails or is interrupted, the next one makes it: `Effect.cached` would
 * give the interruption of the first to all others, for good.
 *
 * @category scheduling
 */
export const once = <A, E, R>(make: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const turn = Effect.unsafeMakeSemaphore(1)
  let made: Exit.Exit<A> | undefined
  const inTurn = turn.withPermits(1)(
    Effect.suspend(
      () =>
        made ??
        Effect.map(make, (value) => {
          made = Exit.succeed(value)
          return value
        })
    )
  )
  return Effect.suspend(() => made ?? inTurn)
}

/** What a fiber has for itself: it is to be called by the fiber that it belongs to. */
interface Own {
  readonly setFiberRefs: (references: FiberRefs.FiberRefs) => void
}

/** As `FiberRefs.updateAs`, which compares the two contexts first. */
const withContext = (
  references: FiberRefs.FiberRefs,
  id: FiberId.Single,
  context: Context.Context<never>
): FiberRefs.FiberRefs => {
  const locals = new Map(references.locals)
  const before = locals.get(FiberRef.currentContext) ?? []
  const others = before[0]?.[0] === id ? before.slice(1) : before
  return FiberRefs.unsafeMake(locals.set(FiberRef.currentContext, [[id, context], ...others]))
}

/**
 * As `Effect.mapInputContext`, in fewer steps. Nothing may end the effect but its value.
 *
 * @category contexts
 */
export const inContext = <A, B>(
  contextOver: (outer: Context.Context<never>) => Context.Context<never>,
  effect: () => Effect.Effect<A>,
  before: (value: A) => B
): Effect.Effect<B> =>
  withFiber((fiber) => {
    // Its type leaves it out.
    const own = fiber as unknown as Own
    const outer = contextOf(fiber)
    const references = fiber.getFiberRefs()
    const within = withContext(references, fiber.id(), contextOver(outer))
    own.setFiberRefs(within)
    return Effect.map(effect(), (value) => {
      const result = before(value)
      const after = fiber.getFiberRefs()
      // What the effect has set otherwise stays.
      own.setFiberRefs(after === within ? references : withContext(after, fiber.id(), outer))
      return result
    })
  })

/** The operation that `Effect.uninterruptible` and its like are made of. */
interface FlagsOperation {
  readonly _op: string
  readonly effect_instruction_i0: RuntimeFlagsPatch.RuntimeFlagsPatch
  readonly effect_instruction_i1?: (before: unknown) => Effect.Effect<unknown, unknown>
}

/**
 * Hears how an effect ends that cannot be interrupted: what it comes to is lost where it ends, since the fiber is
 * interrupted there. Of any other effect nothing is heard.
 *
 * @category ends
 */
export const onUninterruptibleEnd = (
  effect: Effect.Effect<unknown, unknown>,
  hear: (exit: Exit.Exit<unknown, unknown>) => void
): Effect.Effect<unknown, unknown> => {
  // Effect has no public way to look into an effect.
  const operation = effect as unknown as FlagsOperation
  const { _op, effect_instruction_i0: patch, effect_instruction_i1: region } = operation
  if (_op !== "UpdateRuntimeFlags" || region === undefined) return effect
  if (!RuntimeFlagsPatch.isDisabled(patch, RuntimeFlags.Interruption)) return effect
  return Object.assign(Object.create(Object.getPrototypeOf(effect)), effect, {
    effect_instruction_i1: (before: unknown) =>
      Effect.flatMap(Effect.exit(region(before)), (exit) => {
        hear(exit)
        return exit
      })
  })
}
