/** Types that the file names: classes, aliases, `NewType` and `TypedDict` calls. */
import type { Json } from "@wield/core"
import type { Node } from "../syntax/treeSitter.js"
import { type ClassBinding, classKindOf, keywordOf } from "./classKind.js"
import { docstringOf, documentationOf } from "./docstring.js"
import { membersOf } from "./enumeration.js"
import { classModel, functionalTypedDict } from "./models.js"
import type { Binding } from "./module.js"
import { argumentsOf, calledName } from "./qualifiedName.js"
import { about, namedType, type Reading, unknownType } from "./reading.js"
import { anyOf, describe, oneOfValues } from "./schema.js"
import * as TypeParameters from "./typeParameters.js"
import { field } from "../syntax/node.js"

export const localType = (
  name: string,
  binding: Exclude<Binding, { kind: "import" }>,
  used: Node,
  args: ReadonlyArray<Node>,
  reading: Reading
): Json.JsonSchema => {
  /** A type with what its parameters stand for: each combination is read once. */
  const generic = (
    parameters: ReadonlyArray<TypeParameters.TypeParameter>,
    read: (within: Reading) => Json.JsonSchema
  ): Json.JsonSchema => {
    const bound = TypeParameters.bindParameters(parameters, args, reading)
    const instance = TypeParameters.instanceOf(name, bound, reading)
    return instance === undefined
      ? unknownType(used, reading, "it contains itself with ever other types in its brackets; write one of them")
      : namedType(reading, instance, used, () => read({ ...about(reading, name), parameters: bound }))
  }
  switch (binding.kind) {
    case "class":
      return classKindOf(binding, reading) === "other"
        ? unknownType(used, reading, "make the class a dataclass, TypedDict, NamedTuple, Enum or pydantic model")
        : generic(TypeParameters.parametersOfClass(binding.node, reading), (within) => classType(name, binding, within))
    case "function":
      return unknownType(used, reading)
    case "alias":
      return generic(TypeParameters.declaredParameters(binding.parameters), (within) =>
        within.schemaOf(binding.value, within)
      )
    case "value": {
      const { value } = binding
      return value === undefined || value.type === "call"
        ? called(name, value, used, reading)
        : generic(TypeParameters.parametersIn([value], reading), (within) => within.schemaOf(value, within))
    }
  }
}

const classType = (name: string, binding: ClassBinding, within: Reading): Json.JsonSchema => {
  const kind = classKindOf(binding, within)
  const isModel = kind !== "enum" && kind !== "other"
  const schema = isModel
    ? classModel(name, binding, kind, within)
    : oneOfValues([...membersOf(binding, within).values()])
  return describe(schema, docstringOf(documentationOf(binding.node)?.text ?? "").description)
}

/** What a call makes a type of. */
const called = (name: string, call: Node | undefined, used: Node, reading: Reading): Json.JsonSchema => {
  const list = field(call, "arguments")
  const [, ...positional] = argumentsOf(call).filter(({ type }) => type !== "keyword_argument")
  const [first] = positional
  const within = about(reading, name)
  switch (calledName(call, reading.module)) {
    case "NewType":
      if (first !== undefined) return namedType(reading, name, used, () => within.schemaOf(first, within))
      break
    case "TypeVar": {
      const bound = keywordOf(list, "bound")
      const types = bound === undefined ? positional : [bound]
      // Without a bound it stands for any type.
      if (types.length === 0) return {}
      return namedType(reading, name, used, () => anyOf(types.map((type) => within.schemaOf(type, within))))
    }
    case "TypedDict":
      if (first?.type === "dictionary") {
        return namedType(reading, name, used, () => functionalTypedDict(name, first, keywordOf(list, "total"), reading))
      }
  }
  return unknownType(used, reading)
}
