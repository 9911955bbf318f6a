/**
 * A node that is left to Effect's interpreter.
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { type Direction, type Emitter, failed } from "./Emitter.js"

export const emitInterpreted = (emitter: Emitter, ast: AST.AST, direction: Direction, input: string): string => {
  const schema = Schema.make<unknown, unknown, never>(ast)
  const options = { errors: "all", onExcessProperty: emitter.excess } as const
  const parse =
    direction === "decode" ? ParseResult.decodeUnknown(schema, options) : ParseResult.encodeUnknown(schema, options)
  const interpret = (value: unknown): unknown => {
    const result = parse(value)
    // What is effectful is not run here: the whole value goes to the interpreter then.
    return Either.isEither(result) && Either.isRight(result) ? result.right : failed
  }
  const result = emitter.variable(`${emitter.value(interpret)}(${input})`)
  emitter.failIf(`${result} === F`)
  return result
}
