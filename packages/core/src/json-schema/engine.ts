/**
 * What checks values: ajv, which compiles a schema to a function, or an
 * interpreter where functions must not be made from text.
 */
import type { JsonSchema } from "../Json.js"
import * as JsonPointer from "../JsonPointer.js"
import type { Path } from "./keywords.js"

/** One keyword that a value does not meet. */
export interface Failure {
  readonly keyword: string
  /** The value's place. */
  readonly path: Path
  readonly stated: unknown
  readonly schema: { readonly [keyword: string]: unknown }
  readonly data: unknown
  /** The property that is missing or must not be there. */
  readonly name: string | undefined
}

export interface Engine {
  readonly isValid: (value: unknown) => boolean
  /**
   * What is wrong with a value. A union that nothing fits is one failure; what
   * is wrong by its branches is asked for with `failuresBy`.
   */
  readonly failures: (value: unknown) => ReadonlyArray<Failure>
  /** What is wrong with a value by a schema that a failure of this engine named; `undefined` where it cannot tell. */
  readonly failuresBy: (schema: unknown, value: unknown) => ReadonlyArray<Failure> | undefined
  /** What a reference inside of the document points at. */
  readonly resolve: (reference: string) => unknown
}

/** A keyword that no draft has: the value could not be checked to the end. */
export const endless = "endless"

/**
 * An engine over what checks a value by a schema. What throws at a value (one
 * nested so deeply that it overflows the stack, a recursive schema that tries one
 * without end) could not check it.
 */
export const engineOf = (
  root: JsonSchema,
  isValid: (value: unknown) => boolean,
  failuresBy: Engine["failuresBy"]
): Engine => {
  const guarded = <A>(run: () => A, otherwise: A): A => {
    try {
      return run()
    } catch {
      return otherwise
    }
  }
  const guardedFailures: Engine["failuresBy"] = (schema, value) => guarded(() => failuresBy(schema, value), undefined)
  return {
    isValid: (value) => guarded(() => isValid(value), false),
    failures: (value) =>
      guardedFailures(root, value) ?? [
        { keyword: endless, path: [], stated: undefined, schema: root, data: value, name: undefined }
      ],
    failuresBy: guardedFailures,
    resolve: (reference) => JsonPointer.schemaAt(root, reference)
  }
}

/** The value at a path, or `undefined`. */
export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    value
  )

/** How often the recursive parts of a schema are tried on one value: about 50 ms. */
export const maxSteps = 1_000_000

/** As decimals: 19.99 is a multiple of 0.01, though 19.99 / 0.01 is no whole number in JavaScript. */
export const isMultipleOf = (value: number, divisor: number): boolean => {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const one = decimalOf(value)
  const other = decimalOf(divisor)
  if (one === undefined || other === undefined) return false
  const exponent = Math.min(one.exponent, other.exponent)
  const scale = (decimal: Decimal): bigint => decimal.digits * 10n ** BigInt(decimal.exponent - exponent)
  return scale(one) % scale(other) === 0n
}

interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

/** Of the digits that JavaScript writes; `undefined` for what is not finite. */
const decimalOf = (value: number): Decimal | undefined => {
  const [, whole, fraction = "", exponent = "0"] = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  return whole === undefined
    ? undefined
    : { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}
