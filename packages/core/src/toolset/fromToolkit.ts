/**
 * A toolset from a toolkit of @effect/ai.
 */
import type * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { handlerOf, toolsOf } from "../internal/effectAi.js"
import type { InvalidTool } from "../ToolsetError.js"
import { entryOf } from "./entryOf.js"
import { type Entry, make, noneWithheld, type RequirementsOf, type Toolset } from "./model.js"

type AnyTools = Record<string, Tool.Any>

type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never

/** The names that more than one tool of a toolkit has: `Toolkit.make` keeps the last and forgets the others. */
type Repeated<Tools> = {
  readonly [Name in keyof Tools]: IsUnion<Tools[Name]> extends false ? never : Name
}[keyof Tools]

export interface RepeatedToolName<Name> {
  readonly "Two tools of this toolkit have the same name": Name
}

type Checked<Tools> = [Repeated<Tools>] extends [never] ? unknown : RepeatedToolName<Repeated<Tools>>

export const fromToolkit = <Tools extends AnyTools>(
  toolkit: Toolkit.Toolkit<Tools> & Checked<Tools>
): Effect.Effect<Toolset<Tools, RequirementsOf<Tools>>, InvalidTool, Tool.HandlersFor<Tools>> =>
  Effect.contextWithEffect((context: Context.Context<Tool.HandlersFor<Tools>>) =>
    Effect.gen(function* () {
      const entries = new Map<string, Entry>()
      for (const tool of toolsOf(toolkit)) {
        entries.set(tool.name, yield* entryOf(tool, handlerOf(tool, context)))
      }
      return make<Tools, RequirementsOf<Tools>>({
        offer: Effect.succeed({ entries, withheld: noneWithheld }),
        changes: Stream.empty
      })
    })
  )

export const fromLayer = <Tools extends AnyTools, E, RIn>(
  toolkit: Toolkit.Toolkit<Tools> & Checked<Tools>,
  handlers: Layer.Layer<Tool.HandlersFor<Tools>, E, RIn>
): Effect.Effect<Toolset<Tools, RequirementsOf<Tools>>, InvalidTool | E, RIn | Scope.Scope> =>
  Effect.flatMap(Layer.build(handlers), (context) => Effect.mapInputContext(fromToolkit(toolkit), () => context))
