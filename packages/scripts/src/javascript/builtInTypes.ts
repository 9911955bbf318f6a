/** Types that the language itself declares. */
import type ts from "typescript"
import { type Bindings, inside, lossy, type Resolution, makeUnknown } from "./resolution.js"
import { filterMembers, mapProperties, namesOf, recordOf } from "./shapes.js"
import { any, array, isNull, membersOf, object, property, simple, type Type, union, dropUndefined } from "./type.js"

interface Use {
  readonly resolution: Resolution
  readonly node: ts.Node
  /** The type of an argument: at `index`, `any` where it is absent. */
  readonly argument: (index: number) => Type
  /** The same, of what stands in a value of its own. */
  readonly item: (index: number) => Type
}

type BuiltIn = (use: Use) => Type

/** A type by its name; `undefined` where the language has none of it. */
export const builtInType = (
  resolution: Resolution,
  node: ts.Node,
  name: string,
  typeArguments: ReadonlyArray<ts.TypeNode>,
  bindings: Bindings
): Type | undefined => {
  const resolved = (at: Resolution, index: number): Type => {
    const argument = typeArguments[index]
    return argument === undefined ? any : resolution.resolve(at, argument, bindings)
  }
  const use: Use = {
    resolution,
    node,
    argument: (index) => resolved(resolution, index),
    item: (index) => dropUndefined(resolved(inside(resolution), index)).type
  }
  const found =
    everywhere.get(name) ?? (resolution.reading.language === "javascript" ? inComments.get(name) : undefined)
  // `Object.<string, number>` of JSDoc.
  return name.toLowerCase() === "object" && typeArguments.length === 2 ? record(use) : found?.(use)
}

const arrayOf: BuiltIn = ({ item }) => array(item(0))

const record: BuiltIn = ({ argument, item }) =>
  recordOf(argument(0), () => property(item(1), dropUndefined(argument(1)).hadUndefined))

/** A type whose every property is changed; other types are not changed. */
const each =
  (isOptional: boolean | undefined): BuiltIn =>
  ({ argument, node, resolution }) => {
    const changed = mapProperties(resolution, argument(0), (before) =>
      isOptional === undefined ? before : { ...before, isOptional }
    )
    return changed ?? notAnObject(resolution, node)
  }

const select =
  (isKept: boolean): BuiltIn =>
  ({ argument, node, resolution }) => {
    const names = namesOf(argument(1))
    const changed =
      names === undefined
        ? undefined
        : mapProperties(resolution, argument(0), (before, name) =>
            names.includes(name) === isKept ? before : undefined
          )
    return changed ?? notAnObject(resolution, node)
  }

const notAnObject = (resolution: Resolution, node: ts.Node): Type =>
  makeUnknown(
    resolution,
    node,
    `${node.getText(resolution.reading.sourceFile)} cannot be read, since it is made of no object type with known names: any value is accepted; write the object type out`,
    "unsupported-type"
  )

const received =
  (type: (use: Use) => Type, name: string, as: string, instead: string): BuiltIn =>
  (use) => {
    lossy(
      use.resolution,
      use.node,
      `a ${name} reaches the function as ${as}: declare ${instead}, and make the ${name} in the function`
    )
    return type(use)
  }

const set = received(({ item }) => array(item(0), true), "Set", "an array", "an array")

const map = received(record, "Map", "an object", "a Record")

const everywhere: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
  ["Array", arrayOf],
  ["ReadonlyArray", arrayOf],
  ["Record", record],
  ["Partial", each(true)],
  ["Required", each(false)],
  ["Readonly", ({ argument, resolution }) => mapProperties(resolution, argument(0), (same) => same) ?? argument(0)],
  ["Pick", select(true)],
  ["Omit", select(false)],
  ["Exclude", ({ argument }) => filterMembers(argument(0), argument(1), false)],
  ["Extract", ({ argument }) => filterMembers(argument(0), argument(1), true)],
  [
    "NonNullable",
    ({ argument }) => union(membersOf(dropUndefined(argument(0)).type).filter((member) => !isNull(member)))
  ],
  ["NoInfer", ({ argument }) => argument(0)],
  ["PropertyKey", () => simple("string")],
  ["Object", () => object()],
  ["String", () => simple("string")],
  ["Number", () => simple("number")],
  ["Boolean", () => simple("boolean")],
  ["Date", received(() => simple("string", { format: "date-time" }), "Date", "a text in ISO 8601", "string")],
  ["URL", received(() => simple("string", { format: "uri" }), "URL", "a text", "string")],
  ["Set", set],
  ["ReadonlySet", set],
  ["Map", map],
  ["ReadonlyMap", map]
])

/** As comments write types that JavaScript has no name for. */
const inComments: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
  ["integer", () => simple("integer")],
  ["Integer", () => simple("integer")],
  ["int", () => simple("integer")],
  ["float", () => simple("number")],
  ["bool", () => simple("boolean")],
  ["array", arrayOf]
])
