/**
 * Generated functions for schemas. They answer for values that they can show
 * to be valid; for all others, and for what is wrong with them, Effect's
 * interpreter answers, so that results and issues are the interpreter's own.
 */
import * as Option from "effect/Option"
import * as SchemaTree from "../SchemaTree.js"
import { type Direction, type Emit, Emitter, emitInterpreted, type Excess } from "./Emitter.js"
import { emitStruct, emitStructTransformation, isStructTransformation } from "./struct.js"
import { emitUnion } from "./union.js"

/** The converted value, or `failed` where only the interpreter can tell. */
export type Compiled = (input: unknown) => unknown

/** None where code generation is forbidden (a content security policy, some edge runtimes). */
export const compile = (ast: SchemaTree.Node, direction: Direction, excess: Excess): Option.Option<Compiled> => {
  const emitter = new Emitter(excess, emit)
  // `new Function` reports by throwing that it is forbidden; so does a schema
  // whose suspended part is not there yet. No effect is involved.
  try {
    const source = emitter.source(emitter.functionOf(ast, direction))
    // `emitter` writes a function of this type.
    return Option.some(new Function("d", source)(emitter.values) as Compiled)
  } catch {
    return Option.none()
  }
}

/**
 * The source for one node of a schema: statements that check and convert the
 * value named by `input`, and the expression of the result. What this cannot
 * write as fast as it runs is left to Effect's interpreter, node by node.
 */
const emit: Emit = (emitter, ast, direction, input) => {
  if (isAnnotated(ast, direction) || !emitter.hasRoom()) return emitInterpreted(emitter, ast, direction, input)
  switch (ast._tag) {
    case "StringKeyword":
    case "NumberKeyword":
    case "BooleanKeyword":
    case "BigIntKeyword":
    case "SymbolKeyword":
      return check(emitter, input, `typeof ${input} !== "${ast._tag.slice(0, -"Keyword".length).toLowerCase()}"`)
    case "UndefinedKeyword":
      return check(emitter, input, `${input} !== undefined`)
    case "NeverKeyword":
      return check(emitter, input, "true")
    case "UnknownKeyword":
    case "AnyKeyword":
    case "VoidKeyword":
      return input
    case "ObjectKeyword":
      return check(
        emitter,
        input,
        `!((typeof ${input} === "object" && ${input} !== null) || typeof ${input} === "function")`
      )
    case "Literal":
      return check(emitter, input, `${input} !== ${literal(emitter, ast.literal)}`)
    case "UniqueSymbol":
      return check(emitter, input, `${input} !== ${emitter.value(ast.symbol)}`)
    case "Enums":
      return check(emitter, input, `!${emitter.value(ast.enums.map(([, value]) => value))}.includes(${input})`)
    case "TypeLiteral":
      return emitStruct(emitter, ast, direction, input)
    case "TupleType":
      return emitArray(emitter, ast, direction, input)
    case "Union":
      return emitUnion(emitter, ast, direction, input)
    case "Refinement":
      return emitRefinement(emitter, ast, direction, input)
    case "Transformation":
      return emitTransformation(emitter, ast, direction, input)
    case "Suspend":
      return emitSuspended(emitter, ast, direction, input)
    case "Declaration":
    case "TemplateLiteral":
      return emitInterpreted(emitter, ast, direction, input)
  }
}

/**
 * One side of a recursive schema (`Schema.typeSchema`) is made again at each
 * level, so that there is no end of nodes to write: some levels down, the
 * interpreter takes over.
 */
const emitSuspended = (
  emitter: Emitter,
  ast: SchemaTree.NodeOf<"Suspend">,
  direction: Direction,
  input: string
): string =>
  emitter.suspended > 3
    ? emitInterpreted(emitter, ast, direction, input)
    : emitter.within(() => emitCall(emitter, ast.f(), direction, input))

const emitCall = (emitter: Emitter, ast: SchemaTree.Node, direction: Direction, input: string): string => {
  const result = emitter.variable(`${emitter.functionOf(ast, direction)}(${input})`)
  emitter.failIf(`${result} === F`)
  return result
}

const check = (emitter: Emitter, input: string, isWrong: string): string => {
  emitter.failIf(isWrong)
  return input
}

const literal = (emitter: Emitter, value: SchemaTree.LiteralValue): string =>
  typeof value === "bigint" || typeof value === "number" ? emitter.value(value) : JSON.stringify(value)

/** These change how the interpreter treats the node; let it. */
const isAnnotated = (ast: SchemaTree.Node, direction: Direction): boolean =>
  SchemaTree.hasOptions(ast) || (direction === "decode" && SchemaTree.fallsBack(ast))

const emitRefinement = (
  emitter: Emitter,
  ast: SchemaTree.NodeOf<"Refinement">,
  direction: Direction,
  input: string
): string => {
  if (direction === "encode") {
    // As the interpreter does: first the type side as a whole, then the encoding beneath all filters.
    const valid = emit(emitter, SchemaTree.typeSide(ast), "decode", input)
    return emit(emitter, withoutFilters(ast), "encode", valid)
  }
  const from = emit(emitter, ast.from, "decode", input)
  const result = /^\w+$/.test(from) ? from : emitter.variable(from)
  emitter.failIf(`${emitter.value(ast.filter)}(${result}, o, ${emitter.value(ast)})._tag === "Some"`)
  return result
}

const withoutFilters = (ast: SchemaTree.Node): SchemaTree.Node =>
  ast._tag === "Refinement" ? withoutFilters(ast.from) : ast

/**
 * The source for arrays and tuples: fixed elements, optional ones, and a rest
 * of one type. The result is a new array: a handler may change what it is given.
 */
const emitArray = (
  emitter: Emitter,
  ast: SchemaTree.NodeOf<"TupleType">,
  direction: Direction,
  input: string
): string => {
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

/** The source for transformations: the side that comes first, the transformation itself, the other side. */
const emitTransformation = (
  emitter: Emitter,
  ast: SchemaTree.NodeOf<"Transformation">,
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
