/** Type parameters of functions, classes and aliases: `def f[T: int]`, `class Box(Generic[T])`, `type Pair[T] = …`. */
import type { Json } from "@wield/core"
import { field, itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { calledName, outsideNameOf, partsOf } from "./qualifiedName.js"
import { about, type Reading } from "./reading.js"
import { anyOf } from "./schema.js"

export interface TypeParameter {
  readonly name: string
  /** What it stands for, unless more is said: `T: int`, `T: (int, str)`. None where it stands for any type. */
  readonly bounds: ReadonlyArray<Node>
}

/** Those in the brackets after the name of a function, class or alias. */
export const declaredParameters = (brackets: Node | undefined): ReadonlyArray<TypeParameter> =>
  itemsOf(brackets).flatMap((node) => declaredParameter(node) ?? [])

const unwrap = (node: Node | undefined): Node | undefined => (node?.type === "type" ? itemsOf(node)[0] : node)

const declaredParameter = (node: Node): TypeParameter | undefined => {
  const inner = unwrap(node)
  if (inner?.type === "identifier") return { name: inner.text, bounds: [] }
  // `*Ts` and `**P` are no types of values.
  if (inner?.type !== "constrained_type") return undefined
  const [name, bound] = itemsOf(inner)
  const one = unwrap(bound)
  // `T: (int, str) = int`, as `withTypeDefaults` has it parsed: the bound says more.
  const written = unwrap(one?.type === "constrained_type" ? itemsOf(one)[0] : one)
  if (name === undefined || written === undefined) return undefined
  return { name: name.text, bounds: written.type === "tuple" ? itemsOf(written) : [written] }
}

/** Those of a class: of its brackets, else of `Generic[…]`, else all that its bases name. */
export const parametersOfClass = (definition: Node, reading: Reading): ReadonlyArray<TypeParameter> => {
  const declared = declaredParameters(field(definition, "type_parameters"))
  if (declared.length > 0) return declared
  const written = itemsOf(field(definition, "superclasses")).filter(({ type }) => type !== "keyword_argument")
  const generic = written.find((base) =>
    ["Generic", "Protocol"].includes(outsideNameOf(partsOf(base)[0], reading.module))
  )
  return parametersIn(generic === undefined ? written : partsOf(generic)[1], reading)
}

/** The `TypeVar`s that types name, in order: what `Pair = tuple[T, T]` takes. */
export const parametersIn = (nodes: ReadonlyArray<Node>, reading: Reading): ReadonlyArray<TypeParameter> => {
  const names = nodes.flatMap((node) => node.descendantsOfType("identifier")).flatMap((node) => node?.text ?? [])
  return [...new Set(names)].filter((name) => isTypeVar(name, reading)).map((name) => ({ name, bounds: [] }))
}

const isTypeVar = (name: string, reading: Reading): boolean => {
  const binding = reading.module.bindings.get(name)
  return binding?.kind === "value" && calledName(binding.value, reading.module) === "TypeVar"
}

/** What the parameters stand for, given the types in the brackets. A `TypeVar` without one keeps its own bound. */
export const bindParameters = (
  parameters: ReadonlyArray<TypeParameter>,
  given: ReadonlyArray<Node>,
  reading: Reading
): ReadonlyMap<string, Json.JsonSchema> => {
  const within = about(reading, reading.subject)
  const bound = parameters.flatMap(({ bounds, name }, index) => {
    const argument = given[index]
    const types = argument === undefined ? bounds : [argument]
    if (types.length === 0 && isTypeVar(name, reading)) return []
    const schemas = types.map((type) => within.schemaOf(type, within))
    return [[name, schemas.length === 0 ? {} : anyOf(schemas)] as const]
  })
  return new Map(bound)
}

/**
 * A name for a generic type with what its parameters stand for. None where there
 * are too many: such a type contains itself with ever other arguments, and would
 * never end.
 */
export const instanceOf = (
  name: string,
  parameters: ReadonlyMap<string, Json.JsonSchema>,
  { instances, module }: Reading
): string | undefined => {
  if (parameters.size === 0) return name
  const key = `${name} ${JSON.stringify([...parameters])}`
  const known = instances.get(key)
  if (known !== undefined || instances.size >= mostInstances) return known
  const title = [name, ...[...parameters.values()].map(titleOf)].join("_")
  const taken = new Set([...instances.values(), ...module.bindings.keys()])
  let free = title
  for (let number = 2; taken.has(free); number++) free = `${title}_${number}`
  instances.set(key, free)
  return free
}

const mostInstances = 200

const titleOf = ({ $ref, type }: Json.JsonSchema): string =>
  typeof type === "string" ? type : typeof $ref === "string" ? $ref.replace("#/$defs/", "") : "other"
