/** What a name means: `all`, `none`, a module, a toolset of the user's file, a toolset of the core file. */
import type { SavedToolset } from "../ToolsetFile.js"

export interface Sets {
  readonly modules: ReadonlyMap<string, ReadonlyArray<string>>
  readonly user: ReadonlyMap<string, SavedToolset>
  readonly core: ReadonlyMap<string, SavedToolset>
}

export type Resolved =
  | { readonly type: "built-in"; readonly name: "all" | "none" }
  | { readonly type: "module"; readonly name: string; readonly functions: ReadonlyArray<string> }
  | { readonly type: "user" | "core"; readonly name: string; readonly toolset: SavedToolset }

export const builtIn: ReadonlyArray<"all" | "none"> = ["all", "none"]

/** What is on offer without being a saved set has this name, so that no set of a file can be it. */
const custom = "custom"

export const resolve = (name: string, { core, modules, user }: Sets): Resolved | undefined => {
  if (name === "all" || name === "none") return { type: "built-in", name }
  const functions = modules.get(name)
  if (functions !== undefined) return { type: "module", name, functions }
  if (name === custom) return undefined
  const own = user.get(name)
  if (own !== undefined) return { type: "user", name, toolset: own }
  const given = core.get(name)
  return given === undefined ? undefined : { type: "core", name, toolset: given }
}

/** The same each time: what is decided by it is kept by its identity. */
export const nothing: ReadonlyArray<string> = []

/** The functions that a set names; `undefined` where it is all that are loaded. */
export const functionsOf = (resolved: Resolved): ReadonlyArray<string> | undefined => {
  switch (resolved.type) {
    case "built-in":
      return resolved.name === "all" ? undefined : nothing
    case "module":
      return resolved.functions
    default:
      return resolved.toolset.functions
  }
}

/** A name that stands for nothing offers nothing. */
export const functionsOfName = (name: string, sets: Sets): ReadonlyArray<string> | undefined => {
  const resolved = resolve(name, sets)
  return resolved === undefined ? nothing : functionsOf(resolved)
}

/** Every name that means something, each once, in the order in which it is looked up. */
export const namesOf = ({ core, modules, user }: Sets): ReadonlyArray<string> => [
  ...new Set([...builtIn, ...modules.keys(), ...[...user.keys(), ...core.keys()].filter((name) => name !== custom)])
]

/** Why nothing can be saved under a name; `undefined` where it can. */
export const reservedReason = (
  name: string,
  modules: Sets["modules"]
): "built-in" | "module" | "ignored" | "empty" | undefined => {
  if (name.trim() === "") return "empty"
  if (name.startsWith("_")) return "ignored"
  if (name === custom || builtIn.some((other) => other === name)) return "built-in"
  return modules.has(name) ? "module" : undefined
}
