/** The tools of the operations that `.graphql` documents hold. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  typeFromAST,
  TypeInfo,
  validate,
  valueFromAST,
  visit,
  visitWithTypeInfo
} from "graphql"
import * as Either from "effect/Either"
import { hiddenAmong } from "../load/context.js"
import * as ManifestEntry from "../ManifestEntry.js"
import { describe } from "./description.js"
import { factsOf, type FieldOptions, type Input, type Parameter, parametersOf } from "./fieldEntry.js"
import type { Names } from "../openapi/names.js"
import type { Report } from "./report.js"

export interface Source {
  readonly text: string
  readonly file?: string | undefined
}

export const operationEntries = (
  source: Source,
  schema: GraphQLSchema,
  isTaken: (name: string) => boolean,
  nameOf: (name: string, kind: "query" | "mutation") => string,
  names: Names,
  options: FieldOptions,
  report: Report
): ReadonlyArray<ManifestEntry.ApiEntry> => {
  const parsed = Either.try({ try: () => parse(source.text), catch: (error) => error })
  if (Either.isLeft(parsed)) {
    fail(parsed.left, source, report)
    return []
  }
  const document = parsed.right
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return []
    const name = definition.name?.value
    const place = placeOf(definition.loc?.startToken, source)
    if (name === undefined) {
      report.add(undefined, "operation-without-name", "The operation has no name, so no tool is made: name it", {
        place
      })
      return []
    }
    if (!isTaken(name)) return []
    if (definition.operation === OperationTypeNode.SUBSCRIPTION) {
      report.add(name, "subscription", "A subscription answers more than once, so no tool is made of it", { place })
      return []
    }
    const own = withoutDescriptions(definition, document)
    const errors = validate(schema, { kind: Kind.DOCUMENT, definitions: own.located })
    for (const error of errors) fail(error, source, report, name)
    if (errors.length > 0) return []
    const kind = definition.operation
    const toolName = names.take(nameOf(name, kind))
    const parameters = parametersIn(definition, own.located, schema, options)
    return [
      ManifestEntry.api({
        name: toolName,
        description:
          describe({ description: definition.description?.value, astNode: definition }, options.readsComments) ??
          descriptionOfField(definition, schema, options),
        parameters: parametersOf(parameters, options, report, toolName),
        context: hiddenAmong(
          parameters.map((parameter) => parameter.name),
          options.context
        ),
        facts: factsOf(kind),
        api: { name: options.api, query: own.text }
      })
    ]
  })
}

/** The operation with the fragments that it uses; servers older than descriptions on operations refuse them. */
const withoutDescriptions = (definition: OperationDefinitionNode, document: DocumentNode) => {
  const located = [definition, ...fragmentsOf(definition, document)].map((node) =>
    visit(node, {
      OperationDefinition: undescribed,
      FragmentDefinition: undescribed,
      VariableDefinition: undescribed
    })
  )
  return { located, text: print({ kind: Kind.DOCUMENT, definitions: located }) }
}

const undescribed = <Node extends { readonly description?: unknown }>(node: Node): Node => ({
  ...node,
  description: undefined
})

const parametersIn = (
  definition: OperationDefinitionNode,
  definitions: DocumentNode["definitions"],
  schema: GraphQLSchema,
  options: FieldOptions
): ReadonlyArray<Parameter> => {
  const inputs = inputsOf(definitions, schema)
  return (definition.variableDefinitions ?? []).flatMap((variable) => {
    const name = variable.variable.name.value
    // TypeScript's overloads of `typeFromAST` take one kind of node each; this is the one for any type of a variable.
    const type = typeFromAST(schema, variable.type as Parameters<typeof typeFromAST>[1]) as Input["type"] | undefined
    if (type === undefined) return []
    const defaultValue =
      variable.defaultValue === undefined ? undefined : (valueFromAST(variable.defaultValue, type) as unknown)
    const described = describe({ description: variable.description?.value, astNode: variable }, options.readsComments)
    const input = inputs.get(name)
    return [
      {
        name,
        isRequired: variable.type.kind === Kind.NON_NULL_TYPE && variable.defaultValue === undefined,
        input: {
          name,
          type,
          defaultValue,
          description: described ?? (input === undefined ? undefined : describe(input, options.readsComments)),
          deprecationReason: undefined,
          extensions: {},
          astNode: undefined
        }
      }
    ]
  })
}

/** The argument or input field that each variable is given to: it is described where the variable is not. */
const inputsOf = (definitions: DocumentNode["definitions"], schema: GraphQLSchema): ReadonlyMap<string, Input> => {
  const inputs = new Map<string, Input>()
  const types = new TypeInfo(schema)
  const parents: Array<Input | undefined> = []
  const visitor = visitWithTypeInfo(types, {
    Argument: { enter: () => void parents.push(types.getArgument() ?? undefined), leave: () => void parents.pop() },
    ObjectField: {
      enter: (node) => {
        const parent = types.getParentInputType()
        parents.push(
          parent !== undefined && parent !== null && "getFields" in parent
            ? parent.getFields()[node.name.value]
            : undefined
        )
      },
      leave: () => void parents.pop()
    },
    Variable: (node) => {
      const input = parents.at(-1)
      if (input !== undefined && !inputs.has(node.name.value)) inputs.set(node.name.value, input)
    }
  })
  visit({ kind: Kind.DOCUMENT, definitions }, visitor)
  return inputs
}

const descriptionOfField = (
  definition: OperationDefinitionNode,
  schema: GraphQLSchema,
  options: FieldOptions
): string | undefined => {
  const [only, ...others] = definition.selectionSet.selections
  if (only?.kind !== Kind.FIELD || others.length > 0) return undefined
  const field = schema.getRootType(definition.operation)?.getFields()[only.name.value]
  return field === undefined ? undefined : describe(field, options.readsComments)
}

const fail = (error: unknown, source: Source, report: Report, tool?: string): void => {
  const location = error instanceof GraphQLError ? error.locations?.[0] : undefined
  const message = error instanceof Error ? error.message : String(error)
  report.add(tool, location !== undefined && tool === undefined ? "graphql-syntax" : "graphql-invalid", message, {
    severity: "error",
    place: placeOf(location, source)
  })
}

const placeOf = (at: { readonly line: number; readonly column: number } | undefined, source: Source) =>
  at === undefined ? undefined : { file: source.file, line: at.line, column: at.column }

/** The fragments that an operation uses, each once, in the order of the document. */
const fragmentsOf = (
  operation: OperationDefinitionNode,
  document: DocumentNode
): ReadonlyArray<FragmentDefinitionNode> => {
  const all = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  const used = new Set<string>()
  const waiting: Array<OperationDefinitionNode | FragmentDefinitionNode> = [operation]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    visit(node, {
      FragmentSpread: (spread) => {
        if (used.has(spread.name.value)) return
        used.add(spread.name.value)
        waiting.push(...all.filter((fragment) => fragment.name.value === spread.name.value))
      }
    })
  }
  return all.filter((fragment) => used.has(fragment.name.value))
}
