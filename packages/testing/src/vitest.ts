/**
 * `it.tools` and `it.laws`, with all of `@effect/vitest` and the assertions about
 * outcomes. Only this module needs the peers `vitest` and `@effect/vitest`.
 */
import { describe, it as base } from "@effect/vitest"
import type { ToolRunner, Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Scope, TestServices } from "effect"
import * as Laws from "./Laws.js"
import * as ToolCalls from "./ToolCalls.js"

export * from "@effect/vitest"
export * from "./OutcomeAssertions.js"

/**
 * What a test may require: its Layer's services, a scope and the test services.
 *
 * @category type-level
 */
export type Provided<ROut> = ROut | Scope.Scope | TestServices.TestServices

/**
 * A toolset, and the Layer that it, its tools and the test require. Join several
 * Layers with `Layer.mergeAll`: TypeScript infers nothing from the overloads of
 * `Layer.merge` here.
 *
 * @category models
 */
export interface Source<Tools, E, E2, ROut, E3> {
  readonly toolset: Effect.Effect<Toolset.Toolset<Tools, Provided<NoInfer<ROut>>, E>, E2, Provided<NoInfer<ROut>>>
  readonly layer?: Layer.Layer<ROut, E3> | undefined
}

/**
 * The tests of tools.
 *
 * @category models
 */
export interface ToolTests {
  /**
   * A test that gets the tools as typed functions, and their run. `context` is
   * required if tools have hidden fields.
   */
  readonly tools: <Tools, E, E2, A, E4, ROut = never, E3 = never>(
    name: string,
    options: Source<Tools, E, E2, ROut, E3> & ToolCalls.Options<Tools>,
    self: (
      tools: ToolCalls.ToolCalls<Tools, Provided<ROut>, E>,
      run: ToolRunner.Run<Tools, Provided<ROut>, E>
    ) => Effect.Effect<A, E4, Provided<NoInfer<ROut>>>,
    timeout?: number
  ) => void
  /** One test for each law. A broken law fails with its report. */
  readonly laws: <Tools, E, E2, ROut = never, E3 = never>(
    name: string,
    options: Source<Tools, E, E2, ROut, E3> & Laws.Options<NoInfer<Tools>>
  ) => void
}

const provideLayer = <A, E, ROut, E3>(
  effect: Effect.Effect<A, E, Provided<ROut>>,
  layer: Layer.Layer<ROut, E3> | undefined
): Effect.Effect<A, E | E3, Scope.Scope | TestServices.TestServices> =>
  // Without a Layer, `ROut` is never.
  Effect.provide(effect, (layer ?? Layer.empty) as Layer.Layer<ROut, E3>) as Effect.Effect<
    A,
    E | E3,
    Scope.Scope | TestServices.TestServices
  >

const tests: ToolTests = {
  tools: (name, options, self, timeout) =>
    base.scoped(
      name,
      () =>
        provideLayer(
          Effect.gen(function* () {
            const { run, tools } = yield* ToolCalls.make(yield* options.toolset, options)
            return yield* self(tools, run)
          }),
          options.layer
        ),
      timeout
    ),
  laws: (name, options) =>
    describe(`${name}`, () => {
      const wanted: ReadonlyArray<Laws.Name> = options.laws ?? Laws.names
      for (const law of wanted) {
        base.scoped(
          Laws.sentences[law],
          () =>
            provideLayer(
              Effect.gen(function* () {
                const report = yield* Laws.check(yield* options.toolset, ...lawArguments({ ...options, laws: [law] }))
                yield* Laws.assertKept(report)
              }),
              options.layer
            ),
          60_000
        )
      }
    })
}

/** The tools decide whether options may be omitted. Given options always fit. */
const lawArguments = <Tools>(options: Laws.Options<Tools>): Laws.Arguments<Tools> =>
  [options] as unknown as Laws.Arguments<Tools>

/**
 * `it` of `@effect/vitest` with `it.tools` and `it.laws`.
 *
 * @category testing
 */
export const it: typeof base & ToolTests = new Proxy(base, {
  // A proxy, so that vitest's own `it` stays unchanged.
  get: (target, key, receiver): unknown =>
    key === "tools" || key === "laws" ? tests[key] : Reflect.get(target, key, receiver)
}) as typeof base & ToolTests
