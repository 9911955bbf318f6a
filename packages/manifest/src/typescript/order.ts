/** Definitions in an order in which each stands behind those that it refers to, as far as that is possible. */
import type { Definition } from "./definitions.js"
import { referencesOf } from "./Node.js"

export interface Ordered {
  readonly definition: Definition
  /** Those that are declared only behind it: references to them are suspended. */
  readonly later: ReadonlySet<string>
}

export const ordered = (definitions: ReadonlyMap<string, Definition>): ReadonlyArray<Ordered> => {
  const done = new Set<string>()
  const result: Array<Ordered> = []
  const visit = (name: string, open: ReadonlySet<string>): void => {
    const definition = definitions.get(name)
    if (done.has(name) || open.has(name) || definition === undefined) return
    const references = [...new Set(referencesOf(definition.node))]
    const within = new Set([...open, name])
    for (const reference of references) visit(reference, within)
    // A cycle of references may have come here by another way.
    if (done.has(name)) return
    result.push({ definition, later: new Set(references.filter((reference) => !done.has(reference))) })
    done.add(name)
  }
  for (const name of [...definitions.keys()].sort()) visit(name, new Set())
  return result
}
