/**
 * A schema as two functions, decode and encode, made once per tool. Each
 * answers at once (an `Either`) unless the schema itself is effectful.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as SchemaTree from "../SchemaTree.js"
import { compile, type Compiled } from "../compiler/compile.js"
import { type Direction, type Excess, failed } from "../compiler/Emitter.js"
import type { Issue } from "../Issue.js"
import { issuesOf } from "./issuesOf.js"
import { reporter } from "./reporter.js"

/** Issues that are worked out when they are read. */
export type LazyIssues = () => ReadonlyArray<Issue>

/** An `Either` where the schema is synchronous, another effect where it is not. */
export interface Convert {
  (input: unknown): Effect.Effect<unknown, LazyIssues>
  /** The same as two functions, where there is generated code. */
  readonly generated?: Generated
}

/** What the generated code says, and what says the rest. */
export interface Generated {
  /** The value, or `failed` where it could not be shown to be valid. */
  readonly attempt: (input: unknown) => unknown
  readonly otherwise: Convert
}

export { failed }

/**
 * A schema's requirements are part of its tool's requirements, which the
 * toolset's type carries; here they are erased.
 */
type Erased = Effect.Effect<unknown, SchemaTree.Problem>

/** The interpreter is made at the first input that it has to answer for: most never come to it. */
const interpretLazily = (make: () => (input: unknown) => Erased): Convert => {
  let convert: ((input: unknown) => Erased) | undefined
  return (input) => {
    convert ??= make()
    const result = convert(input)
    if (Either.isEither(result)) {
      // `isEither` narrows to an Either of unknown types.
      const either = result as Either.Either<unknown, SchemaTree.Problem>
      if (Either.isLeft(either)) return Either.left(() => issuesOf(either.left))
      // A Right holds no left value, so its left type may be any.
      return either as unknown as Either.Either<unknown, LazyIssues>
    }
    return Effect.mapError(result, (issue) => () => issuesOf(issue))
  }
}

/**
 * Generated code answers for what it can show to be valid, the interpreter for
 * the rest. It is generated at the first call: many tools are never called.
 */
const compileLazily = (ast: SchemaTree.Node, direction: Direction, excess: Excess, otherwise: Convert): Convert => {
  let fast: Compiled | undefined
  const attempt = (input: unknown): unknown => {
    fast ??= Option.getOrElse(compile(ast, direction, excess), () => () => failed)
    return tryFast(fast, input)
  }
  const convert = (input: unknown) => {
    const value = attempt(input)
    return value === failed ? otherwise(input) : Either.right(value)
  }
  return Object.assign(convert, { generated: { attempt, otherwise } })
}

/** What throws here throws in the interpreter too, unless it can be said what is wrong. No effect is involved. */
const tryFast = (fast: Compiled, input: unknown): unknown => {
  try {
    return fast(input)
  } catch {
    return failed
  }
}

export const decoder = (schema: Schema.Schema.All, excess: Excess): Convert => {
  const parse = () =>
    // The services of a tool's schema are in its own type.
    SchemaTree.decode(schema as Schema.Schema<unknown>, { errors: "all", onExcessProperty: excess })
  // Its result is read by its tag only.
  return reportFirst(schema.ast, excess, interpretLazily(parse as () => (input: unknown) => Erased))
}

/** Generated code first; then what is wrong, if that is plain to see; then the interpreter. */
const reportFirst = (ast: SchemaTree.Node, excess: Excess, otherwise: Convert): Convert => {
  let report: ReturnType<typeof reporter> | undefined
  return compileLazily(ast, "decode", excess, (input) => {
    report ??= reporter(ast, excess)
    const issues = report(input)
    return issues.length > 0 ? Either.left(() => issues) : otherwise(input)
  })
}

export const encoder = (schema: Schema.Schema.All): Convert => {
  // As for decoding.
  const parse = () => SchemaTree.encode(schema as Schema.Schema<unknown>, { errors: "all" })
  // As for decoding.
  return compileLazily(schema.ast, "encode", "ignore", interpretLazily(parse as () => (input: unknown) => Erased))
}
