/** Definitions in an order in which each stands behind those that it refers to, as far as that is possible. */
import type { Definition } from "./definitions.js"
import { referencesOf } from "./Node.js"

export interface Ordered {
  readonly definition: Definition
  /**
   * References to these are suspended: those that are declared only behind it, and those that have references
   * themselves. `Schema.Struct` goes through all that is not suspended, again for each time that it stands somewhere.
   */
  readonly suspended: ReadonlySet<string>
}

export const ordered = (definitions: ReadonlyMap<string, Definition>): ReadonlyArray<Ordered> => {
  const done = new Set<string>()
  const referring = new Set<string>()
  const result: Array<Ordered> = []
  const visit = (name: string, open: ReadonlySet<string>): void => {
    const definition = definitions.get(name)
    if (done.has(name) || open.has(name) || definition === undefined) return
    const references = [...new Set(referencesOf(definition.node))]
    const within = new Set([...open, name])
    for (const reference of references) visit(reference, within)
    // A cycle of references may have come here by another way.
    if (done.has(name)) return
    result.push({
      definition,
      suspended: new Set(references.filter((other) => !done.has(other) || referring.has(other)))
    })
    if (references.length > 0) referring.add(name)
    done.add(name)
  }
  for (const name of [...definitions.keys()].sort()) visit(name, new Set())
  return result
}
