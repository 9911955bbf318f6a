/**
 * The source for transformations: the side that comes first, the transformation
 * itself, the other side.
 */
import type * as AST from "effect/SchemaAST"
import type { Direction, Emitter } from "./Emitter.js"
import { emitStructTransformation, isStructTransformation } from "./structTransformation.js"
import { emitInterpreted } from "./interpreted.js"

export const emitTransformation = (
  emitter: Emitter,
  ast: AST.Transformation,
  direction: Direction,
  input: string
): string => {
  const { transformation } = ast
  const [first, last] = direction === "decode" ? [ast.from, ast.to] : [ast.to, ast.from]
  switch (transformation._tag) {
    case "ComposeTransformation":
      return emitter.emit(last, direction, emitter.emit(first, direction, input))
    case "FinalTransformation": {
      const before = emitter.emit(first, direction, input)
      const change = emitter.value(direction === "decode" ? transformation.decode : transformation.encode)
      const changed = emitter.variable(`${change}(${before}, o, ${emitter.value(ast)}, ${input})`)
      // An effect is not run here: the whole value goes to the interpreter then.
      emitter.failIf(`${changed}._tag !== "Right"`)
      return emitter.emit(last, direction, emitter.variable(`${changed}.right`))
    }
    case "TypeLiteralTransformation":
      return isStructTransformation(first, last)
        ? emitStructTransformation(emitter, first, last, transformation, direction, input)
        : emitInterpreted(emitter, ast, direction, input)
  }
}
