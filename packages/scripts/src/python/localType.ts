/** Types that the file names: classes, aliases, `NewType` and `TypedDict` calls. */
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import { itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { type ClassBinding, classKindOf, keywordOf } from "./classKind.js"
import { docstringOf } from "./docstring.js"
import { documentationOf } from "./documentation.js"
import { membersOf } from "./enumeration.js"
import { classModel, functionalTypedDict } from "./models.js"
import type { Binding } from "./module.js"
import { outsideNameOf } from "./qualifiedName.js"
import { namedType, type Owner, type Read, type Reading } from "./reading.js"
import { anyOf, oneOfValues } from "./schema.js"
import {
  bindParameters,
  declaredParameters,
  instanceOf,
  parametersIn,
  parametersOfClass,
  type TypeParameter
} from "./typeParameters.js"
import { unknownType } from "./unknownType.js"

export const localType = (
  name: string,
  binding: Exclude<Binding, { kind: "import" }>,
  used: Node,
  args: ReadonlyArray<Node>,
  reading: Reading,
  owner: Owner
): Read<Json.JsonSchema> => {
  switch (binding.kind) {
    case "class":
      return classType(name, binding, used, args, reading, owner)
    case "function":
      return unknownType(used, reading, owner)
    case "alias": {
      const parameters = declaredParameters(binding.parameters)
      return generic(name, parameters, used, args, reading, owner, (within) =>
        within.typeOf(binding.value, { subject: name })
      )
    }
    case "value": {
      const { value } = binding
      if (value === undefined || value.type === "call") return called(name, value, used, reading, owner)
      return generic(name, parametersIn([value], reading), used, args, reading, owner, (within) =>
        within.typeOf(value, { subject: name })
      )
    }
  }
}

/** A type with what its parameters stand for: each combination is read once. */
const generic = (
  name: string,
  parameters: ReadonlyArray<TypeParameter>,
  used: Node,
  args: ReadonlyArray<Node>,
  reading: Reading,
  owner: Owner,
  read: (within: Reading) => Read<Json.JsonSchema>
): Read<Json.JsonSchema> =>
  Effect.flatMap(bindParameters(parameters, args, owner.subject, reading), (bound) => {
    const instance = instanceOf(name, bound, reading)
    return instance === undefined
      ? unknownType(used, reading, owner, "it contains itself with ever other types in its brackets; write one of them")
      : namedType(reading, instance, used, read(reading.under(bound)))
  })

const classType = (
  name: string,
  binding: ClassBinding,
  used: Node,
  args: ReadonlyArray<Node>,
  reading: Reading,
  owner: Owner
): Read<Json.JsonSchema> => {
  const kind = classKindOf(binding, reading)
  if (kind === "other") return unknownType(used, reading, owner, plainClass)
  return generic(name, parametersOfClass(binding.node, reading), used, args, reading, owner, (within) =>
    Effect.map(
      kind === "enum"
        ? Effect.succeed(oneOfValues([...membersOf(binding, within).values()]))
        : classModel(name, binding, kind, within),
      (schema) => {
        const description = docstringOf(documentationOf(binding.node)?.text ?? "").description
        return description === "" ? schema : { ...schema, description }
      }
    )
  )
}

const plainClass = "make the class a dataclass, TypedDict, NamedTuple, Enum or pydantic model"

/** What a call makes a type of. */
const called = (
  name: string,
  call: Node | undefined,
  used: Node,
  reading: Reading,
  owner: Owner
): Read<Json.JsonSchema> => {
  const list = call?.childForFieldName("arguments")
  const [, ...args] = list === null || list === undefined ? [] : itemsOf(list)
  const positional = args.filter(({ type }) => type !== "keyword_argument")
  const [first] = positional
  switch (outsideNameOf(call?.childForFieldName("function"), reading.module)) {
    case "NewType":
      if (first !== undefined) return namedType(reading, name, used, reading.typeOf(first, { subject: name }))
      break
    case "TypeVar": {
      const bound = list === null || list === undefined ? undefined : keywordOf(list, "bound")
      const types = bound === undefined ? positional : [bound]
      // Without a bound it stands for any type.
      return types.length === 0
        ? Effect.succeed({})
        : namedType(
            reading,
            name,
            used,
            Effect.map(
              Effect.forEach(types, (type) => reading.typeOf(type, { subject: name })),
              anyOf
            )
          )
    }
    case "TypedDict":
      if (first?.type === "dictionary" && list !== null && list !== undefined) {
        return namedType(reading, name, used, functionalTypedDict(name, first, keywordOf(list, "total"), reading))
      }
  }
  return unknownType(used, reading, owner)
}
