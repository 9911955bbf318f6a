/** Types by their names: of the file, of the language, or not to be known. */
import type ts from "typescript"
import { builtInType } from "./builtInTypes.js"
import { enumMembers } from "./constants.js"
import type { Declaration } from "./declarations.js"
import { documentationOf, documentedValues, textOfTag } from "./jsdoc.js"
import { annotationsOf, asInteger, isInteger } from "./keywords.js"
import { documentedObject, membersType } from "./objectType.js"
import { report } from "./reading.js"
import { type Bindings, mostInline, mostWithinItself, noBindings, type Resolution, makeUnknown } from "./resolution.js"
import { intersect } from "./shapes.js"
import { sizeOf } from "./size.js"
import { annotate, any, array, literal, type Type, union } from "./type.js"

/** The type that a name with its arguments stands for. */
export const namedType = (
  resolution: Resolution,
  node: ts.Node,
  name: string,
  typeArguments: ReadonlyArray<ts.TypeNode>,
  bindings: Bindings
): Type => {
  const bound = bindings.get(name)
  if (bound !== undefined) return bound
  const [namespace = name] = name.split(".")
  const declared = resolution.declarations.types.get(namespace)
  const declaration = name === namespace || declared?.kind === "import" ? declared : undefined
  if (declaration === undefined) {
    return (
      builtInType(resolution, node, name, typeArguments, bindings) ??
      makeUnknown(
        resolution,
        node,
        `the type ${name} is not declared in this file: any value is accepted for it; declare it here`
      )
    )
  }
  switch (declaration.kind) {
    case "import":
      return makeUnknown(
        resolution,
        node,
        `the type ${name} is imported from "${declaration.from}", and only types that this file declares are read: any value is accepted for it; declare it here`
      )
    case "class":
      return makeUnknown(
        resolution,
        node,
        `${name} is a class, of which JSON has no values: any value is accepted for it; declare an interface`,
        "unsupported-type"
      )
    default:
      return declaredType(resolution, node, name, declaration, typeArguments, bindings)
  }
}

type Readable = Exclude<Declaration, { readonly kind: "import" | "class" }>

/** Each type is resolved once; where it turns up within itself, or is large, it is referred to. */
const declaredType = (
  resolution: Resolution,
  node: ts.Node,
  name: string,
  declaration: Readable,
  typeArguments: ReadonlyArray<ts.TypeNode>,
  bindings: Bindings
): Type => {
  const inner = bind(resolution, declaration, typeArguments, bindings)
  const key = inner.size === 0 ? name : `${name}<${[...inner.values()].map(resolution.shared.keys).join(", ")}>`
  return onceByKey(resolution, node, name, key, () => declared(resolution, declaration, inner))
}

/** `key` is the name with what its parameters stand for. */
export const onceByKey = (
  resolution: Resolution,
  node: ts.Node,
  name: string,
  key: string,
  resolve: () => Type
): Type => {
  const { definitions, finished, open, recursive, sizes } = resolution.shared
  const known = finished.get(key)
  if (known !== undefined) return known
  const depth = open.get(key)
  if (depth !== undefined) {
    if (depth === resolution.depth) {
      report(
        resolution.reading,
        "error",
        "circular-type",
        node,
        resolution.subject,
        `the type ${name} is nothing but itself; put a property or an array in between`
      )
      return any
    }
    recursive.add(key)
    return { kind: "reference", key }
  }
  if ([...open.keys()].filter((other) => other.startsWith(`${name}<`)).length >= mostWithinItself) {
    return makeUnknown(
      resolution,
      node,
      `the type ${name} contains itself with ever other arguments: any value is accepted here; give it the same ones`,
      "unsupported-type"
    )
  }
  open.set(key, resolution.depth)
  const type = resolve()
  open.delete(key)
  const isReferred = recursive.has(key) || sizeOf(type, sizes) > mostInline
  const result: Type = isReferred ? { kind: "reference", key } : type
  if (isReferred) definitions.set(key, type)
  finished.set(key, result)
  return result
}

const declared = (resolution: Resolution, declaration: Readable, bindings: Bindings): Type => {
  const { reading } = resolution
  switch (declaration.kind) {
    case "interface":
      return annotate(
        interfaceType(resolution, declaration.nodes, bindings),
        annotationsAt(resolution, declaration.nodes)
      )
    case "enum":
      return enumType(resolution, declaration.nodes)
    case "alias": {
      const type = resolution.resolve(resolution, declaration.node.type, bindings)
      const isWhole = isInteger(documentationOf(reading, declaration.node))
      return annotate(isWhole ? asInteger(type) : type, annotationsAt(resolution, [declaration.node]))
    }
    case "typedef":
      return typedefType(resolution, declaration.node)
  }
}

const annotationsAt = ({ reading, subject }: Resolution, nodes: ReadonlyArray<ts.Node>) =>
  Object.assign({}, ...nodes.map((node) => annotationsOf(reading, documentationOf(reading, node), subject)))

/** Own members win over those of what is extended. */
const interfaceType = (
  resolution: Resolution,
  nodes: ReadonlyArray<ts.InterfaceDeclaration>,
  bindings: Bindings
): Type => {
  const bases = nodes
    .flatMap(({ heritageClauses }) => heritageClauses ?? [])
    .flatMap(({ types }) => types)
    .map((base) => {
      const name = base.expression.getText(resolution.reading.sourceFile)
      return namedType(resolution, base, name, base.typeArguments ?? [], bindings)
    })
  const own = nodes.map(({ members }) => membersType(resolution, members, bindings))
  const names = new Set(own.flatMap(({ properties }) => [...properties.keys()]))
  const inherited = intersect(resolution, bases)
  const kept: Type =
    inherited.kind === "object"
      ? { ...inherited, properties: new Map([...inherited.properties].filter(([name]) => !names.has(name))) }
      : inherited
  return intersect(resolution, [kept, ...own])
}

/** JSON has the values only; what numbers mean stands beside them. */
const enumType = (resolution: Resolution, nodes: ReadonlyArray<ts.EnumDeclaration>): Type => {
  const members = enumMembers(resolution.reading, nodes)
  const values = [...members.values()].filter((value) => value !== undefined)
  const annotations = annotationsAt(resolution, nodes)
  const [first] = nodes
  if (values.length < members.size || values.length === 0) {
    return first === undefined
      ? any
      : makeUnknown(
          resolution,
          first,
          `the values of ${first.name.text} are computed: any value is accepted; write them out`
        )
  }
  const meanings = [...members].map(([name, value]) => `${value}: ${name}`).join(", ")
  const description = [annotations.description, meanings].filter((part) => part !== undefined).join("\n")
  const type = union(values.map((value) => literal(value)))
  return annotate(
    type,
    values.some((value) => typeof value === "number") ? { ...annotations, description } : annotations
  )
}

const typedefType = (resolution: Resolution, node: ts.JSDocTypedefTag): Type => {
  const { sourceFile, typescript } = resolution.reading
  const written = node.typeExpression
  if (written === undefined) return any
  if (!typescript.isJSDocTypeLiteral(written)) return resolution.resolve(resolution, written.type, noBindings)
  const values = documentedValues(typescript, sourceFile, written.jsDocPropertyTags ?? [])
  const shape = documentedObject(resolution, values, noBindings)
  const description = textOfTag(typescript, node)
  const type: Type = written.isArrayType ? array(shape) : shape
  return annotate(type, description === "" ? {} : { description })
}

const bind = (
  resolution: Resolution,
  declaration: Readable,
  typeArguments: ReadonlyArray<ts.TypeNode>,
  bindings: Bindings
): Bindings => {
  const node =
    declaration.kind === "interface"
      ? declaration.nodes[0]
      : declaration.kind === "alias"
        ? declaration.node
        : undefined
  const inner = new Map<string, Type>()
  for (const [index, parameter] of (node?.typeParameters ?? []).entries()) {
    const argument = typeArguments[index]
    const fallback = parameter.default ?? parameter.constraint
    inner.set(
      parameter.name.text,
      argument !== undefined
        ? resolution.resolve(resolution, argument, bindings)
        : fallback === undefined
          ? any
          : resolution.resolve(resolution, fallback, inner)
    )
  }
  return inner
}
