/**
 * Regular expressions of schemas from outside. JavaScript's engine backtracks:
 * a short pattern such as `^(\w+\s?)*$` takes minutes on a short text. A
 * pattern that could is run by RE2, in linear time.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type Effort, effortOf } from "./backtracking.js"
import { native } from "./native.js"

export interface Matcher {
  readonly test: (text: string) => boolean
  /** ajv takes two expressions of one text for one. */
  readonly toString: () => string
}

/**
 * - `none`: it takes linear time in any engine.
 * - `long`: it may take time in proportion to a power of the text's length.
 * - `nested`: it may take exponential time.
 */
export type Risk = "none" | "long" | "nested"

export const riskOf = (pattern: string): Risk => {
  const effort = effortOf(pattern)
  if (effort === undefined) return "nested"
  return effort.choices * effort.width <= (effort.degree === 0 ? 1_000_000 : 1_000) && effort.degree <= 1
    ? "none"
    : "long"
}

/**
 * How long a text may be for JavaScript's engine, which takes a second for it. `undefined` where no text is short
 * enough.
 */
export const longestTextFor = (pattern: string): number | undefined => {
  const effort = effortOf(pattern)
  if (effort === undefined) return undefined
  return riskOf(pattern) === "none" ? Infinity : longestWithin(longestEffort, effort)
}

/** Whether JavaScript's engine can run a pattern as it stands, on short texts at least: the interpreter has no other. */
export const isInterpretable = (pattern: string): boolean => longestTextFor(pattern) !== undefined && isUnicode(pattern)

const isUnicode = (pattern: string): boolean => {
  // The constructor reports by throwing; no effect is involved.
  try {
    new RegExp(pattern, "u")
    return true
  } catch {
    return false
  }
}

const longestEffort = 100_000_000

/** The longest text for which so many steps are enough, at some ten nanoseconds a step. */
const longestWithin = (steps: number, { choices, degree, width }: Effort): number =>
  Math.floor((steps / (choices * Math.max(1, width))) ** (1 / Math.max(1, degree)))

export type Re2 = (pattern: string) => Matcher | undefined

/** Loaded only with the first pattern that needs it. */
export const loadRe2: Effect.Effect<Re2> = Effect.map(
  Effect.promise(() => import("re2js")),
  ({ RE2JS }): Re2 => {
    const one = (pattern: string): ((text: string) => boolean) | undefined => {
      const text = asciiToEcmaScript(shortRepetitions(pattern))
      if (text === undefined) return undefined
      // RE2 has no lookaround and no backreferences, and says so by throwing.
      try {
        const compiled = RE2JS.compile(RE2JS.translateRegExp(text))
        return (text) => compiled.matcher(text).find()
      } catch {
        return undefined
      }
    }
    const inParts = (pattern: string): ((text: string) => boolean) | undefined => {
      const { lookaheads, rest } = partsOf(pattern)
      const isRest = one(rest)
      const conditions = lookaheads.map(({ isWanted, pattern }) => ({ isWanted, isMet: one(pattern) }))
      if (isRest === undefined || conditions.some(({ isMet }) => isMet === undefined)) return undefined
      const isFit = (text: string) => conditions.every(({ isMet, isWanted }) => isMet?.(text) === isWanted)
      return (text) => isFit(text) && isRest(text)
    }
    return (pattern) => {
      const tests = [inParts(pattern)]
      // Each may have a lookahead of its own.
      if (tests[0] === undefined) tests.splice(0, 1, ...alternativesOf(pattern).map(inParts))
      if (tests.includes(undefined)) return undefined
      return { test: (text) => tests.some((test) => test?.(text)), toString: () => pattern }
    }
  }
)

/** With a letter for each character of escapes and classes, whose parentheses and bars are others. */
const outline = (pattern: string): string =>
  pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, ({ length }) => "e".repeat(length))

/** `a|b` matches where `a` or `b` does. */
const alternativesOf = (pattern: string): ReadonlyArray<string> => {
  const text = outline(pattern)
  const ends: Array<number> = []
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "(") depth++
    else if (text[index] === ")") depth--
    else if (text[index] === "|" && depth === 0) ends.push(index)
  }
  return [...ends, text.length].map((end, index) => pattern.slice(index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end))
}

/** `^(?!a)b` matches where `^a` does not and `^b` does, which RE2 can tell. */
const partsOf = (pattern: string) => {
  const text = outline(pattern)
  const lookaheads: Array<{ readonly isWanted: boolean; readonly pattern: string }> = []
  let start = text.startsWith("^") ? 1 : 0
  let isAnchored = start === 1
  let depth = 0
  for (let index = start; index < text.length; index++) {
    if (text[index] === "(") depth++
    else if (text[index] === ")") depth--
    // `^a|b` is anchored in its first half only.
    else if (text[index] === "|" && depth === 0) return { lookaheads: [], rest: pattern }
    const [, sign] = /^\(\?([=!])/.exec(text.slice(start, start + 3)) ?? []
    if (depth > 0 || sign === undefined || text[index] !== ")") continue
    const body = pattern.slice(start + 3, index)
    isAnchored ||= sign === "=" && body.startsWith("^") && !body.includes("|")
    lookaheads.push({ isWanted: sign === "=", pattern: `^(?:${body})` })
    start = index + 1
  }
  return isAnchored ? { lookaheads, rest: `^(?:${pattern.slice(start)})` } : { lookaheads: [], rest: pattern }
}

/** RE2 repeats a thousand times at most: `.{0,1023}` is `.{0,1000}.{0,23}`. */
const shortRepetitions = (pattern: string): string =>
  pattern.replaceAll(repetition, (whole: string, atom: string, least = "0", comma?: string, most = least) => {
    const [min, max] = [Number(least), Number(most === "" ? least : most)]
    if (max <= 1_000 || max > 10_000 || atom === ")") return whole
    const times = (count: number, from: string) =>
      `${atom}{${from}1000}`.repeat(count / 1_000) + `${atom}{${from}${count % 1_000}}`
    return times(min, "") + (comma !== undefined && most === "" ? `${atom}*` : times(max - min, "0,"))
  })

/** A character, an escape or a class, and how often it is repeated. */
const repetition =
  /(\\(?:[up]\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|.)|\[(?:\\.|[^\]\\])*\]|.)(?:\{(\d+)(?:(,)(\d*))?\})?/gisu

/** What RE2 reads otherwise than ECMAScript: which characters are white space, and which end a line. */
const asciiToEcmaScript = (pattern: string): string | undefined => {
  let out = ""
  let isInClass = false
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] ?? ""
    if (character === "\\") {
      const escaped = pattern[++index] ?? ""
      if (escaped === "s") out += isInClass ? space : `[${space}]`
      else if (escaped === "S") {
        if (isInClass) return undefined
        out += `[^${space}]`
      } else out += character + escaped
    } else if (isInClass) {
      if (character === "]") isInClass = false
      out += character === "[" ? "\\[" : character
    } else {
      if (character === "[") isInClass = true
      out += character === "." ? "[^\\n\\r\\x{2028}\\x{2029}]" : character
    }
  }
  return out
}

const space = "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"

/** `undefined` for a pattern that cannot be run safely. */
export const matcher = (pattern: string, re2: Re2 | undefined): Matcher | undefined => {
  const fast = native(pattern)
  if (fast === undefined) return undefined
  const effort = effortOf(pattern)
  if (effort === undefined) return re2?.(pattern)
  // An engine finds out with the first text that an expression is too large for it.
  if (Either.isLeft(Either.try(() => fast.test("")))) return re2?.(pattern)
  if (riskOf(pattern) === "none") return fast
  // Short texts are fast enough in any engine; RE2 takes longer for them.
  const shortText = longestWithin(10_000_000, effort)
  // What RE2 does not know is not matched by longer texts than these.
  const longestText = longestWithin(longestEffort, effort)
  let linear: Matcher | undefined | "unknown" = "unknown"
  return {
    test: (text) => {
      if (text.length <= shortText) return fast.test(text)
      if (linear === "unknown") linear = re2?.(pattern)
      return linear === undefined ? text.length <= longestText && fast.test(text) : linear.test(text)
    },
    toString: () => pattern
  }
}
