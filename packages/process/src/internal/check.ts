/** Options without their types, as plain JavaScript gives them: a limit that is misspelt, or no number, would limit nothing. */
export interface Kind {
  readonly expected: string
  readonly isRight: (given: unknown) => boolean
}

const isText = (given: unknown): boolean => typeof given === "string"
const isWhole = (given: unknown, least: number, most: number): boolean =>
  Number.isInteger(given) && Number(given) >= least && Number(given) <= most

export const aText: Kind = { expected: "a text", isRight: isText }
export const aName: Kind = { expected: "a text that is not empty", isRight: (given) => isText(given) && given !== "" }
export const texts: Kind = {
  expected: "an array of texts",
  isRight: (given) => Array.isArray(given) && given.every(isText)
}
export const aLimit: Kind = {
  expected: "a number of at least 0",
  isRight: (given) => typeof given === "number" && given >= 0
}
export const aCount: Kind = {
  expected: "a whole number of at least 1",
  isRight: (given) => isWhole(given, 1, Infinity)
}
/** A timer of Node takes what is longer for a millisecond. */
export const milliseconds: Kind = {
  expected: "a whole number of milliseconds from 0 to 2147483647",
  isRight: (given) => isWhole(given, 0, 2_147_483_647)
}
export const aFunction: Kind = { expected: "a function", isRight: (given) => typeof given === "function" }
/** What has no fields of its own, such as a Map or a promise, would give a program nothing. */
const variables: Kind = {
  expected: "an object of texts",
  isRight: (given) =>
    isObject(given) && Object.values(given).every((value) => value === undefined || typeof value === "string")
}
export const anObject: Kind = { expected: "an object", isRight: (given) => isObject(given) }

const isObject = (given: unknown): given is object =>
  typeof given === "object" && given !== null && !("then" in given) && !(Symbol.iterator in given)

export const oneOf = (...words: ReadonlyArray<string>): Kind => ({
  expected: words.map((word) => JSON.stringify(word)).join(" or "),
  isRight: (given) => words.some((word) => word === given)
})

/** What each program is started with. */
export const program = { command: aName, arguments: texts, environment: variables, workingDirectory: aName }

/** Throws a `TypeError` that names the first that is wrong; `whole` is what they are options of. `undefined` is absent. */
export const checkOptions = (
  whole: string,
  kinds: { readonly [name: string]: Kind },
  given: unknown,
  required: ReadonlyArray<string> = []
): void => {
  const prototype: unknown = isObject(given) ? Object.getPrototypeOf(given) : undefined
  // An instance of a class has not all that it says in fields of its own.
  if (!isObject(given) || (prototype !== null && Object.getPrototypeOf(prototype) !== null)) {
    throw new TypeError(`${whole} must be an object with ${required.join(", ")}`)
  }
  const known = Object.entries(kinds)
  const unknown = Object.entries(given).find(([name, value]) => value !== undefined && !Object.hasOwn(kinds, name))
  if (unknown !== undefined) {
    throw new TypeError(`${whole} has no option ${unknown[0]}; there are ${Object.keys(kinds).join(", ")}`)
  }
  for (const [name, kind] of known) {
    const value: unknown = Reflect.get(given, name)
    if (value !== undefined || required.includes(name)) check(`${whole} is wrong: ${name}`, kind, value)
  }
}

export const check = (what: string, { expected, isRight }: Kind, given: unknown): void => {
  if (!isRight(given)) throw new TypeError(`${what} must be ${expected}`)
}
