/** Groups of memories that are alike, the largest first; in a group each is alike to most of the others. */
import * as Array from "effect/Array"
import type { Memory } from "../Memory.js"
import type { Item } from "../SearchIndex.js"

interface Pair {
  readonly left: Item
  readonly right: Item
  readonly likeness: number
}

export const clustersOf = (
  pairs: ReadonlyArray<Pair>,
  groups: number,
  perGroup: number
): ReadonlyArray<ReadonlyArray<string>> => {
  const near = new Map<string, Map<string, number>>()
  const link = (from: string, to: string, likeness: number) =>
    near.set(from, (near.get(from) ?? new Map<string, number>()).set(to, likeness))
  for (const { left, likeness, right } of pairs) {
    link(left.id, right.id, likeness)
    link(right.id, left.id, likeness)
  }
  const found: Array<ReadonlyArray<string>> = []
  const taken = new Set<string>()
  // Around the one with the most neighbours; a chain of likenesses makes no group, for its ends are not alike.
  const centres = [...near].sort(([, left], [, right]) => right.size - left.size || sum(right) - sum(left))
  for (const [centre, neighbours] of centres) {
    if (taken.has(centre)) continue
    const members = [centre]
    for (const [id] of [...neighbours].sort(([, left], [, right]) => right - left)) {
      if (members.length === perGroup) break
      const alike = members.filter((member) => near.get(member)?.has(id) === true).length
      if (!taken.has(id) && alike * 2 > members.length) members.push(id)
    }
    if (members.length < 2) continue
    for (const id of members) taken.add(id)
    found.push(members)
  }
  return found.sort((left, right) => right.length - left.length).slice(0, groups)
}

const sum = (neighbours: ReadonlyMap<string, number>): number =>
  [...neighbours.values()].reduce((total, likeness) => total + likeness, 0)

/** Groups of two and more, in each the newest first. Texts that are merely alike may differ in the one word that matters. */
export const equalAmong = (memories: ReadonlyArray<Memory>): ReadonlyArray<ReadonlyArray<Memory>> =>
  Object.values(Array.groupBy(memories, textKey))
    .filter(({ length }) => length > 1)
    .map((same) => same.toSorted((left, right) => right.changed - left.changed || right.number - left.number))

const textKey = ({ name, text }: Memory): string => `${foldText(name)}\n${foldText(text)}`

const foldText = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim()
