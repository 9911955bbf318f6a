/** Type parameters of functions, classes and aliases: `def f[T: int]`, `class Box(Generic[T])`, `type Pair[T] = …`. */
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import { itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { outsideNameOf } from "./qualifiedName.js"
import type { Read, Reading } from "./reading.js"
import { anyOf } from "./schema.js"
import { partsOf } from "./typeParts.js"

export interface TypeParameter {
  readonly name: string
  /** What it stands for, unless more is said: `T: int`, `T: (int, str)`. None where it stands for any type. */
  readonly bounds: ReadonlyArray<Node>
}

/** Those in the brackets after the name of a function, class or alias. */
export const declaredParameters = (brackets: Node | null | undefined): ReadonlyArray<TypeParameter> =>
  brackets === null || brackets === undefined ? [] : itemsOf(brackets).flatMap((node) => declaredParameter(node) ?? [])

const declaredParameter = (node: Node): TypeParameter | undefined => {
  const inner = node.type === "type" ? itemsOf(node)[0] : node
  if (inner?.type === "identifier") return { name: inner.text, bounds: [] }
  // `*Ts` and `**P` are no types of values.
  if (inner?.type !== "constrained_type") return undefined
  const [name, bound] = itemsOf(inner)
  const one = bound?.type === "type" ? itemsOf(bound)[0] : bound
  // `T: (int, str) = int`, as `withTypeDefaults` has it parsed: the bound says more.
  const first = one?.type === "constrained_type" ? itemsOf(one)[0] : one
  const written = first?.type === "type" ? itemsOf(first)[0] : first
  if (name === undefined || written === undefined) return undefined
  return { name: name.text, bounds: written.type === "tuple" ? itemsOf(written) : [written] }
}

/** Those of a class: of its brackets, else of `Generic[…]`, else all that its bases name. */
export const parametersOfClass = (definition: Node, reading: Reading): ReadonlyArray<TypeParameter> => {
  const declared = declaredParameters(definition.childForFieldName("type_parameters"))
  if (declared.length > 0) return declared
  const bases = definition.childForFieldName("superclasses")
  const written = bases === null ? [] : itemsOf(bases).filter(({ type }) => type !== "keyword_argument")
  const generic = written.find((base) => genericBases.has(outsideNameOf(partsOf(base)[0], reading.module)))
  return parametersIn(generic === undefined ? written : partsOf(generic)[1], reading)
}

const genericBases: ReadonlySet<string> = new Set(["Generic", "Protocol"])

/** The `TypeVar`s that types name, in order: what `Pair = tuple[T, T]` takes. */
export const parametersIn = (nodes: ReadonlyArray<Node>, reading: Reading): ReadonlyArray<TypeParameter> => {
  const names = nodes.flatMap((node) => node.descendantsOfType("identifier")).flatMap((node) => node?.text ?? [])
  return [...new Set(names)].filter((name) => isTypeVar(name, reading)).map((name) => ({ name, bounds: [] }))
}

const isTypeVar = (name: string, reading: Reading): boolean => {
  const binding = reading.module.bindings.get(name)
  const call = binding?.kind === "value" && binding.value?.type === "call" ? binding.value : undefined
  return outsideNameOf(call?.childForFieldName("function"), reading.module) === "TypeVar"
}

/** What the parameters stand for, given the types in the brackets. A `TypeVar` without one keeps its own bound. */
export const bindParameters = (
  parameters: ReadonlyArray<TypeParameter>,
  given: ReadonlyArray<Node>,
  subject: string,
  reading: Reading
): Read<ReadonlyMap<string, Json.JsonSchema>> =>
  Effect.map(
    Effect.forEach(parameters, ({ bounds, name }, index) =>
      Effect.gen(function* () {
        const argument = given[index]
        const types = argument === undefined ? bounds : [argument]
        if (types.length === 0 && isTypeVar(name, reading)) return []
        const schemas = yield* Effect.forEach(types, (type) => reading.typeOf(type, { subject }))
        return [[name, schemas.length === 0 ? {} : anyOf(schemas)] as const]
      })
    ),
    (bound) => new Map(bound.flat())
  )

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
