/** What the parts of a manager share. */
import type { Toolset } from "@wield/core"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type * as ActiveToolsets from "../ActiveToolsets.js"
import type { Event, Options, Service } from "../ToolsetManager.js"
import type { ToolsetFiles } from "./files.js"
import { functionsOfName, type Sets } from "./resolve.js"

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

/** Stands for the conversations in which nothing was activated. */
export const others = ""

/** What the parts implement. */
export type Manager<E> = Service<Toolset.DynamicTools, never, E>

export interface Inside<E> {
  readonly sets: Effect.Effect<Sets>
  readonly loaded: Effect.Effect<ReadonlyMap<string, Loaded>, E>
  readonly files: ToolsetFiles
  readonly store: ActiveToolsets.Service
  readonly initial: ActiveToolsets.Selection
  readonly news: PubSub.PubSub<News>
  readonly events: PubSub.PubSub<Event>
}

export const makeInside = <Tools, R, E>(
  options: Options<Tools, R, E>,
  files: ToolsetFiles,
  store: ActiveToolsets.Service,
  events: PubSub.PubSub<Event>
): Effect.Effect<Inside<E>> =>
  Effect.gen(function* () {
    const { modules = new Map() } = options
    return {
      sets: Effect.zipWith(
        Effect.isEffect(modules) ? modules : Effect.succeed(modules),
        files.current.get,
        (known, { core, user }): Sets => ({
          modules: known,
          user: user?.toolsets ?? new Map(),
          core: core?.toolsets ?? new Map()
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

const loadedOf = ({ entries, withheld }: Toolset.Offer): ReadonlyMap<string, Loaded> =>
  new Map(
    [...withheld, ...entries].map(([name, { definition }]) => [name, { name, description: definition.description }])
  )

/** The functions of what is active; `undefined` where it is all that are loaded. */
export const functionsOfSelection = (
  selection: ActiveToolsets.Selection,
  sets: Sets
): ReadonlyArray<string> | undefined =>
  selection._tag === "Custom" ? selection.functions : functionsOfName(selection.name, sets)

type Functions = ReadonlyArray<string> | undefined

/** Without functions, it is all that are loaded. */
export const announce = <E>(
  { loaded, news }: Inside<E>,
  conversation: string,
  before: Functions,
  after: Functions
): Effect.Effect<void, E> =>
  Effect.flatMap(loaded, (tools) => {
    const names = [...tools.keys()]
    const had = new Set(before ?? names)
    const has = new Set(after ?? names)
    const added = names.filter((name) => has.has(name) && !had.has(name))
    const removed = names.filter((name) => had.has(name) && !has.has(name))
    return added.length + removed.length === 0
      ? Effect.void
      : Effect.asVoid(
          PubSub.publish(news, {
            conversation: conversation === others ? undefined : conversation,
            change: { added, removed, altered: [] }
          })
        )
  })

/** Announces a changed set to its conversations; if that fails, the next turn is still right. */
export const announceSets = <E>(inside: Inside<E>, before: Sets): Effect.Effect<void> =>
  Effect.gen(function* () {
    const after = yield* inside.sets
    const names = new Set([...before.user.keys(), ...before.core.keys(), ...after.user.keys(), ...after.core.keys()])
    for (const name of names) {
      const had = functionsOfName(name, before)
      const has = functionsOfName(name, after)
      if (JSON.stringify(had) === JSON.stringify(has)) continue
      const conversations = yield* inside.store.conversationsOf(name)
      const { initial } = inside
      const isInitial =
        initial._tag === "Named" && initial.name === name && (yield* inside.store.get(others)) === undefined
      yield* Effect.forEach(
        isInitial ? [...conversations, others] : conversations,
        (conversation) => announce(inside, conversation, had, has),
        { discard: true }
      )
    }
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("A change of toolsets could not be announced to conversations", cause)
    )
  )
