/** Which elements a page hides by its style. Text that no person sees is often written for a model. */

type Attributes = Record<string, string>

interface Verdict {
  readonly hides: boolean
  readonly isImportant: boolean
}

/** By property. A property that cannot hide is not there. */
type Verdicts = ReadonlyMap<string, Verdict>

interface Rule {
  readonly element: string | undefined
  readonly ids: ReadonlyArray<string>
  readonly classes: ReadonlyArray<string>
  readonly specificity: number
  readonly verdicts: Verdicts
}

/** Characters of one `style` or `class` attribute that are looked at. */
const longestAttribute = 1000

const mostRules = 2000

/** More than any selector's specificity: attributes hold a thousand characters. */
const aboveAll = 1_000_000

export const longestSheet = 200_000

export const makeHiding = () => {
  const rules = new Map<string, Array<Rule>>()
  let count = 0

  const verdictsOf = (element: string, attributes: Attributes): Verdicts => {
    const id = attributes["id"] ?? ""
    const classes = new Set((attributes["class"] ?? "").slice(0, longestAttribute).split(/\s+/))
    const verdicts = new Map<string, Verdict>()
    const specificities = new Map<string, number>()
    for (const rule of [`#${id}`, ...[...classes].map((name) => `.${name}`)].flatMap((key) => rules.get(key) ?? [])) {
      if (rule.element !== undefined && rule.element !== element) continue
      if (!rule.ids.every((name) => name === id) || !rule.classes.every((name) => classes.has(name))) continue
      for (const [property, verdict] of rule.verdicts) {
        const specificity = rule.specificity + (verdict.isImportant ? aboveAll : 0)
        if (specificity < (specificities.get(property) ?? 0)) continue
        specificities.set(property, specificity)
        verdicts.set(property, verdict)
      }
    }
    return verdicts
  }

  return {
    /** Takes the rules of a `style` element that have one plain selector each: `p.note`, `#top, .more`. */
    addSheet: (css: string) => {
      for (const [selectors, declarations] of rulesOf(css.slice(0, longestSheet))) {
        const verdicts = judge(declarations)
        if (verdicts.size === 0) continue
        for (const selector of selectors.split(",")) {
          const rule = ruleOf(selector.trim(), verdicts, count)
          if (rule === undefined || ++count > mostRules) continue
          const key = rule.ids.length > 0 ? `#${rule.ids[0]}` : `.${rule.classes[0]}`
          rules.set(key, [...(rules.get(key) ?? []), rule])
        }
      }
    },
    isHidden: (element: string, attributes: Attributes) => {
      if ("hidden" in attributes || attributes["aria-hidden"] === "true") return true
      if (element === "dialog" && !("open" in attributes)) return true
      const own = judge((attributes["style"] ?? "").slice(0, longestAttribute))
      const verdicts = new Map(count === 0 ? [] : verdictsOf(element, attributes))
      for (const [property, verdict] of own) {
        if (verdict.isImportant || verdicts.get(property)?.isImportant !== true) verdicts.set(property, verdict)
      }
      return [...verdicts.values()].some(({ hides }) => hides)
    }
  }
}

/** Of two rules that are as specific, the later one holds. */
const ruleOf = (selector: string, verdicts: Verdicts, order: number): Rule | undefined => {
  const [, element, rest = ""] = /^([a-z][\w-]*)?((?:[.#][\w-]+)+)$/i.exec(selector) ?? []
  if (rest === "") return undefined
  const names = (sign: string) =>
    rest
      .match(/[.#][\w-]+/g)
      ?.filter((name) => name.startsWith(sign))
      .map((name) => name.slice(1)) ?? []
  const [ids, classes] = [names("#"), names(".")]
  return {
    element: element?.toLowerCase(),
    ids,
    classes,
    specificity: ids.length * 100 + classes.length * 10 + (element === undefined ? 0 : 1) + order / (2 * mostRules),
    verdicts
  }
}

/** The rules outside of `@media` and other conditions. */
const rulesOf = (css: string): ReadonlyArray<readonly [selectors: string, declarations: string]> => {
  const found: Array<readonly [string, string]> = []
  const text = withoutComments(css)
  let depth = 0
  let from = 0
  let selectors = ""
  for (const { 0: sign, index } of text.matchAll(/[{};]/g)) {
    if (sign === ";") {
      // `@import …;` and `@charset …;` stand before the first rule.
      if (depth === 0) from = index + 1
      continue
    }
    if (sign === "{") {
      if (depth === 0) selectors = text.slice(from, index).trim()
      depth++
      if (depth === 1) from = index + 1
      continue
    }
    if (depth === 0) continue
    depth--
    if (depth > 0) continue
    if (!selectors.startsWith("@")) found.push([selectors, text.slice(from, index)])
    from = index + 1
  }
  return found
}

const withoutComments = (css: string): string => css.replace(/\/\*[^]*?(?:\*\/|$)/g, "")

const judge = (declarations: string): Verdicts => {
  const styles = new Map<string, string>()
  const important = new Set<string>()
  for (const declaration of unescape(withoutComments(declarations)).split(";")) {
    const at = declaration.indexOf(":")
    if (at === -1) continue
    const property = declaration.slice(0, at).trim().toLowerCase()
    const written = declaration.slice(at + 1)
    const value = written.replace(/!\s*important/i, "")
    if (value !== written) important.add(property)
    else if (important.has(property)) continue
    styles.set(property, value.trim().toLowerCase())
  }
  const verdicts = new Map<string, Verdict>()
  for (const [property, value] of styles) {
    const hides = hidesBy.get(property)
    if (hides === undefined) continue
    verdicts.set(property, { hides: hides(value, styles), isImportant: important.has(property) })
  }
  return verdicts
}

/** `d\69 splay` is `display`. */
const unescape = (css: string): string =>
  css.replace(/\\(?:([\da-f]{1,6})\s?|([^\n]))/gi, (_, digits: string | undefined, sign: string | undefined) => {
    const code = Number.parseInt(digits ?? "", 16)
    return sign ?? (code <= 0x10ffff ? String.fromCodePoint(code) : "")
  })

type Hides = (value: string, styles: ReadonlyMap<string, string>) => boolean

const isNothing: Hides = (value) => Number.parseFloat(value) === 0

const isFarAway: Hides = (value) => /^-(?:\d{4,}|999)/.test(value)

/** So little of it that no person reads it. */
const isFaint: Hides = (value) => Number.parseFloat(value) < (value.endsWith("%") ? 5 : 0.05)

/** Without room, and with nothing shown outside of it. */
const isEmpty: Hides = (value, styles) =>
  (isNothing(value, styles) || /^1(?:\.\d+)?px$/.test(value)) &&
  /hidden|clip/.test(styles.get("overflow") ?? styles.get("overflow-y") ?? "")

/** What a script is to fade or move in as the page is read is part of it. */
const isMoved = (styles: ReadonlyMap<string, string>): boolean =>
  ["transform", "transition", "animation", "will-change", "translate"].some((property) => styles.has(property))

const of = (hides: Hides, properties: string): ReadonlyArray<readonly [string, Hides]> =>
  properties.split(" ").map((property) => [property, hides])

const hidesBy: ReadonlyMap<string, Hides> = new Map([
  ...of(isFarAway, "text-indent left right top bottom margin-left margin-top"),
  ...of(isEmpty, "height width max-height max-width"),
  ...Object.entries<Hides>({
    display: (value) => value === "none",
    visibility: (value) => value === "hidden" || value === "collapse",
    "content-visibility": (value) => value === "hidden",
    opacity: (value, styles) => isFaint(value, styles) && !isMoved(styles),
    filter: (value, styles) => {
      const [, opacity] = /opacity\(\s*([\d.]+%?)\s*\)/.exec(value) ?? []
      return opacity !== undefined && isFaint(opacity, styles) && !isMoved(styles)
    },
    "font-size": (value, styles) => isNothing(value, styles) || /^[01](?:\.\d+)?(?:px|pt)$/.test(value),
    color: (value, styles) =>
      value === "transparent" ||
      /^(?:rgb|hsl)a?\(.*[,/]\s*0(?:\.0+)?%?\s*\)$/.test(value) ||
      value === (styles.get("background-color") ?? styles.get("background")),
    clip: (value) => /^rect\((?:\s*[01](?:px)?[\s,]*){4}\)$/.test(value),
    "clip-path": (value) => /^(?:inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0)/.test(value),
    transform: (value) => /scale[xy]?\(\s*0\s*[,)]/.test(value)
  })
])
