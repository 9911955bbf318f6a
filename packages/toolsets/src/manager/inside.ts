/** What the parts of a manager share. */
import type { Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type { Selection, Service as ActiveService } from "../ActiveToolsets.js"
import type { Event, Options } from "../ToolsetManager.js"
import type { ToolsetFiles } from "./files.js"
import { functionsOf, nothing, resolve, type Sets } from "./resolve.js"

/** A tool that is there, whether or not it is on offer to the request that asks. */
export interface Loaded {
  readonly name: string
  readonly description: string | undefined
}

/** Tools that a conversation has won or lost; without one, all where nothing was activated. */
export interface News {
  readonly conversation: string | undefined
  readonly change: Toolset.Change
}

export interface Inside<E> {
  readonly sets: Effect.Effect<Sets>
  readonly loaded: Effect.Effect<ReadonlyMap<string, Loaded>, E>
  readonly files: ToolsetFiles
  readonly store: ActiveService
  readonly initial: Selection
  readonly news: PubSub.PubSub<News>
  readonly events: PubSub.PubSub<Event>
}

const noModules: Sets["modules"] = new Map()

const noToolsets: Sets["user"] = new Map()

export const makeInside = <Tools, R, E>(
  options: Options<Tools, R, E>,
  files: ToolsetFiles,
  store: ActiveService,
  events: PubSub.PubSub<Event>
): Effect.Effect<Inside<E>> =>
  Effect.gen(function* () {
    const { modules = noModules } = options
    return {
      sets: Effect.zipWith(
        Effect.isEffect(modules) ? modules : Effect.succeed(modules),
        files.current.get,
        (known, { core, user }) => ({
          modules: known,
          user: user?.toolsets ?? noToolsets,
          core: core?.toolsets ?? noToolsets
        })
      ),
      loaded: Effect.map(options.toolset.offer, loadedOf),
      files,
      store,
      initial: { _tag: "Named", name: options.initial ?? "none" },
      news: yield* PubSub.unbounded<News>(),
      events
    }
  })

const loadedOf = ({ entries, withheld }: Toolset.Offer): ReadonlyMap<string, Loaded> => {
  const loaded = new Map<string, Loaded>()
  for (const [name, { definition }] of entries) loaded.set(name, { name, description: definition.description })
  for (const name of withheld) loaded.set(name, { name, description: undefined })
  return loaded
}

/** The functions of what is active; `undefined` where it is all that are loaded. */
export const functionsOfSelection = (selection: Selection, sets: Sets): ReadonlyArray<string> | undefined => {
  if (selection._tag === "Custom") return selection.functions
  const resolved = resolve(selection.name, sets)
  return resolved === undefined ? nothing : functionsOf(resolved)
}
