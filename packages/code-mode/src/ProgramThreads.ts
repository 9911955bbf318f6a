/** The threads that check and run programs. Several toolsets of code mode may share them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { type Check, makeCheck } from "./engine/check.js"
import { makeThreads, type Threads } from "./engine/Threads.js"

/** What it holds is not for programs. */
const TypeId: unique symbol = Symbol.for("@wield/code-mode/ProgramThreads")

/**
 * Threads for programs: two for running and one for checking are kept, with 70 MB for the compiler. Where this service
 * is provided, `CodeMode.make` uses its threads; otherwise it starts its own.
 *
 * @category services
 */
export class ProgramThreads extends Context.Tag("@wield/code-mode/ProgramThreads")<
  ProgramThreads,
  {
    readonly [TypeId]: { readonly sandboxes: Threads; readonly check: Check }
  }
>() {}

const make: Effect.Effect<ProgramThreads["Type"], never, Scope.Scope> = Effect.gen(function* () {
  return { [TypeId]: { sandboxes: yield* makeThreads("sandbox"), check: yield* makeCheck } }
})

/**
 * Threads that live as long as the Layer, for several toolsets of code mode.
 *
 * @category layers
 */
export const layer: Layer.Layer<ProgramThreads> = Layer.scoped(ProgramThreads, make)

/** Those that are there, or threads for one toolset. */
export const threadsOf = Effect.map(
  Effect.flatMap(Effect.serviceOption(ProgramThreads), (given) =>
    Option.match(given, { onSome: Effect.succeed, onNone: () => make })
  ),
  (threads) => threads[TypeId]
)
