/**
 * Proves that one JSON Schema accepts every value that another one accepts. What it cannot prove it denies, so that a
 * caller may rely on a yes.
 *
 * The narrower schema is read as its callers read it: where it says nothing of additional properties, a value has the
 * declared ones only. The wider one is read as written.
 *
 * The file is long because one proof has a case for each keyword, and the cases call each other.
 */
import * as JsonPointer from "@wield/core/JsonPointer"
import * as Json from "@wield/core/Json"
import * as Pattern from "@wield/core/Pattern"

type Conjunct = boolean | { readonly [keyword: string]: unknown }

/** What must all hold of one value. */
type Conjuncts = ReadonlyArray<Conjunct>

type Side = "narrow" | "wide"

/** Stands for what is not understood: nothing is known of the values that it accepts. */
const opaque: Conjunct = { $opaque: true }

const largestWork = 20_000
const largestDepth = 60

/** Proofs over two documents with their definitions. */
export class Inclusion {
  readonly #roots: { readonly [side in Side]: unknown }
  readonly #hasSameDefinitions: boolean
  readonly #ids = new WeakMap<object, number>()
  #lastId = 0
  #work = 0
  #depth = 0
  /** Pairs that are being proved, or were: met again below themselves they hold, as values are finite. */
  #assumed: Array<string> = []

  constructor(narrow: unknown, wide: unknown) {
    this.#roots = { narrow, wide }
    this.#hasSameDefinitions = Json.canonical(definitionsOf(narrow)) === Json.canonical(definitionsOf(wide))
  }

  /** Whether the wide document is proved to accept all that the narrow one accepts. */
  holds(): boolean {
    return this.includes(this.#roots.narrow, this.#roots.wide)
  }

  /** The same of a part of each. */
  includes(narrow: unknown, wide: unknown): boolean {
    return this.#included([narrow], wide)
  }

  #idOf(schema: unknown): string {
    if (typeof schema !== "object" || schema === null) return String(schema)
    const id = this.#ids.get(schema) ?? ++this.#lastId
    this.#ids.set(schema, id)
    return String(id)
  }

  #resolve(side: Side, reference: unknown): unknown {
    if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return undefined
    return JsonPointer.at(this.#roots[side], reference)
  }

  #flatten(side: Side, schema: unknown, seen: ReadonlyArray<unknown> = []): Conjuncts {
    if (typeof schema === "boolean") return [schema]
    const isUnclear =
      !Json.isObject(schema) || seen.includes(schema) || (schema !== this.#roots[side] && "$id" in schema)
    if (isUnclear) return side === "narrow" ? [] : [opaque]
    const { $ref, allOf, ...own } = schema
    const path = [...seen, schema]
    const referred = $ref === undefined ? [] : this.#flatten(side, this.#resolve(side, $ref), path)
    const all = Array.isArray(allOf) ? allOf.flatMap((one) => this.#flatten(side, one, path)) : []
    // Older drafts ignore what stands beside a reference: of the narrower schema, it is not relied on.
    const isIgnored = side === "narrow" && $ref !== undefined
    return isIgnored ? referred : [own, ...referred, ...all]
  }

  /** Of a part of both: the schemas that the part's value meets, and one that it has to meet. */
  #included(narrow: ReadonlyArray<unknown>, wide: unknown): boolean {
    if (wide === true || wide === undefined) return true
    const key = `${narrow.map((one) => this.#idOf(one)).join("&")}<${this.#idOf(wide)}`
    if (this.#assumed.includes(key)) return true
    const before = this.#assumed.length
    this.#assumed.push(key)
    const holds = this.#includedHere(
      narrow.flatMap((schema) => this.#flatten("narrow", schema)),
      wide
    )
    // What was proved by an assumption that does not hold is not proved.
    if (!holds) this.#assumed = this.#assumed.slice(0, before)
    return holds
  }

  #includedHere(narrow: Conjuncts, wide: unknown): boolean {
    if (++this.#work > largestWork || this.#depth > largestDepth) return false
    this.#depth++
    const holds = narrow.includes(false) || this.#flatten("wide", wide).every((one) => this.#implied(narrow, one))
    this.#depth--
    return holds
  }

  #implied(narrow: Conjuncts, wide: Conjunct): boolean {
    if (typeof wide === "boolean") return wide
    if (Object.keys(wide).every((keyword) => this.#holdsKeyword(narrow, wide, keyword))) return true
    const cases = this.#casesOf(narrow)
    return cases !== undefined && cases.every((one) => one.includes(false) || this.#includedHere(one, wide))
  }

  /** The alternatives that a schema leaves: branches, types, values. */
  #casesOf(narrow: Conjuncts): ReadonlyArray<Conjuncts> | undefined {
    for (const [index, one] of narrow.entries()) {
      if (typeof one === "boolean") continue
      const others = narrow.filter((_, other) => other !== index)
      for (const keyword of ["anyOf", "oneOf"]) {
        const { [keyword]: branches, ...rest } = one
        if (Array.isArray(branches)) {
          return branches.map((branch) => [...others, rest, ...this.#flatten("narrow", branch)])
        }
      }
      const { enum: values, type, ...rest } = one
      if (Array.isArray(type) && type.length > 1) return type.map((each) => [...others, { ...one, type: each }])
      if (Array.isArray(values) && values.length > 1 && values.length <= 200) {
        const typed = type === undefined ? rest : { ...rest, type }
        return values.map((value: unknown) => [...others, { ...typed, const: value }])
      }
    }
    return undefined
  }

  #holdsKeyword(narrow: Conjuncts, wide: Exclude<Conjunct, boolean>, keyword: string): boolean {
    const value = wide[keyword]
    const about = typeOfKeyword[keyword]
    const types = typesOf(narrow)
    if (about !== undefined && types !== undefined && !about.some((type) => types.has(type))) return true
    const values = valuesOf(narrow)
    switch (keyword) {
      case "type": {
        const accepted = new Set(toList(value))
        return (
          types !== undefined &&
          [...types].every((type) => accepted.has(type) || (type === "integer" && accepted.has("number")))
        )
      }
      case "const":
      case "enum": {
        const accepted = new Set((keyword === "const" ? [value] : toList(value)).map(Json.canonical))
        return values !== undefined && values.every((one) => accepted.has(Json.canonical(one)))
      }
      case "minimum":
      case "exclusiveMinimum":
      case "maximum":
      case "exclusiveMaximum":
        return holdsBound(narrow, values, keyword, value)
      case "multipleOf":
        return (
          isNumber(value) && (everyNumber(values, (one) => isMultiple(one, value)) || divides(narrow, value, types))
        )
      case "minLength":
      case "minItems":
        return (
          isNumber(value) &&
          (value <= 0 || greatest(narrow, keyword) >= value || everyLength(values, (length) => length >= value))
        )
      case "maxLength":
      case "maxItems":
        return isNumber(value) && (least(narrow, keyword) <= value || everyLength(values, (length) => length <= value))
      case "minProperties":
        return isNumber(value) && Math.max(greatest(narrow, keyword), requiredOf(narrow).size) >= value
      case "maxProperties":
        return (
          isNumber(value) &&
          Math.min(least(narrow, keyword), isOpen(narrow) ? Infinity : declaredOf(narrow).size) <= value
        )
      case "uniqueItems":
        return value !== true || narrow.some((one) => Json.isObject(one) && one["uniqueItems"] === true)
      case "pattern":
      case "format":
        return narrow.some((one) => Json.isObject(one) && one[keyword] === value)
      case "required": {
        const required = requiredOf(narrow)
        return toList(value).every((name) => required.has(String(name)))
      }
      case "properties":
        return (
          Json.isObject(value) &&
          Object.entries(value).every(([name, schema]) => this.#included(propertyOf(narrow, name), schema))
        )
      case "additionalProperties":
        return this.#holdsAdditional(narrow, wide, value)
      case "patternProperties":
        return (
          Json.isObject(value) &&
          Object.entries(value).every(([pattern, schema]) => this.#holdsPattern(narrow, pattern, schema))
        )
      case "propertyNames":
        return (
          this.#isEqualGroup(narrow, wide, ["propertyNames"]) ||
          (!isOpen(narrow) && [...declaredOf(narrow)].every((name) => this.#included([{ const: name }], value)))
        )
      case "dependentRequired":
        return (
          this.#isEqualGroup(narrow, wide, ["dependentRequired"]) ||
          (Json.isObject(value) &&
            Object.entries(value).every(
              ([name, needed]) =>
                propertyOf(narrow, name).includes(false) ||
                toList(needed).every((one) => requiredOf(narrow).has(String(one)))
            ))
        )
      case "items":
      case "prefixItems":
      case "additionalItems":
        return this.#holdsItems(narrow, wide)
      case "anyOf":
        return Array.isArray(value) && value.some((branch) => this.#includedHere(narrow, branch))
      case "oneOf":
        return (
          this.#isEqualGroup(narrow, wide, ["oneOf"]) ||
          (Array.isArray(value) &&
            this.#areDisjoint(value) &&
            value.some((branch) => this.#includedHere(narrow, branch)))
        )
      case "if":
      case "then":
      case "else":
        return this.#isEqualGroup(narrow, wide, ["if", "then", "else"])
      case "contains":
      case "minContains":
      case "maxContains":
        return this.#isEqualGroup(narrow, wide, ["contains", "minContains", "maxContains"])
      case "not":
      case "dependencies":
      case "dependentSchemas":
        return this.#isEqualGroup(narrow, wide, [keyword])
      case "unevaluatedProperties":
      case "unevaluatedItems":
        // They depend on everything beside them.
        return value === true || this.#isEqualGroup(narrow, wide, Object.keys(wide))
      case "$opaque":
      case "$dynamicRef":
      case "$recursiveRef":
        return false
      default:
        // Annotations, and words that no draft knows, refuse nothing.
        return true
    }
  }

  /** The same words in both, and what they refer to is the same. */
  #isEqualGroup(narrow: Conjuncts, wide: Exclude<Conjunct, boolean>, keywords: ReadonlyArray<string>): boolean {
    const of = (one: Exclude<Conjunct, boolean>) => Json.canonical(keywords.map((keyword) => one[keyword] ?? null))
    const text = of(wide)
    return (
      narrow.some((one) => typeof one !== "boolean" && of(one) === text) &&
      (this.#hasSameDefinitions || !/"\$(?:ref|dynamicRef|recursiveRef)"/.test(text))
    )
  }

  #holdsAdditional(narrow: Conjuncts, wide: Exclude<Conjunct, boolean>, schema: unknown): boolean {
    const properties = Json.isObject(wide["properties"]) ? wide["properties"] : {}
    const patterns = Json.isObject(wide["patternProperties"]) ? Object.keys(wide["patternProperties"]) : []
    const isCovered = (name: string) =>
      Object.hasOwn(properties, name) || patterns.some((pattern) => Pattern.matches(pattern, name) === true)
    return (
      [...declaredOf(narrow)].every((name) => isCovered(name) || this.#included(propertyOf(narrow, name), schema)) &&
      patternsOf(narrow).every(([pattern, one]) => patterns.includes(pattern) || this.#included([one], schema)) &&
      (!isExplicitlyOpen(narrow) || this.#included(additionalOf(narrow), schema))
    )
  }

  #holdsPattern(narrow: Conjuncts, pattern: string, schema: unknown): boolean {
    const own = patternsOf(narrow)
    return (
      [...declaredOf(narrow)].every(
        (name) => Pattern.matches(pattern, name) === false || this.#included(propertyOf(narrow, name), schema)
      ) &&
      own.every(([, one]) => this.#included([one], schema)) &&
      (!isExplicitlyOpen(narrow) ||
        own.some(([other]) => other === pattern) ||
        this.#included(additionalOf(narrow), schema))
    )
  }

  #holdsItems(narrow: Conjuncts, wide: Exclude<Conjunct, boolean>): boolean {
    const own = narrow.flatMap((one) => (typeof one === "boolean" ? [] : [itemsOf(one)]))
    const other = itemsOf(wide)
    const count = Math.max(other.first.length, ...own.map(({ first }) => first.length))
    const most = least(narrow, "maxItems")
    const at = ({ first, rest }: Items, index: number) => (index < first.length ? first[index] : rest)
    const ofNarrow = (index: number) => own.map((one) => at(one, index)).filter((schema) => schema !== undefined)
    return (
      Array.from({ length: Math.min(count, most) }, (_, index) => index).every((index) =>
        this.#included(ofNarrow(index), at(other, index))
      ) &&
      (count >= most || this.#included(ofNarrow(count), other.rest))
    )
  }

  /** No value is of two branches, as far as types, constants and required properties tell. */
  #areDisjoint(branches: ReadonlyArray<unknown>): boolean {
    return branches.every((left, index) => branches.slice(index + 1).every((right) => this.#isDisjoint(left, right, 0)))
  }

  #isDisjoint(left: unknown, right: unknown, level: number): boolean {
    if (level > 4) return false
    const [one, other] = [this.#flatten("wide", left), this.#flatten("wide", right)]
    const [types, otherTypes] = [typesOf(one), typesOf(other)]
    const overlaps = (type: string) =>
      otherTypes === undefined ||
      otherTypes.has(type) ||
      (type === "integer" && otherTypes.has("number")) ||
      (type === "number" && otherTypes.has("integer"))
    if (types !== undefined && otherTypes !== undefined && ![...types].some(overlaps)) return true
    const [values, otherValues] = [valuesOf(one), valuesOf(other)]
    if (values !== undefined && otherValues !== undefined) {
      const known = new Set(otherValues.map(Json.canonical))
      if (!values.some((value) => known.has(Json.canonical(value)))) return true
    }
    const isObject = (all: ReadonlySet<string> | undefined) => all?.size === 1 && all.has("object")
    if (!isObject(types) || !isObject(otherTypes)) return false
    const shared = [...requiredOf(one)].filter((name) => requiredOf(other).has(name))
    return shared.some((name) => {
      const [mine, others] = [schemasOf(one, name), schemasOf(other, name)]
      return mine.some((a) => others.some((b) => this.#isDisjoint(a, b, level + 1)))
    })
  }
}

const definitionsOf = (root: unknown): unknown =>
  Json.isObject(root) ? [root["$defs"] ?? null, root["definitions"] ?? null] : null

const isNumber = (value: unknown): value is number => typeof value === "number"

const toList = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

/** The types of values that a keyword is about. */
const typeOfKeyword: { readonly [keyword: string]: ReadonlyArray<string> | undefined } = Object.assign(
  Object.create(null),
  Object.fromEntries([
    ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"].map((name) => [
      name,
      ["number", "integer"]
    ]),
    ...["minLength", "maxLength", "pattern"].map((name) => [name, ["string"]]),
    ...[
      "minItems",
      "maxItems",
      "uniqueItems",
      "items",
      "prefixItems",
      "additionalItems",
      "contains",
      "unevaluatedItems"
    ].map((name) => [name, ["array"]]),
    ...[
      "properties",
      "required",
      "additionalProperties",
      "patternProperties",
      "propertyNames",
      "minProperties",
      "maxProperties",
      "dependentRequired",
      "dependentSchemas",
      "dependencies",
      "unevaluatedProperties"
    ].map((name) => [name, ["object"]])
  ])
)

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return Number.isInteger(value) ? "integer" : typeof value
}

/** The types that are left; `undefined` for any. */
const typesOf = (all: Conjuncts): ReadonlySet<string> | undefined => {
  let types: ReadonlySet<string> | undefined
  const restrict = (given: ReadonlyArray<string>) => {
    const next = new Set(given)
    types =
      types === undefined
        ? next
        : new Set(
            [...types].flatMap((type) => {
              if (next.has(type) || (type === "integer" && next.has("number"))) return [type]
              return type === "number" && next.has("integer") ? ["integer"] : []
            })
          )
  }
  for (const one of all) {
    if (typeof one === "boolean") continue
    if (one["type"] !== undefined) restrict(toList(one["type"]).map(String))
    if ("const" in one) restrict([typeOf(one["const"])])
    if (Array.isArray(one["enum"])) restrict(one["enum"].map(typeOf))
  }
  return types
}

/** The values that are left, where they are listed. */
const valuesOf = (all: Conjuncts): ReadonlyArray<unknown> | undefined => {
  for (const one of all) {
    if (typeof one === "boolean") continue
    if ("const" in one) return [one["const"]]
    if (Array.isArray(one["enum"])) return one["enum"]
  }
  const types = typesOf(all)
  if (types === undefined || types.size === 0) return undefined
  const listed = [...types].map((type) => (type === "boolean" ? [true, false] : type === "null" ? [null] : undefined))
  return listed.every((values) => values !== undefined) ? listed.flat() : undefined
}

const numbersOf = (all: Conjuncts, keyword: string): ReadonlyArray<number> =>
  all.flatMap((one) => {
    const value = typeof one === "boolean" ? undefined : one[keyword]
    return isNumber(value) ? [value] : []
  })

const greatest = (all: Conjuncts, keyword: string): number => Math.max(-Infinity, ...numbersOf(all, keyword))
const least = (all: Conjuncts, keyword: string): number => Math.min(Infinity, ...numbersOf(all, keyword))

const everyNumber = (values: ReadonlyArray<unknown> | undefined, holds: (value: number) => boolean): boolean =>
  values !== undefined && values.every((value) => !isNumber(value) || holds(value))

const everyLength = (values: ReadonlyArray<unknown> | undefined, holds: (length: number) => boolean): boolean =>
  values !== undefined &&
  values.every((value) => {
    if (typeof value === "string") return holds([...value].length)
    return !Array.isArray(value) || holds(value.length)
  })

const holdsBound = (
  all: Conjuncts,
  values: ReadonlyArray<unknown> | undefined,
  keyword: string,
  bound: unknown
): boolean => {
  if (!isNumber(bound)) return false
  const isLower = keyword.endsWith("inimum")
  const isExclusive = keyword.startsWith("exclusive")
  const sign = isLower ? 1 : -1
  const meets = (value: number) => (isExclusive ? sign * value > sign * bound : sign * value >= sign * bound)
  if (everyNumber(values, meets)) return true
  const [plain, exclusive] = isLower
    ? [greatest(all, "minimum"), greatest(all, "exclusiveMinimum")]
    : [least(all, "maximum"), least(all, "exclusiveMaximum")]
  return meets(plain) && Number.isFinite(plain) ? true : Number.isFinite(exclusive) && sign * exclusive >= sign * bound
}

const isMultiple = (value: number, of: number): boolean => of !== 0 && Number.isInteger(value / of)

const divides = (all: Conjuncts, of: number, types: ReadonlySet<string> | undefined): boolean =>
  numbersOf(all, "multipleOf").some((own) => Number.isInteger(own) && Number.isInteger(of) && isMultiple(own, of)) ||
  numbersOf(all, "multipleOf").includes(of) ||
  (of === 1 && types !== undefined && !types.has("number"))

const requiredOf = (all: Conjuncts): ReadonlySet<string> =>
  new Set(all.flatMap((one) => (typeof one === "boolean" ? [] : toList(one["required"]).map(String))))

const recordOf = (one: Conjunct, keyword: string): { readonly [name: string]: unknown } => {
  const value = typeof one === "boolean" ? undefined : one[keyword]
  return Json.isObject(value) ? value : {}
}

const declaredOf = (all: Conjuncts): ReadonlySet<string> =>
  new Set(all.flatMap((one) => Object.keys(recordOf(one, "properties"))))

const patternsOf = (all: Conjuncts): ReadonlyArray<readonly [string, unknown]> =>
  all.flatMap((one) => Object.entries(recordOf(one, "patternProperties")))

const statedAdditional = (all: Conjuncts): ReadonlyArray<unknown> =>
  all.flatMap((one) =>
    typeof one === "boolean" || one["additionalProperties"] === undefined ? [] : [one["additionalProperties"]]
  )

/** An object that declares nothing is one of any properties. */
const additionalOf = (all: Conjuncts): ReadonlyArray<unknown> => {
  const stated = statedAdditional(all)
  const isFreeForm =
    stated.length === 0 &&
    !all.some((one) => typeof one !== "boolean" && ("properties" in one || "patternProperties" in one))
  return isFreeForm ? [true] : stated
}

/** Says that other properties may be there, and means it. */
const isExplicitlyOpen = (all: Conjuncts): boolean => {
  const additional = additionalOf(all)
  return additional.length > 0 && !additional.includes(false)
}

const isOpen = (all: Conjuncts): boolean => isExplicitlyOpen(all) || patternsOf(all).length > 0

const schemasOf = (all: Conjuncts, name: string): ReadonlyArray<unknown> =>
  all.flatMap((one) => {
    const properties = recordOf(one, "properties")
    return Object.hasOwn(properties, name) ? [properties[name]] : []
  })

/** What a property meets; `false` where there cannot be one. */
const propertyOf = (all: Conjuncts, name: string): ReadonlyArray<unknown> => {
  const found = all.flatMap((one): ReadonlyArray<unknown> => {
    if (typeof one === "boolean") return []
    const own = schemasOf([one], name)
    const patterns = patternsOf([one]).map(([pattern, schema]) => ({ schema, matched: Pattern.matches(pattern, name) }))
    const matched = patterns.filter((each) => each.matched === true).map(({ schema }) => schema)
    if (own.length + matched.length > 0) return [...own, ...matched]
    // A pattern that cannot be read may be about this name.
    if (patterns.some((each) => each.matched === undefined)) return [true]
    return statedAdditional([one])
  })
  if (found.length > 0) return found
  return additionalOf(all).length > 0 ? additionalOf(all) : [false]
}

interface Items {
  readonly first: ReadonlyArray<unknown>
  readonly rest: unknown
}

const itemsOf = (one: Exclude<Conjunct, boolean>): Items => {
  const { additionalItems, items, prefixItems } = one
  if (Array.isArray(items)) return { first: items, rest: additionalItems }
  return { first: Array.isArray(prefixItems) ? prefixItems : [], rest: items }
}
