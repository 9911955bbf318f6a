/** Tools of other packages, as `wield({ toolsets })` takes them. */
import * as Toolset from "@wield/core/Toolset"
import type { Imported } from "@wield/interop/imported"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** Tools of a file, a server or scripts, for `wield({ toolsets })`. They live until `close`. */
export interface ToolSource {
  readonly "~toolset": unknown
}

export type AnyToolset = Toolset.Toolset<unknown, never, unknown>

/** One toolset of all, whose names are known at run time only. */
export const combineAll = (toolsets: ReadonlyArray<AnyToolset>): AnyToolset =>
  toolsets.reduce((left, right) =>
    // What types say of names is not used.
    Toolset.combine(left as Dynamic, right as Dynamic)
  )

type Dynamic = Toolset.Toolset<Toolset.DynamicTools, never, unknown>

type Made = Effect.Effect<AnyToolset | Imported, unknown, Scope.Scope>

/** A source that is made with what it requires, which is there as long as the source. */
export const sourceOf = <R, E, LE>(
  toolset: Effect.Effect<AnyToolset, E, R | Scope.Scope>,
  services: Layer.Layer<R, LE>
): ToolSource => {
  const made = Effect.flatMap(Layer.build(services), (context) => Effect.provide(toolset, context))
  return { "~toolset": made satisfies Made }
}

/** What a source makes. */
// Only `sourceOf` makes sources.
export const toolsetOf = (source: ToolSource): Made => source["~toolset"] as Made
