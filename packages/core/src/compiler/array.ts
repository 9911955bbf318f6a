/**
 * The source for arrays and tuples: fixed elements, optional ones, and a rest
 * of one type. The result is a new array: a handler may change what it is given.
 */
import type * as AST from "effect/SchemaAST"
import type { Direction, Emitter } from "./Emitter.js"
import { emitInterpreted } from "./interpreted.js"

export const emitArray = (emitter: Emitter, ast: AST.TupleType, direction: Direction, input: string): string => {
  // Elements after a rest are rare.
  if (ast.rest.length > 1) return emitInterpreted(emitter, ast, direction, input)
  emitter.failIf(`!Array.isArray(${input})`)
  const length = emitter.variable(`${input}.length`)
  const required = ast.elements.filter((element) => !element.isOptional).length
  if (required > 0) emitter.failIf(`${length} < ${required}`)
  const rest = ast.rest[0]
  if (rest === undefined) emitter.failIf(`${length} > ${ast.elements.length}`)
  const result = emitter.variable("[]")
  for (const [index, element] of ast.elements.entries()) {
    if (element.isOptional) emitter.line(`if (${length} > ${index}) {`)
    const item = emitter.variable(`${input}[${index}]`)
    emitter.line(`${result}.push(${emitter.emit(element.type, direction, item)})`)
    if (element.isOptional) emitter.line("}")
  }
  if (rest !== undefined) {
    const index = emitter.variable(String(ast.elements.length), "n")
    emitter.line(`for (; ${index} < ${length}; ${index}++) {`)
    const item = emitter.variable(`${input}[${index}]`)
    emitter.line(`${result}.push(${emitter.emit(rest.type, direction, item)})`)
    emitter.line("}")
  }
  return result
}
