/** What sets there are, what is in each, and what is active. */
import * as Effect from "effect/Effect"
import type { Selection } from "../ActiveToolsets.js"
import type { Active, Counts, Inactive, Listed, Preview, PreviewedFunction } from "../ToolsetManager.js"
import { type ActiveToolsetFailed, UnknownToolset } from "../ToolsetManagerError.js"
import { type Inside, type Loaded, functionsOfSelection } from "./inside.js"
import * as NearestNames from "@wield/core/NearestNames"
import { functionsOf, namesOf, nothing, resolve, type Resolved, type Sets } from "./resolve.js"

interface Known {
  readonly sets: Sets
  readonly loaded: ReadonlyMap<string, Loaded>
}

export const lookUp = <E>({ loaded, sets }: Inside<E>): Effect.Effect<Known, E> => Effect.all({ sets, loaded })

export const list = <E>(inside: Inside<E>): Effect.Effect<ReadonlyArray<Listed>, E> =>
  Effect.map(lookUp(inside), (all) =>
    namesOf(all.sets).flatMap((name) => {
      const resolved = resolve(name, all.sets)
      return resolved === undefined ? [] : [listEntryOf(resolved, all)]
    })
  )

export const listEntryOf = (resolved: Resolved, { loaded, sets }: Known): Listed => ({
  name: resolved.name,
  type: resolved.type,
  ...countsOf(functionsOf(resolved) ?? [...loaded.keys()], new Set(loaded.keys())),
  metadata: "toolset" in resolved ? resolved.toolset.metadata : {},
  isOverriding: resolved.type === "user" && sets.core.has(resolved.name)
})

export const preview = <E>(
  inside: Inside<E>,
  set: string | ReadonlyArray<string>
): Effect.Effect<Preview, UnknownToolset | E> =>
  Effect.flatMap(lookUp(inside), (all): Effect.Effect<Preview, UnknownToolset> => {
    if (typeof set !== "string") {
      return Effect.succeed({ name: undefined, type: "custom", ...detailsOf([...new Set(set)], all) })
    }
    return Effect.map(find(set, all.sets), (found) => ({
      name: found.name,
      type: found.type,
      ...detailsOf(functionsOf(found), all)
    }))
  })

export const find = (name: string, sets: Sets): Effect.Effect<Resolved, UnknownToolset> => {
  const found = resolve(name, sets)
  return found === undefined
    ? new UnknownToolset({
        name,
        nearest: nearestNames(name, namesOf(sets))
      })
    : Effect.succeed(found)
}

/** Without functions, all that are loaded. */
const detailsOf = (functions: ReadonlyArray<string> | undefined, { loaded, sets }: Known) => {
  const counts = countsOf(functions ?? [...loaded.keys()], new Set(loaded.keys()))
  const modules = modulesByFunction(sets)
  return {
    ...counts,
    details: counts.functions.map((name): PreviewedFunction => ({
      name,
      isLoaded: loaded.has(name),
      description: loaded.get(name)?.description,
      module: modules.get(name)
    }))
  }
}

const modulesByFunction = ({ modules }: Sets): ReadonlyMap<string, string> =>
  new Map([...modules].flatMap(([module, functions]) => functions.map((name) => [name, module] as const)))

export const selectionOf = <E>(
  { initial, store }: Inside<E>,
  conversation: string | undefined
): Effect.Effect<{ readonly selection: Selection; readonly isInitial: boolean }, ActiveToolsetFailed> =>
  Effect.map(conversation === undefined ? Effect.succeed(undefined) : store.get(conversation), (selection) =>
    selection === undefined ? { selection: initial, isInitial: true } : { selection, isInitial: false }
  )

export const active = <E>(inside: Inside<E>, conversation: string): Effect.Effect<Active, ActiveToolsetFailed | E> =>
  Effect.zipWith(selectionOf(inside, conversation), lookUp(inside), (found, all): Active => {
    const { selection } = found
    if (selection._tag === "Custom") {
      return { name: undefined, type: "custom", ...found, ...detailsOf(selection.functions, all) }
    }
    const meant = resolve(selection.name, all.sets)
    if (meant === undefined) {
      return { name: selection.name, type: "unknown", ...found, ...detailsOf(nothing, all), status: "empty" }
    }
    return { name: selection.name, type: meant.type, ...found, ...detailsOf(functionsOf(meant), all) }
  })

export const inactive = <E>(
  inside: Inside<E>,
  conversation: string
): Effect.Effect<ReadonlyArray<Inactive>, ActiveToolsetFailed | E> =>
  Effect.zipWith(selectionOf(inside, conversation), lookUp(inside), ({ selection }, { loaded, sets }) => {
    const functions = functionsOfSelection(selection, sets)
    if (functions === undefined) return []
    const offered = new Set(functions)
    const modules = modulesByFunction(sets)
    const all = namesOf(sets).flatMap((name) => {
      const found = resolve(name, sets)
      const named = found === undefined ? undefined : functionsOf(found)
      return named === undefined ? [] : [{ name, functions: new Set(named) }]
    })
    return [...loaded.values()].flatMap(({ description, name }) =>
      offered.has(name)
        ? []
        : [
            {
              name,
              description,
              module: modules.get(name),
              toolsets: all.filter((set) => set.functions.has(name)).map((set) => set.name)
            }
          ]
    )
  })

export const countsOf = (functions: ReadonlyArray<string>, loaded: ReadonlySet<string>): Counts => {
  const missing = functions.filter((name) => !loaded.has(name))
  const enabled = functions.length - missing.length
  const status = missing.length === 0 ? "ok" : enabled === 0 ? "empty" : "partial"
  return { functions, enabled, total: functions.length, missing, status }
}

/** The names that may have been meant, best first. */
export const nearestNames = (name: string, names: Iterable<string>): ReadonlyArray<string> =>
  NearestNames.byDistance(name, names)
    .slice(0, 3)
    .map((other) => other.name)
