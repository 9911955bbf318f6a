/**
 * What checks values: ajv, which compiles a schema to a function, or an
 * interpreter where functions must not be made from text.
 */
import type { Path } from "./keywords.js"

/** One keyword that a value does not meet. */
export interface Failure {
  readonly keyword: string
  /** The value's place. */
  readonly path: Path
  /** What the keyword states. */
  readonly stated: unknown
  /** The schema that has the keyword. */
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

/** How often the recursive parts of a schema are tried on one value: about 50 ms. */
export const maxSteps = 1_000_000
