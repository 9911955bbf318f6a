/** Tuples: named, optional and rest elements. */
import type ts from "typescript"
import { type Bindings, inside, lossy, type Resolution } from "./resolution.js"
import { any, array, type TupleElement, type Type, union, withoutUndefined } from "./type.js"

export const tupleType = (resolution: Resolution, node: ts.TupleTypeNode, bindings: Bindings): Type => {
  const { typescript } = resolution.reading
  const elements: Array<TupleElement> = []
  const rests: Array<Type> = []
  /** After a rest element: how many come there cannot be said, only what they may be. */
  const after: Array<Type> = []
  for (const element of node.elements) {
    const isNamed = typescript.isNamedTupleMember(element)
    const written = isNamed ? element.type : element
    const isRest = isNamed ? element.dotDotDotToken !== undefined : typescript.isRestTypeNode(element)
    const isMarked = isNamed ? element.questionToken !== undefined : typescript.isOptionalTypeNode(element)
    const inner = typescript.isOptionalTypeNode(written) || typescript.isRestTypeNode(written) ? written.type : written
    const { hadUndefined, type } = withoutUndefined(resolution.resolve(inside(resolution), inner, bindings))
    const entry = { type, isOptional: isMarked || hadUndefined, name: isNamed ? element.name.text : undefined }
    if (isRest && type.kind === "tuple") elements.push(...type.elements)
    else if (isRest) rests.push(type.kind === "array" ? type.items : any)
    else if (rests.length > 0) after.push(type)
    else elements.push(entry)
  }
  if (after.length > 0) {
    lossy(resolution, node, "elements after a rest element are accepted in any order: put them before it")
  }
  const rest = [...rests, ...after]
  if (elements.length === 0 && rest.length > 0) return array(union(rest))
  return { kind: "tuple", elements: optionalAtEnd(elements), rest: rest.length === 0 ? undefined : union(rest) }
}

/** `[string | undefined, number]`: only what nothing required follows may be left out. */
const optionalAtEnd = (elements: ReadonlyArray<TupleElement>): ReadonlyArray<TupleElement> => {
  const lastRequired = elements.findLastIndex(({ isOptional }) => !isOptional)
  return elements.map((element, index) => ({ ...element, isOptional: index > lastRequired }))
}
