/**
 * Generated functions for schemas. They answer for values that they can show
 * to be valid; for all others, and for what is wrong with them, Effect's
 * interpreter answers, so that results and issues are the interpreter's own.
 */
import * as Option from "effect/Option"
import type * as AST from "effect/SchemaAST"
import { emit } from "./emit.js"
import { type Direction, Emitter, type Excess } from "./Emitter.js"

export { failed } from "./Emitter.js"

/** The converted value, or `failed` where only the interpreter can tell. */
export type Compiled = (input: unknown) => unknown

/** None where code generation is forbidden (a content security policy, some edge runtimes). */
export const compile = (ast: AST.AST, direction: Direction, excess: Excess): Option.Option<Compiled> => {
  const emitter = new Emitter(excess, emit)
  // `new Function` reports by throwing that it is forbidden; so does a schema
  // whose suspended part is not there yet. No effect is involved.
  try {
    const source = emitter.source(emitter.functionOf(ast, direction))
    return Option.some(new Function("d", source)(emitter.values) as Compiled)
  } catch {
    return Option.none()
  }
}
