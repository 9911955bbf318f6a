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

/** Mapped, so that the compiler keeps the toolkit's name in what it shows. */
export type ToolsOf<Kit extends Toolkit.Any> = { readonly [Name in keyof Kit["tools"]]: Kit["tools"][Name] }

type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never

/** The names that more than one tool of a toolkit has: `Toolkit.make` keeps the last and forgets the others. */
type Repeated<Tools> = {
  readonly [Name in keyof Tools]: IsUnion<Tools[Name]> extends false ? never : Name
}[keyof Tools]

export interface RepeatedToolName<Name> {
  readonly "Two tools of this toolkit have the same name": Name
}

type Checked<Tools> = [Repeated<Tools>] extends [never] ? unknown : RepeatedToolName<Repeated<Tools>>

export const fromToolkit = <Kit extends Toolkit.Any>(
  toolkit: Kit & Checked<Kit["tools"]>
): Effect.Effect<Toolset<ToolsOf<Kit>, RequirementsOf<Kit["tools"]>>, InvalidTool, Tool.HandlersFor<Kit["tools"]>> =>
  Effect.contextWithEffect((handlers: Context.Context<Tool.HandlersFor<Kit["tools"]>>) =>
    withHandlers<Kit>(toolkit, handlers)
  )

export const fromLayer = <Kit extends Toolkit.Any, E, RIn>(
  toolkit: Kit & Checked<Kit["tools"]>,
  handlers: Layer.Layer<Tool.HandlersFor<Kit["tools"]>, E, RIn>
): Effect.Effect<Toolset<ToolsOf<Kit>, RequirementsOf<Kit["tools"]>>, InvalidTool | E, RIn | Scope.Scope> =>
  Effect.flatMap(Layer.build(handlers), (built) => withHandlers<Kit>(toolkit, built))

const withHandlers = <Kit extends Toolkit.Any>(
  toolkit: Kit,
  handlers: Context.Context<Tool.HandlersFor<Kit["tools"]>>
): Effect.Effect<Toolset<ToolsOf<Kit>, RequirementsOf<Kit["tools"]>>, InvalidTool> =>
  Effect.gen(function* () {
    const entries = new Map<string, Entry>()
    for (const tool of toolsOf(toolkit)) {
      entries.set(tool.name, yield* entryOf(tool, handlerOf(tool, handlers)))
    }
    return make({ offer: Effect.succeed({ entries, withheld: noneWithheld }), changes: Stream.empty })
  })
