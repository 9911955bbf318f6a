/**
 * How much a backtracking engine may have to try for a regular expression.
 * Errs on the side of caution: whether two repetitions can match the same text,
 * so that there is anything to try again, is not looked at.
 */

/** What is tried is `choices` times the text's length to the power of `degree`; each takes `width` steps. */
export interface Effort {
  readonly degree: number
  readonly choices: number
  readonly width: number
}

const nothing: Effort = { degree: 0, choices: 1, width: 0 }

/** More choices than this are exponential for all that matters. */
const maxChoices = 1_000_000

/** A group while it is read. */
interface Group {
  /** Of the alternatives before the current one. */
  degree: number
  choices: number
  width: number
  alternatives: number
  /** Of the current alternative, up to the last atom. */
  own: Effort
  /** Lookaround is not tried again: what stands at the beginning adds nothing to what follows. */
  readonly isLookaround: boolean
  aside: Effort
}

const groupOf = (isLookaround: boolean): Group => ({
  degree: 0,
  choices: 0,
  width: 0,
  alternatives: 0,
  own: nothing,
  isLookaround,
  aside: nothing
})

const both = (left: Effort, right: Effort): Effort => ({
  degree: left.degree + right.degree,
  choices: left.choices * right.choices,
  width: left.width + right.width
})

const larger = (left: Effort, right: Effort): Effort => ({
  degree: Math.max(left.degree, right.degree),
  choices: Math.max(left.choices, right.choices),
  width: left.width + right.width
})

const isStill = ({ choices, degree }: Effort): boolean => degree === 0 && choices === 1

const endAlternative = (group: Group): void => {
  const { choices, degree, width } = larger(group.own, group.aside)
  group.degree = Math.max(group.degree, degree)
  group.choices += choices
  group.width += width
  group.alternatives++
  group.own = group.aside = nothing
}

/** `undefined` where it is exponential. */
export const effortOf = (pattern: string): Effort | undefined => {
  // Escapes and classes are one character each.
  const text = pattern.replaceAll(/\\./gs, "e").replaceAll(/\[[^\]]*\]/g, "c")
  const outer: Array<Group> = []
  let group = groupOf(false)
  for (let index = 0; index < text.length;) {
    const rest = text.slice(index, index + 40)
    const opening = /^\((?:\?(?:<[A-Za-z_$][\w$]*>|[a-z-]*:|<?[=!]))?/.exec(rest)?.[0]
    if (opening !== undefined) {
      outer.push(group)
      group = groupOf(/[=!]$/.test(opening))
      index += opening.length
      continue
    }
    if (text[index] === "|") {
      endAlternative(group)
      index++
      continue
    }
    let atom: Effort = { ...nothing, width: 1 }
    let isLookaround = false
    if (text[index] === ")") {
      endAlternative(group)
      isLookaround = group.isLookaround
      atom = { degree: group.degree, choices: group.choices, width: group.width }
      // What stands behind a lookaround finds it done: however it was met, there is one way.
      if (isLookaround && atom.degree === 0) atom = { ...nothing, width: atom.choices * atom.width }
      group = outer.pop() ?? groupOf(false)
    }
    index++
    const [quantifier] = /^(?:[*+?]|\{\d+(?:,\d*)?\})?\??/.exec(text.slice(index, index + 40)) ?? [""]
    index += quantifier.length
    const effort = repeat(atom, quantifier)
    if (effort === undefined || effort.choices > maxChoices) return undefined
    if (isLookaround && isStill(group.own)) group.aside = larger(group.aside, effort)
    else group.own = both(group.own, effort)
    if (group.own.choices > maxChoices) return undefined
  }
  endAlternative(group)
  // What is not anchored is tried from each character on.
  const isAnchored = text.startsWith("^") && group.alternatives === 1
  return group.choices > maxChoices
    ? undefined
    : { degree: group.degree + (isAnchored ? 0 : 1), choices: group.choices, width: group.width }
}

const repeat = (atom: Effort, quantifier: string): Effort | undefined => {
  if (quantifier === "") return atom
  if (quantifier.startsWith("?")) return { ...atom, choices: atom.choices + 1 }
  const [, least = "0", comma, most = ""] = /^\{(\d+)(?:(,)(\d*))?\}/.exec(quantifier) ?? [undefined, "0", ","]
  const min = Number(least)
  if (comma !== undefined && most === "") return isStill(atom) ? { ...atom, degree: 1 } : undefined
  const max = comma === undefined ? min : Number(most)
  if (isStill(atom) && max - min > maxChoices) return { ...atom, degree: 1 }
  return {
    degree: atom.degree * max,
    choices: atom.choices ** max * Math.max(1, max - min + 1),
    width: atom.width * max
  }
}
