/** What a function gave or threw, as an answer. */
import { inspect, types } from "node:util"
import { asThrown } from "./asWritten.mjs"

/** Taken before a script can replace them: some have JSON say more than it does. */
const { isBuffer } = Buffer
const { stringify } = JSON

/** The answer for a value: by the rules of JSON, but what JSON would lose without a word is said. */
export const unreadableOr = (value) => {
  try {
    const plain = plainOf(value, "$", [])
    if (plain === undefined) return { type: "none" }
    if (typeof plain === "string") return { type: "text", text: plain }
    return { type: "value", json: `{"type":"value","value":${stringify(plain)}}` }
  } catch (error) {
    if (error instanceof Unreadable) return { type: "unreadable", detail: error.message }
    return { type: "unreadable", detail: `it cannot be written as JSON: ${nameFailure(error).detail}` }
  }
}

class Unreadable extends Error {}

const deepest = 1000

/** The same value where it is plain; a copy of it where something in it says itself otherwise. */
const plainOf = (value, path, above) => {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return value
    case "number":
      if (Number.isFinite(value)) return value
      throw new Unreadable(`${path} is ${value}, which JSON has no number for`)
    case "bigint":
      if (typeof value.toJSON === "function") return plainOf(value.toJSON(), path, above)
      throw new Unreadable(`${path} is the BigInt ${value}n; give a number or a text`)
    case "symbol":
      throw new Unreadable(`${path} is a symbol; give a text`)
    case "function":
      if (typeof value.toJSON === "function") return plainOf(value.toJSON(), path, above)
      throw new Unreadable(`${path} is a function`)
  }
  if (value === null) return null
  if (above.includes(value)) throw new Unreadable(`${path} holds itself; give what ends`)
  if (above.length > deepest) throw new Unreadable(`${path.slice(0, 100)}… nests deeper than ${deepest} levels`)
  above.push(value)
  const plain = plainObjectOf(value, path, above)
  above.pop()
  return plain
}

const plainObjectOf = (value, path, above) => {
  if (Array.isArray(value)) return plainArrayOf(value, path, above)
  if (types.isDate(value) && Number.isNaN(value.getTime())) throw new Unreadable(`${path} is an invalid Date`)
  // By its toJSON, each byte would be a number in an object: what a file was read as, without its encoding.
  if (isBuffer(value)) throw new Unreadable(`${path} is a Buffer; give its text, or an array of numbers`)
  if (typeof value.toJSON === "function") return plainOf(value.toJSON(keyOf(path)), path, above)
  const odd = oddOf(value)
  if (odd !== undefined) throw new Unreadable(`${path} is ${odd}`)
  if (types.isBoxedPrimitive(value)) return plainOf(value.valueOf(), path, above)
  if (types.isMap(value)) return plainMapOf(value, path, above)
  if (types.isSet(value)) return plainArrayOf([...value], path, above)
  if (types.isTypedArray(value)) return plainArrayOf(Array.from(value), path, above)
  let copy
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (isPlain(member) && copy === undefined) continue
    const plain = plainOf(member, isWord(key) ? `${path}.${key}` : `${path}[${stringify(key)}]`, above)
    if (plain === member && copy === undefined) continue
    copy ??= copyOf(value)
    put(copy, key, plain)
  }
  return copy ?? value
}

const plainArrayOf = (value, path, above) => {
  let copy
  for (let index = 0; index < value.length; index++) {
    const member = value[index]
    if (isPlain(member) && copy === undefined) continue
    const plain = plainOf(member, `${path}[${index}]`, above)
    if (plain === member && copy === undefined) continue
    copy ??= value.slice()
    copy[index] = plain
  }
  return copy ?? value
}

const plainMapOf = (value, path, above) => {
  const object = {}
  for (const [key, member] of value) {
    if (typeof key !== "string") throw new Unreadable(`${path} is a Map with a key that is no text`)
    put(object, key, plainOf(member, `${path}.get(${stringify(key)})`, above))
  }
  return object
}

/** Most of what results hold, told apart without naming its path. */
const isPlain = (value) =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  value === null ||
  value === undefined ||
  (typeof value === "number" && Number.isFinite(value))

/** Also where the key is `__proto__`. */
const put = (object, key, value) =>
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })

const copyOf = (value) => {
  const copy = {}
  for (const key of Object.keys(value)) put(copy, key, value[key])
  return copy
}

/** What JSON would make an empty object of. */
const oddOf = (value) => {
  if (types.isNativeError(value) || value instanceof Error) return "an Error; throw it, or give its message"
  if (types.isPromise(value)) return "a Promise; await it"
  if (types.isRegExp(value)) return "a RegExp; give its source"
  if (types.isWeakMap(value) || types.isWeakSet(value)) return "a weak collection"
  if (types.isAnyArrayBuffer(value) || types.isDataView(value)) return "bytes; give a text or an array of numbers"
  if (types.isGeneratorObject(value)) return "a generator; give an array of what it yields"
  return undefined
}

const isWord = (key) => /^[A-Za-z_$][\w$]*$/.test(key)

const keyOf = (path) => /[^.[\]"]*(?="?\]?$)/.exec(path)?.[0] ?? ""

/** The class and message of something thrown. */
export const nameFailure = (thrown) => {
  try {
    if (!(thrown instanceof Error) && !types.isNativeError(thrown)) {
      return { error: "Error", detail: typeof thrown === "string" ? thrown : inspect(thrown, { depth: 2 }) }
    }
    const own = String(thrown.name)
    // A class that extends Error keeps its name to itself unless it sets `name`.
    const error = own === "Error" ? String(thrown.constructor?.name || own) : own
    const causes = thrown instanceof AggregateError ? thrown.errors.map((cause) => nameFailure(cause).detail) : []
    return { error, detail: [String(thrown.message), ...causes].filter((text) => text !== "").join("; ") }
  } catch {
    return { error: "Error", detail: "what was thrown cannot be read" }
  }
}

const stderr = process.stderr
const { write } = stderr

/** The answer for something that a script of a folder has thrown; its stack goes where Node would print it. */
export const raised = (thrown, folder) => {
  try {
    write.call(stderr, `${inspect(thrown)}\n`)
  } catch {
    // What cannot be shown, or cannot be printed, is still answered.
  }
  const { detail, error } = nameFailure(thrown)
  return { type: "raised", error, detail: folder === undefined ? detail : asThrown(thrown, detail, folder) }
}
