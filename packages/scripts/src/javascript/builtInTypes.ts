/** Types that the language itself declares. */
import type ts from "typescript"
import { inside, lossy, type Resolution, resolve, makeUnsupported } from "./resolution.js"
import { filterMembers, mapProperties, namesOf, recordOf } from "./shapes.js"
import { any, array, isNull, membersOf, object, property, simple, type Type, union, dropUndefined } from "./type.js"
import { namesTo } from "../syntax/names.js"

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
  typeArguments: ReadonlyArray<ts.TypeNode>
): Type | undefined => {
  const argument = (at: Resolution, index: number): Type => {
    const written = typeArguments[index]
    return written === undefined ? any : resolve(at, written)
  }
  const use: Use = {
    resolution,
    node,
    argument: (index) => argument(resolution, index),
    item: (index) => dropUndefined(argument(inside(resolution), index)).type
  }
  const isComment = resolution.reading.language === "javascript"
  const found = everywhere.get(name) ?? (isComment ? inComments.get(name) : undefined)
  // `Object.<string, number>` of JSDoc.
  return name.toLowerCase() === "object" && typeArguments.length === 2 ? record(use) : found?.(use)
}

const arrayOf: BuiltIn = ({ item }) => array(item(0))

const record: BuiltIn = ({ argument, item }) =>
  recordOf(argument(0), () => property(item(1), dropUndefined(argument(1)).hadUndefined))

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

const notAnObject = (resolution: Resolution, node: ts.Node): Type => {
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
    ({ argument }) => union(membersOf(dropUndefined(argument(0)).type).filter((member) => !isNull(member)))
  ],
  ["NoInfer", ({ argument }) => argument(0)],
  ["Object", () => object()],
  ["String PropertyKey", () => simple("string")],
  ["Number", () => simple("number")],
  ["Boolean", () => simple("boolean")],
  ["Date", received(() => simple("string", { format: "date-time" }), "Date", "a text in ISO 8601", "string")],
  ["URL", received(() => simple("string", { format: "uri" }), "URL", "a text", "string")],
  ["Set ReadonlySet", received(({ item }) => array(item(0), true), "Set", "an array", "an array")],
  ["Map ReadonlyMap", received(record, "Map", "an object", "a Record")]
)

/** As comments write types that JavaScript has no name for. */
const inComments = namesTo<BuiltIn>(
  ["integer Integer int", () => simple("integer")],
  ["float", () => simple("number")],
  ["bool", () => simple("boolean")],
  ["array", arrayOf]
)
