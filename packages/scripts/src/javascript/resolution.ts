/** What is known while the types of one function are resolved. */
import type TS from "typescript"
import { at, type Reading } from "./reading.js"
import { any, type Type } from "./type.js"

export interface Resolution {
  readonly reading: Reading
  /** The type that a node declares. Given along, for all kinds of types lead to it. */
  readonly resolve: (resolution: Resolution, node: TS.TypeNode) => Type
  /** Such as `run.city`, for problems. */
  readonly subject: string
  /** What type parameters stand for. */
  readonly bindings: ReadonlyMap<string, Type>
  /** How many values are around the one whose type is resolved. */
  readonly depth: number
  /** What all types of a function have in common. */
  readonly shared: {
    /** Named types whose resolution has begun, and at which depth. */
    readonly open: Map<string, number>
    readonly finished: Map<string, Type>
    /** Types that are referred to: those that contain themselves, and large ones. */
    readonly definitions: Map<string, Type>
    readonly recursive: Set<string>
    readonly sizes: WeakMap<Type, number>
    readonly keys: Keys
    /** How many more types may be resolved. */
    left: number
  }
}

/** Of the types that a function names, and of their parts written out. */
export const mostTypes = 20_000

/** A named type of more parts is a `$ref` wherever it is used: written out, nested doubling would fill the memory. */
export const mostInline = 500

/** Of values within values. */
export const mostDepth = 64

/** A generic type that contains itself with ever other arguments would never end. */
export const mostWithinItself = 4

export const resolutionOf = (reading: Reading, resolve: Resolution["resolve"], subject: string): Resolution => ({
  reading,
  resolve,
  subject,
  bindings: new Map(),
  depth: 0,
  shared: {
    open: new Map(),
    finished: new Map(),
    definitions: new Map(),
    recursive: new Set(),
    sizes: new WeakMap(),
    keys: makeKeys(),
    left: mostTypes
  }
})

/** For the type of a property or an item. */
export const inside = (resolution: Resolution): Resolution => ({ ...resolution, depth: resolution.depth + 1 })

export const about = (resolution: Resolution, subject: string): Resolution => ({ ...resolution, subject })

export const under = (resolution: Resolution, bindings: Resolution["bindings"]): Resolution => ({
  ...resolution,
  bindings
})

export const resolve = (resolution: Resolution, node: TS.TypeNode): Type => resolution.resolve(resolution, node)

export const warn = ({ reading, subject }: Resolution, rule: string, node: TS.Node, message: string): void =>
  reading.report.warning(rule, message, at(node, subject))

/** A type of which nothing can be said: any value is accepted, with a warning. */
export const makeUnknown = (
  resolution: Resolution,
  node: TS.Node,
  message: string,
  rule: "unknown-type" | "unsupported-type" | "missing-type" = "unknown-type"
): Type => {
  warn(resolution, rule, node, message)
  return any
}

export const makeUnsupported = (resolution: Resolution, node: TS.Node, message: string): Type =>
  makeUnknown(resolution, node, message, "unsupported-type")

/** A type that the function is not given as it is declared. */
export const lossy = (resolution: Resolution, node: TS.Node, message: string): void =>
  warn(resolution, "lossy-type", node, message)

/** The type itself, where it is a reference to one that is finished. */
export const structureOf = ({ shared }: Resolution, type: Type): Type =>
  type.kind === "reference" ? (shared.definitions.get(type.key) ?? type) : type

type Keys = (type: Type) => number

/**
 * What tells a type from another of the same name with other arguments. Written
 * out, the key of a type that holds another twice, which holds another twice, and
 * so on, would fill the memory: so equal types have one number, and a key names
 * parts by theirs.
 */
const makeKeys = (): Keys => {
  const known = new WeakMap<object, number>()
  const numbers = new Map<string, number>()
  const numberOf = (value: object): number => {
    const before = known.get(value)
    if (before !== undefined) return before
    const entries = value instanceof Map ? [...value] : Object.entries(value)
    const parts = entries.map(([name, part]) => [
      name,
      typeof part === "object" && part !== null ? [numberOf(part)] : part
    ])
    const text = JSON.stringify([Array.isArray(value), parts])
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    known.set(value, number)
    return number
  }
  return numberOf
}
