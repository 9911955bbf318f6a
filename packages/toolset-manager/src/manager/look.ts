/** What sets there are, what is in each, and what is active. */
import * as Effect from "effect/Effect"
import type { Selection } from "../ActiveToolsets.js"
import type { Active, Counts, Listed, Preview, PreviewedFunction } from "../ToolsetManager.js"
import { type ActiveToolsetFailed, UnknownToolset } from "../ToolsetManagerError.js"
import { type Inside, type Loaded, type Manager, functionsOfSelection, others } from "./inside.js"
import * as NearestNames from "@wield/core/NearestNames"
import { functionsOf, functionsOfName, namesOf, nothing, resolve, type Resolved, type Sets } from "./resolve.js"

interface Known {
  readonly sets: Sets
  readonly loaded: ReadonlyMap<string, Loaded>
}

export const lookUp = <E>({ loaded, sets }: Inside<E>): Effect.Effect<Known, E> => Effect.all({ sets, loaded })

export const list = <E>(inside: Inside<E>): Manager<E>["list"] =>
  Effect.map(lookUp(inside), (all) =>
    namesOf(all.sets).flatMap((name) => {
      const resolved = resolve(name, all.sets)
      return resolved === undefined ? [] : [listEntryOf(resolved, all)]
    })
  )

export const listEntryOf = (resolved: Resolved, { loaded, sets }: Known): Listed => ({
  name: resolved.name,
  type: resolved.type,
  ...countsOf(functionsOf(resolved), loaded),
  metadata: "toolset" in resolved ? resolved.toolset.metadata : {},
  isOverriding: resolved.type === "user" && sets.core.has(resolved.name)
})

export const preview =
  <E>(inside: Inside<E>): Manager<E>["preview"] =>
  (set) =>
    Effect.flatMap(lookUp(inside), (all): Effect.Effect<Preview, UnknownToolset> =>
      typeof set === "string"
        ? Effect.map(find(set, all.sets), (found) => ({
            name: found.name,
            type: found.type,
            ...detailsOf(functionsOf(found), all)
          }))
        : Effect.succeed({ name: undefined, type: "custom", ...detailsOf([...new Set(set)], all) })
    )

export const find = (name: string, sets: Sets): Effect.Effect<Resolved, UnknownToolset> => {
  const found = resolve(name, sets)
  return found === undefined
    ? new UnknownToolset({ name, nearest: nearestNames(name, namesOf(sets)) })
    : Effect.succeed(found)
}

/** Without functions, all that are loaded. */
const detailsOf = (functions: ReadonlyArray<string> | undefined, { loaded, sets }: Known) => {
  const counts = countsOf(functions, loaded)
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
  Effect.gen(function* () {
    const own = conversation === undefined || conversation === others ? undefined : yield* store.get(conversation)
    return own === undefined
      ? { selection: (yield* store.get(others)) ?? initial, isInitial: true }
      : { selection: own, isInitial: false }
  })

export const active =
  <E>(inside: Inside<E>): Manager<E>["active"] =>
  (conversation) =>
    Effect.zipWith(selectionOf(inside, conversation), lookUp(inside), (found, all): Active => {
      const { selection } = found
      if (selection._tag === "Custom") {
        return { name: undefined, type: "custom", ...found, ...detailsOf(selection.functions, all) }
      }
      const { name } = selection
      const meant = resolve(name, all.sets)
      return meant === undefined
        ? { name, type: "unknown", ...found, ...detailsOf(nothing, all), status: "empty" }
        : { name, type: meant.type, ...found, ...detailsOf(functionsOf(meant), all) }
    })

export const inactive =
  <E>(inside: Inside<E>): Manager<E>["inactive"] =>
  (conversation) =>
    Effect.zipWith(selectionOf(inside, conversation), lookUp(inside), ({ selection }, { loaded, sets }) => {
      const functions = functionsOfSelection(selection, sets)
      if (functions === undefined) return []
      const modules = modulesByFunction(sets)
      const offered = new Set(functions)
      const all = namesOf(sets).map((name) => ({ name, functions: new Set(functionsOfName(name, sets)) }))
      return [...loaded.values()]
        .filter(({ name }) => !offered.has(name))
        .map(({ description, name }) => ({
          name,
          description,
          module: modules.get(name),
          toolsets: all.filter((set) => set.functions.has(name)).map((set) => set.name)
        }))
    })

/** Without functions, of all that are loaded. */
const countsOf = (given: ReadonlyArray<string> | undefined, loaded: Known["loaded"]): Counts => {
  const functions = given ?? [...loaded.keys()]
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
