/**
 * Whether a value can be walked and written: schemas and values come from
 * outside, and may nest beyond the stack, contain themselves, or repeat one
 * part so often that its text would have no end.
 */

/** Some three levels of JSON for each of the 200 subschemas that the core takes inside one another. */
const maxDepth = 1_000

/** The core takes 20,000 subschemas. */
const maxValues = 1_000_000

interface Extent {
  readonly depth: number
  readonly values: number
}

const nothing: Extent = { depth: 0, values: 0 }

export const isBounded = (root: object): boolean => {
  // Without recursion, and each object once, however often it is repeated.
  const known = new Map<object, Extent>()
  const open = new Set<object>()
  const rest: Array<object> = [root]
  for (let at = rest.at(-1); at !== undefined; at = rest.at(-1)) {
    const inner: ReadonlyArray<unknown> = known.has(at) ? [] : Object.values(at)
    if (known.has(at) || open.has(at)) {
      rest.pop()
      open.delete(at)
      if (!known.has(at)) known.set(at, around(inner, known))
      continue
    }
    open.add(at)
    for (const value of inner) {
      if (typeof value !== "object" || value === null || known.has(value)) continue
      if (open.has(value)) return false
      rest.push(value)
    }
  }
  const { depth, values } = known.get(root) ?? nothing
  return depth <= maxDepth && values <= maxValues
}

const around = (inner: ReadonlyArray<unknown>, known: ReadonlyMap<object, Extent>): Extent => {
  let { depth, values } = nothing
  for (const value of inner) {
    const extent = (typeof value === "object" && value !== null ? known.get(value) : undefined) ?? nothing
    depth = Math.max(depth, extent.depth)
    values += 1 + extent.values
  }
  return { depth: depth + 1, values }
}
