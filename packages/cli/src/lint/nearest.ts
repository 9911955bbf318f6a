/** Tools that are described in nearly the same words. */
import type { ToolDefinition } from "@wield/core"

export interface Near {
  readonly name: string
  /** The tool that is most like it. */
  readonly other: string
  /** The words that both have, of all that one has: from 0 to 1. */
  readonly likeness: number
}

/** A word that more tools have than this tells little, and would cost much time to follow. */
const commonest = 300

/** Each pair once, by the tool that stands first. */
export const nearestTools = (
  definitions: ReadonlyArray<Pick<ToolDefinition.ToolDefinition, "name" | "description">>,
  least: number
): ReadonlyArray<Near> => {
  const words = definitions.map(({ description = "", name }) => wordsOf(`${name} ${description}`))
  const byWord = new Map<string, Array<number>>()
  for (const [index, all] of words.entries()) {
    for (const word of all) byWord.set(word, [...(byWord.get(word) ?? []), index])
  }
  return definitions.flatMap(({ name }, index) => {
    const own = words[index] ?? new Set()
    const shared = new Map<number, number>()
    for (const word of own) {
      const others = byWord.get(word) ?? []
      if (others.length > commonest) continue
      for (const other of others) if (other > index) shared.set(other, (shared.get(other) ?? 0) + 1)
    }
    let best: Near | undefined
    for (const other of shared.keys()) {
      const theirs = words[other] ?? new Set()
      const both = [...own].filter((word) => theirs.has(word)).length
      const likeness = both / (own.size + theirs.size - both)
      const otherName = definitions[other]?.name
      // Two names of a word or two say nothing: a description is missing, which is another finding.
      if (otherName === undefined || own.size < 4 || theirs.size < 4 || likeness < least) continue
      if (best === undefined || likeness > best.likeness) best = { name, other: otherName, likeness }
    }
    return best === undefined ? [] : [best]
  })
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .slice(0, 4000)
      .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 1 && !silent.has(word))
      .map(stemOf)
  )

const silent: ReadonlySet<string> = new Set(
  "a an and are as at be by can for from has have if in into is it its of on or that the this to use used will with you your".split(
    " "
  )
)

/** `orders` and `order`, `listing` and `list`: endings of English, roughly. */
const stemOf = (word: string): string => word.replace(/(?<=\p{L}{3})(?:ings?|ed|es|s)$/u, "")
