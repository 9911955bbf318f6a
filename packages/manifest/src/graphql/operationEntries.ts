/** The tools of the operations that `.graphql` documents hold. */
import * as GraphQl from "graphql"
import * as Either from "effect/Either"
import type { Source } from "../FromGraphQl.js"
import type * as ManifestEntry from "../ManifestEntry.js"
import type { ManifestProblem } from "../ManifestProblem.js"
import { describe } from "./description.js"
import { entryOf, type Importing, type Input, type Parameter, type Settings } from "./fieldEntry.js"

export const operationEntries = (source: Source, importing: Importing): ReadonlyArray<ManifestEntry.ApiEntry> => {
  const { options, schema } = importing
  const report = (
    problem: Pick<ManifestProblem, "severity" | "rule" | "message" | "tool">,
    at: GraphQl.SourceLocation | undefined
  ) => {
    const place = at === undefined ? undefined : { file: source.file, line: at.line, column: at.column }
    importing.problems.push({ ...problem, path: [], place })
  }
  const fail = (error: unknown, tool?: string): void => {
    const location = error instanceof GraphQl.GraphQLError ? error.locations?.[0] : undefined
    const rule = location !== undefined && tool === undefined ? "graphql-syntax" : "graphql-invalid"
    const message = error instanceof Error ? error.message : String(error)
    report({ severity: "error", rule, message, tool }, location)
  }
  const parsed = Either.try({ try: () => GraphQl.parse(source.text), catch: (error) => error })
  if (Either.isLeft(parsed)) {
    fail(parsed.left)
    return []
  }
  const document = parsed.right
  return document.definitions.flatMap((definition): ReadonlyArray<ManifestEntry.ApiEntry> => {
    if (definition.kind !== GraphQl.Kind.OPERATION_DEFINITION) return []
    const name = definition.name?.value
    const leaveOut = (rule: string, message: string): ReadonlyArray<never> => {
      report({ severity: "warning", rule, message, tool: name }, definition.loc?.startToken)
      return []
    }
    if (name === undefined) {
      return leaveOut("operation-without-name", "The operation has no name, so no tool is made: name it")
    }
    if (!importing.isTaken(name)) return []
    const kind = definition.operation
    if (kind === GraphQl.OperationTypeNode.SUBSCRIPTION) {
      return leaveOut("subscription", "A subscription answers more than once, so no tool is made of it")
    }
    const own = withoutDescriptions(definition, document)
    const errors = GraphQl.validate(schema, { kind: GraphQl.Kind.DOCUMENT, definitions: own.located })
    for (const error of errors) fail(error, name)
    if (errors.length > 0) return []
    const described = describe({ description: definition.description?.value, astNode: definition }, options)
    return [
      entryOf(
        {
          name: importing.toolNameOf(name, kind),
          kind,
          description: described ?? descriptionOfField(definition, schema, options),
          parameters: parametersIn(definition, own.located, schema, options),
          query: own.text,
          path: undefined
        },
        importing
      )
    ]
  })
}

/** The operation with the fragments that it uses; servers older than descriptions on operations refuse them. */
const withoutDescriptions = (definition: GraphQl.OperationDefinitionNode, document: GraphQl.DocumentNode) => {
  const located = [definition, ...fragmentsOf(definition, document)].map((node) =>
    GraphQl.visit(node, {
      OperationDefinition: undescribed,
      FragmentDefinition: undescribed,
      VariableDefinition: undescribed
    })
  )
  return { located, text: GraphQl.print({ kind: GraphQl.Kind.DOCUMENT, definitions: located }) }
}

const undescribed = <Node extends { readonly description?: unknown }>(node: Node): Node => ({
  ...node,
  description: undefined
})

const parametersIn = (
  definition: GraphQl.OperationDefinitionNode,
  definitions: GraphQl.DocumentNode["definitions"],
  schema: GraphQl.GraphQLSchema,
  options: Settings
): ReadonlyArray<Parameter> => {
  const inputs = inputsOf(definitions, schema)
  return (definition.variableDefinitions ?? []).flatMap((variable) => {
    const name = variable.variable.name.value
    // TypeScript's overloads of `typeFromAST` take one kind of node each; this is the one for any type of a variable.
    const type = GraphQl.typeFromAST(schema, variable.type as Parameters<typeof GraphQl.typeFromAST>[1]) as
      | Input["type"]
      | undefined
    if (type === undefined) return []
    const defaultValue: unknown =
      variable.defaultValue === undefined ? undefined : GraphQl.valueFromAST(variable.defaultValue, type)
    const described = describe({ description: variable.description?.value, astNode: variable }, options)
    const input = inputs.get(name)
    return [
      {
        name,
        isRequired: variable.type.kind === GraphQl.Kind.NON_NULL_TYPE && variable.defaultValue === undefined,
        input: {
          name,
          type,
          defaultValue,
          description: described ?? (input === undefined ? undefined : describe(input, options)),
          deprecationReason: undefined,
          extensions: {},
          astNode: undefined
        }
      }
    ]
  })
}

/** The argument or input field that each variable is given to: it is described where the variable is not. */
const inputsOf = (
  definitions: GraphQl.DocumentNode["definitions"],
  schema: GraphQl.GraphQLSchema
): ReadonlyMap<string, Input> => {
  const inputs = new Map<string, Input>()
  const types = new GraphQl.TypeInfo(schema)
  const parents: Array<Input | undefined> = []
  const visitor = GraphQl.visitWithTypeInfo(types, {
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
  GraphQl.visit({ kind: GraphQl.Kind.DOCUMENT, definitions }, visitor)
  return inputs
}

const descriptionOfField = (
  definition: GraphQl.OperationDefinitionNode,
  schema: GraphQl.GraphQLSchema,
  options: Settings
) => {
  const [only, ...others] = definition.selectionSet.selections
  if (only?.kind !== GraphQl.Kind.FIELD || others.length > 0) return undefined
  const field = schema.getRootType(definition.operation)?.getFields()[only.name.value]
  return field === undefined ? undefined : describe(field, options)
}

const fragmentsOf = (operation: GraphQl.OperationDefinitionNode, document: GraphQl.DocumentNode) => {
  const all = document.definitions.filter((definition) => definition.kind === GraphQl.Kind.FRAGMENT_DEFINITION)
  const used = new Set<string>()
  const addSpreads = (node: GraphQl.OperationDefinitionNode | GraphQl.FragmentDefinitionNode) =>
    GraphQl.visit(node, { FragmentSpread: (spread) => void used.add(spread.name.value) })
  addSpreads(operation)
  for (const name of used) all.filter((fragment) => fragment.name.value === name).forEach(addSpreads)
  return all.filter((fragment) => used.has(fragment.name.value))
}
