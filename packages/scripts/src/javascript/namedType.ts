/** Types by their names: of the file, of the language, or not to be known. */
import type TS from "typescript"
import { ts } from "./compiler.js"
import { enumMembers } from "./constants.js"
import { type Declaration, at } from "./reading.js"
import { documentationOf, documentedValues, textOfTag } from "./jsdoc.js"
import { annotationsOf, asInteger, isInteger } from "./keywords.js"
import { documentedObject, membersType } from "./objectType.js"
import {
  makeUnknown,
  mostInline,
  mostWithinItself,
  type Resolution,
  resolve,
  under,
  makeUnsupported,
  inside,
  lossy
} from "./resolution.js"
import { intersect, filterMembers, mapProperties, namesOf, recordOf } from "./shapes.js"
import * as Types from "./type.js"
import type { Type } from "./type.js"
import { namesTo } from "../syntax/names.js"

/** The type that a name with its arguments stands for. */
export const namedType = (
  resolution: Resolution,
  node: TS.Node,
  name: string,
  typeArguments: ReadonlyArray<TS.TypeNode>
): Type => {
  const bound = resolution.bindings.get(name)
  if (bound !== undefined) return bound
  const [namespace = name] = name.split(".")
  const declared = resolution.reading.declarations.types.get(namespace)
  const declaration = name === namespace || declared?.kind === "import" ? declared : undefined
  if (declaration === undefined) {
    const message = `the type ${name} is not declared in this file: any value is accepted for it; declare it here`
    return builtInType(resolution, node, name, typeArguments) ?? makeUnknown(resolution, node, message)
  }
  switch (declaration.kind) {
    case "import": {
      const message = `the type ${name} is imported from "${declaration.from}", and only types that this file declares are read: any value is accepted for it; declare it here`
      return makeUnknown(resolution, node, message)
    }
    case "class": {
      const message = `${name} is a class, of which JSON has no values: any value is accepted for it; declare an interface`
      return makeUnsupported(resolution, node, message)
    }
    default: {
      // Each type is resolved once; where it turns up within itself, or is large, it is referred to.
      const inner = under(resolution, bind(resolution, declaration, typeArguments))
      const parts = [...inner.bindings.values()].map(resolution.shared.keys)
      const key = parts.length === 0 ? name : `${name}<${parts.join(", ")}>`
      return onceByKey(resolution, node, name, key, () => typeOfDeclaration(inner, declaration))
    }
  }
}

type Readable = Exclude<Declaration, { readonly kind: "import" | "class" }>

/** `key` is the name with what its parameters stand for. */
export const onceByKey = (
  resolution: Resolution,
  node: TS.Node,
  name: string,
  key: string,
  resolveOnce: () => Type
): Type => {
  const { depth, reading, subject } = resolution
  const { definitions, finished, open, recursive, sizes } = resolution.shared
  const known = finished.get(key)
  if (known !== undefined) return known
  const openedAt = open.get(key)
  if (openedAt === depth) {
    const message = `the type ${name} is nothing but itself; put a property or an array in between`
    reading.report.error("circular-type", message, at(node, subject))
    return Types.any
  }
  if (openedAt !== undefined) {
    recursive.add(key)
    return { kind: "reference", key }
  }
  if ([...open.keys()].filter((other) => other.startsWith(`${name}<`)).length >= mostWithinItself) {
    const message = `the type ${name} contains itself with ever other arguments: any value is accepted here; give it the same ones`
    return makeUnsupported(resolution, node, message)
  }
  open.set(key, depth)
  const type = resolveOnce()
  open.delete(key)
  const isReferred = recursive.has(key) || Types.sizeOf(type, sizes) > mostInline
  const result: Type = isReferred ? { kind: "reference", key } : type
  if (isReferred) definitions.set(key, type)
  finished.set(key, result)
  return result
}

const typeOfDeclaration = (resolution: Resolution, declaration: Readable): Type => {
  switch (declaration.kind) {
    case "interface":
      return Types.annotate(interfaceType(resolution, declaration.nodes), annotationsAt(resolution, declaration.nodes))
    case "enum":
      return enumType(resolution, declaration.nodes)
    case "alias": {
      const type = resolve(resolution, declaration.node.type)
      const isWhole = isInteger(documentationOf(declaration.node))
      return Types.annotate(isWhole ? asInteger(type) : type, annotationsAt(resolution, [declaration.node]))
    }
    case "typedef":
      return typedefType(under(resolution, new Map()), declaration.node)
  }
}

const annotationsAt = ({ reading, subject }: Resolution, nodes: ReadonlyArray<TS.Node>) =>
  Object.assign({}, ...nodes.map((node) => annotationsOf(reading, documentationOf(node), subject)))

/** Own members win over those of what is extended. */
const interfaceType = (resolution: Resolution, nodes: ReadonlyArray<TS.InterfaceDeclaration>): Type => {
  const bases = nodes
    .flatMap(({ heritageClauses }) => heritageClauses ?? [])
    .flatMap(({ types }) => types)
    .map((base) => namedType(resolution, base, base.expression.getText(), base.typeArguments ?? []))
  const own = nodes.map(({ members }) => membersType(resolution, members))
  const names = new Set(own.flatMap(({ properties }) => [...properties.keys()]))
  const inherited = intersect(resolution, bases)
  const kept: Type =
    inherited.kind === "object"
      ? { ...inherited, properties: new Map([...inherited.properties].filter(([name]) => !names.has(name))) }
      : inherited
  return intersect(resolution, [kept, ...own])
}

/** JSON has the values only; what numbers mean stands beside them. */
const enumType = (resolution: Resolution, nodes: ReadonlyArray<TS.EnumDeclaration>): Type => {
  const members = enumMembers(nodes)
  const values = [...members.values()].filter((value) => value !== undefined)
  const annotations = annotationsAt(resolution, nodes)
  const [first] = nodes
  if (first === undefined) return Types.any
  if (values.length < members.size || values.length === 0) {
    const message = `the values of ${first.name.text} are computed: any value is accepted; write them out`
    return makeUnknown(resolution, first, message)
  }
  const meanings = [...members].map(([name, value]) => `${value}: ${name}`).join(", ")
  const description = [annotations.description, meanings].filter((part) => part !== undefined).join("\n")
  const hasNumbers = values.some((value) => typeof value === "number")
  return Types.annotate(
    Types.union(values.map(Types.literal)),
    hasNumbers ? { ...annotations, description } : annotations
  )
}

const typedefType = (resolution: Resolution, node: TS.JSDocTypedefTag): Type => {
  const written = node.typeExpression
  if (written === undefined) return Types.any
  if (!ts.isJSDocTypeLiteral(written)) return resolve(resolution, written.type)
  const shape = documentedObject(resolution, documentedValues(written.jsDocPropertyTags ?? []))
  const description = textOfTag(node)
  return Types.annotate(written.isArrayType ? Types.array(shape) : shape, description === "" ? {} : { description })
}

const bind = (
  resolution: Resolution,
  declaration: Readable,
  typeArguments: ReadonlyArray<TS.TypeNode>
): Resolution["bindings"] => {
  const generic =
    declaration.kind === "interface"
      ? declaration.nodes[0]
      : declaration.kind === "alias"
        ? declaration.node
        : undefined
  const inner = new Map<string, Type>()
  for (const [index, { constraint, default: usual, name }] of (generic?.typeParameters ?? []).entries()) {
    const argument = typeArguments[index]
    const fallback = usual ?? constraint
    const type =
      argument === undefined ? fallback && resolve(under(resolution, inner), fallback) : resolve(resolution, argument)
    inner.set(name.text, type ?? Types.any)
  }
  return inner
}

interface Use {
  readonly resolution: Resolution
  readonly node: TS.Node
  /** The type of an argument: at `index`, `any` where it is absent. */
  readonly argument: (index: number) => Type
  /** The same, of what stands in a value of its own. */
  readonly item: (index: number) => Type
}

type BuiltIn = (use: Use) => Type

/** A type by its name; `undefined` where the language has none of it. */
const builtInType = (
  resolution: Resolution,
  node: TS.Node,
  name: string,
  typeArguments: ReadonlyArray<TS.TypeNode>
): Type | undefined => {
  const argument = (at: Resolution, index: number): Type => {
    const written = typeArguments[index]
    return written === undefined ? Types.any : resolve(at, written)
  }
  const use: Use = {
    resolution,
    node,
    argument: (index) => argument(resolution, index),
    item: (index) => Types.dropUndefined(argument(inside(resolution), index)).type
  }
  const isComment = resolution.reading.language === "javascript"
  const found = everywhere.get(name) ?? (isComment ? inComments.get(name) : undefined)
  // `Object.<string, number>` of JSDoc.
  return name.toLowerCase() === "object" && typeArguments.length === 2 ? record(use) : found?.(use)
}

const arrayOf: BuiltIn = ({ item }) => Types.array(item(0))

const record: BuiltIn = ({ argument, item }) =>
  recordOf(argument(0), () => Types.property(item(1), Types.dropUndefined(argument(1)).hadUndefined))

/** A type whose every property is changed. */
const each =
  (change: Parameters<typeof mapProperties>[2]): BuiltIn =>
  ({ argument, node, resolution }) =>
    mapProperties(resolution, argument(0), change) ?? notAnObject(resolution, node)

const select =
  (isKept: boolean): BuiltIn =>
  (use) => {
    const names = namesOf(use.argument(1))
    if (names === undefined) return notAnObject(use.resolution, use.node)
    return each((before, name) => (names.includes(name) === isKept ? before : undefined))(use)
  }

const notAnObject = (resolution: Resolution, node: TS.Node): Type => {
  const message = `${node.getText()} cannot be read, since it is made of no object type with known names: any value is accepted; write the object type out`
  return makeUnsupported(resolution, node, message)
}

const received =
  (type: BuiltIn, name: string, as: string, instead: string): BuiltIn =>
  (use) => {
    const message = `a ${name} reaches the function as ${as}: declare ${instead}, and make the ${name} in the function`
    lossy(use.resolution, use.node, message)
    return type(use)
  }

const everywhere = namesTo<BuiltIn>(
  ["Array ReadonlyArray", arrayOf],
  ["Record", record],
  ["Partial", each((before) => ({ ...before, isOptional: true }))],
  ["Required", each((before) => ({ ...before, isOptional: false }))],
  ["Readonly", ({ argument, resolution }) => mapProperties(resolution, argument(0), (same) => same) ?? argument(0)],
  ["Pick", select(true)],
  ["Omit", select(false)],
  ["Exclude", ({ argument }) => filterMembers(argument(0), argument(1), false)],
  ["Extract", ({ argument }) => filterMembers(argument(0), argument(1), true)],
  [
    "NonNullable",
    ({ argument }) =>
      Types.union(Types.membersOf(Types.dropUndefined(argument(0)).type).filter((member) => !Types.isNull(member)))
  ],
  ["NoInfer", ({ argument }) => argument(0)],
  ["Object", () => Types.object()],
  ["String PropertyKey", () => Types.simple("string")],
  ["Number", () => Types.simple("number")],
  ["Boolean", () => Types.simple("boolean")],
  ["Date", received(() => Types.simple("string", { format: "date-time" }), "Date", "a text in ISO 8601", "string")],
  ["URL", received(() => Types.simple("string", { format: "uri" }), "URL", "a text", "string")],
  ["Set ReadonlySet", received(({ item }) => Types.array(item(0), true), "Set", "an array", "an array")],
  ["Map ReadonlyMap", received(record, "Map", "an object", "a Record")]
)

/** As comments write types that JavaScript has no name for. */
const inComments = namesTo<BuiltIn>(
  ["integer Integer int", () => Types.simple("integer")],
  ["float", () => Types.simple("number")],
  ["bool", () => Types.simple("boolean")],
  ["array", arrayOf]
)
