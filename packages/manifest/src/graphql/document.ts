/** Reads the document of an entry, and says which of its operations is meant. */
import {
  type DocumentNode,
  GraphQLError,
  GraphQLSchema,
  Kind,
  KnownFragmentNamesRule,
  LoneAnonymousOperationRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  UniqueArgumentNamesRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule,
  validate
} from "graphql"
import * as Either from "effect/Either"
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault } from "../Problem.js"

export interface Document {
  readonly text: string
  readonly operation: OperationDefinitionNode
  /** Which operation is to be run; absent for the only one of a document, where it has no name. */
  readonly operationName: string | undefined
}

export interface ReadDocument {
  readonly document: Document | undefined
  readonly faults: ReadonlyArray<Fault>
}

const path = ["api", "query"]

const failed = (fault: Omit<Fault, "severity" | "path">): ReadDocument => ({
  document: undefined,
  faults: [{ severity: "error", path, ...fault }]
})

/** The document of an entry; what is valid anyway is all that is known without a schema. */
export const read = (entry: ApiEntry, schema: GraphQLSchema | undefined): ReadDocument => {
  const text = entry.api.query
  if (text === undefined || text.trim() === "") {
    return failed({ rule: "query-missing", message: "A GraphQL API needs a document: give it as `query`" })
  }
  const parsed = Either.try({ try: () => parse(text), catch: (error) => error })
  if (Either.isLeft(parsed)) return failed(syntaxFault(parsed.left))
  const chosen = choose(parsed.right, entry.api.operation)
  if ("rule" in chosen) return failed(chosen)
  const errors =
    schema === undefined ? validate(anySchema, parsed.right, rulesWithoutSchema) : validate(schema, parsed.right)
  if (errors.length > 0) {
    return { document: undefined, faults: errors.map((error) => ({ severity: "error", path, ...invalidFault(error) })) }
  }
  return {
    document: { text, operation: chosen, operationName: chosen.name?.value },
    faults: []
  }
}

/** The rules ask for a schema, but these never look at it. */
const anySchema = new GraphQLSchema({ assumeValid: true })

const rulesWithoutSchema = [
  KnownFragmentNamesRule,
  LoneAnonymousOperationRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  UniqueArgumentNamesRule,
  UniqueFragmentNamesRule,
  UniqueInputFieldNamesRule,
  UniqueOperationNamesRule,
  UniqueVariableNamesRule
]

type Said = Omit<Fault, "severity" | "path">

const choose = (document: DocumentNode, wanted: string | undefined): OperationDefinitionNode | Said => {
  const other = document.definitions.find(
    ({ kind }) => kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION
  )
  if (other !== undefined) {
    return {
      rule: "graphql-operation",
      message: "The document defines types: expected a query or a mutation, and its fragments",
      offset: other.loc?.start
    }
  }
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const names = operations.map((operation) => operation.name?.value ?? "(without a name)").join(", ")
  const [first, ...others] = wanted === undefined ? operations : operations.filter(({ name }) => name?.value === wanted)
  if (first === undefined) {
    return {
      rule: "graphql-operation",
      message:
        operations.length === 0
          ? "The document has no operation: expected a query or a mutation"
          : `The document has no operation ${wanted}: it has ${names}`
    }
  }
  if (others.length > 0) {
    return {
      rule: "graphql-operation",
      message: `The document has several operations: name one of them as \`operation\` (${names})`,
      offset: others[0]?.loc?.start
    }
  }
  if (first.operation === OperationTypeNode.SUBSCRIPTION) {
    return {
      rule: "graphql-operation",
      message: "A subscription answers more than once, which a tool cannot: expected a query or a mutation",
      offset: first.loc?.start
    }
  }
  return first
}

const syntaxFault = (error: unknown): Said =>
  error instanceof GraphQLError
    ? {
        rule: "graphql-syntax",
        message: `The document cannot be read${where(error)}: ${error.message}`,
        offset: error.positions?.[0]
      }
    : { rule: "graphql-syntax", message: `The document cannot be read: ${String(error)}` }

const invalidFault = (error: GraphQLError): Said => ({
  rule: "graphql-invalid",
  message: `The document is not valid${where(error)}: ${error.message}`,
  offset: error.positions?.[0]
})

const where = (error: GraphQLError): string => {
  const at = error.locations?.[0]
  return at === undefined ? "" : ` at line ${at.line}, column ${at.column} of it`
}
