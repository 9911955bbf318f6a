/**
 * How much a backtracking engine may have to try for a regular expression.
 * Errs on the side of caution: whether two repetitions can match the same text,
 * so that there is anything to try again, is not looked at.
 */
import { type AST, RegExpParser } from "@eslint-community/regexpp"

/** What is tried is `choices` times the text's length to the power of `degree`; each takes `width` steps. */
export interface Effort {
  readonly degree: number
  readonly choices: number
  readonly width: number
}

const nothing: Effort = { degree: 0, choices: 1, width: 0 }

/** More choices than this are exponential for all that matters. */
const maxChoices = 1_000_000

/** An engine copies what is repeated a counted number of times. */
const maxWidth = 1_000_000

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

class TooMuch extends Error {}

const parser = new RegExpParser()

const parse = (pattern: string): AST.Pattern | undefined => {
  for (const unicode of [true, false]) {
    // The parser reports by throwing; no effect is involved.
    try {
      return parser.parsePattern(pattern, 0, pattern.length, { unicode })
    } catch {
      continue
    }
  }
  return undefined
}

/** `undefined` where it is exponential, or cannot be read. */
export const effortOf = (pattern: string): Effort | undefined => {
  const parsed = parse(pattern)
  if (parsed === undefined) return undefined
  // So does what walks an expression that nests too deeply for the stack.
  try {
    const effort = ofAlternatives(parsed.alternatives)
    const [first] = parsed.alternatives
    // What is not anchored is tried from each character on.
    const start = first?.elements[0]
    const isAnchored = parsed.alternatives.length === 1 && start?.type === "Assertion" && start.kind === "start"
    return { ...effort, degree: effort.degree + (isAnchored ? 0 : 1) }
  } catch {
    return undefined
  }
}

const ofAlternatives = (alternatives: ReadonlyArray<AST.Alternative>): Effort => {
  const isOneAtMost = beginDifferently(alternatives)
  let [degree, choices, width] = [0, 0, 0]
  for (const { elements } of alternatives) {
    const one = ofElements(elements)
    degree = Math.max(degree, one.degree)
    choices = isOneAtMost ? Math.max(choices, one.choices) : choices + one.choices
    width += one.width
  }
  return check({ degree, choices, width })
}

/** Of `get|post`, one at most can match: there is nothing to try again. */
const beginDifferently = (alternatives: ReadonlyArray<AST.Alternative>): boolean => {
  const characters = alternatives.map(({ elements: [first] }) =>
    first?.type === "Character" ? first.value : undefined
  )
  return !characters.includes(undefined) && new Set(characters).size === characters.length
}

const ofElements = (elements: ReadonlyArray<AST.Element>): Effort => {
  let own = nothing
  // Lookaround is not tried again: what stands at the beginning adds nothing to what follows.
  let aside = nothing
  for (const element of elements) {
    const effort = ofElement(element)
    const { type } = element
    const isLookaround = type === "Assertion" && (element.kind === "lookahead" || element.kind === "lookbehind")
    if (isLookaround && isStill(own)) aside = larger(aside, effort)
    else own = check(both(own, effort))
  }
  return larger(own, aside)
}

const ofElement = (element: AST.Element): Effort => {
  switch (element.type) {
    case "Group":
      // Where case is put aside, `a` and `A` begin alike.
      if (element.modifiers?.add.ignoreCase === true) throw new TooMuch()
      return ofAlternatives(element.alternatives)
    case "CapturingGroup":
      return ofAlternatives(element.alternatives)
    case "Assertion": {
      if (element.kind !== "lookahead" && element.kind !== "lookbehind") return { ...nothing, width: 1 }
      const inner = ofAlternatives(element.alternatives)
      // What stands behind a lookaround finds it done: however it was met, there is one way.
      return inner.degree === 0 ? { ...nothing, width: inner.choices * inner.width } : inner
    }
    case "Backreference":
      // It is compared with as much text as its group has matched.
      return { degree: 1, choices: 1, width: 1 }
    case "Quantifier":
      return check(repeat(ofElement(element.element), element.min, element.max))
    default:
      return { ...nothing, width: 1 }
  }
}

const check = (effort: Effort): Effort => {
  if (!(effort.choices <= maxChoices && effort.width <= maxWidth)) throw new TooMuch()
  return effort
}

const repeat = (atom: Effort, min: number, max: number): Effort => {
  if (max === 1 && min === 0) return { ...atom, choices: atom.choices + 1 }
  if (max === Infinity) {
    if (!isStill(atom)) throw new TooMuch()
    return { ...atom, degree: 1, width: atom.width * Math.max(1, min) }
  }
  if (isStill(atom) && max - min > maxChoices) return { ...atom, degree: 1 }
  return {
    degree: atom.degree * max,
    choices: atom.choices ** max * Math.max(1, max - min + 1),
    width: atom.width * max
  }
}
