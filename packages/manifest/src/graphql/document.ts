/** Reads the document of an entry, and says which of its operations is meant. */
import * as GraphQl from "graphql"
import * as Either from "effect/Either"
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault } from "../ManifestProblem.js"

export interface Document {
  readonly text: string
  readonly operation: GraphQl.OperationDefinitionNode
  /** Which operation is to be run; absent for the only one of a document, where it has no name. */
  readonly operationName: string | undefined
}

export interface ReadDocument {
  readonly document: Document | undefined
  readonly faults: ReadonlyArray<Fault>
}

const path = ["api", "query"]

type Said = Omit<Fault, "severity" | "path">

const failed = (fault: Said): ReadDocument => ({
  document: undefined,
  faults: [{ severity: "error", path, ...fault }]
})

/** The document of an entry; what is valid anyway is all that is known without a schema. */
export const read = (entry: ApiEntry, schema: GraphQl.GraphQLSchema | undefined): ReadDocument => {
  const text = entry.api.query
  if (text === undefined || text.trim() === "") {
    return failed({ rule: "query-missing", message: "A GraphQL API needs a document: give it as `query`" })
  }
  // The parser throws nothing else.
  const parsed = Either.try({ try: () => GraphQl.parse(text), catch: (error) => error as GraphQl.GraphQLError })
  if (Either.isLeft(parsed)) return failed(faultOf("graphql-syntax", "cannot be read", parsed.left))
  const chosen = choose(parsed.right, entry.api.operation)
  if ("rule" in chosen) return failed(chosen)
  const errors =
    schema === undefined
      ? GraphQl.validate(anySchema, parsed.right, rulesWithoutSchema)
      : GraphQl.validate(schema, parsed.right)
  if (errors.length > 0) {
    const faults = errors.map((error) => faultOf("graphql-invalid", "is not valid", error))
    return { document: undefined, faults: faults.map((fault) => ({ severity: "error", path, ...fault })) }
  }
  return { document: { text, operation: chosen, operationName: chosen.name?.value }, faults: [] }
}

/** The rules ask for a schema, but these never look at it. */
const anySchema = new GraphQl.GraphQLSchema({ assumeValid: true })

const rulesWithoutSchema = [
  GraphQl.KnownFragmentNamesRule,
  GraphQl.LoneAnonymousOperationRule,
  GraphQl.NoFragmentCyclesRule,
  GraphQl.NoUndefinedVariablesRule,
  GraphQl.NoUnusedFragmentsRule,
  GraphQl.NoUnusedVariablesRule,
  GraphQl.UniqueArgumentNamesRule,
  GraphQl.UniqueFragmentNamesRule,
  GraphQl.UniqueInputFieldNamesRule,
  GraphQl.UniqueOperationNamesRule,
  GraphQl.UniqueVariableNamesRule
]

const choose = (document: GraphQl.DocumentNode, wanted: string | undefined): GraphQl.OperationDefinitionNode | Said => {
  const wrong = (message: string, at?: GraphQl.ASTNode): Said => ({
    rule: "graphql-operation",
    message,
    offset: at?.loc?.start
  })
  const other = document.definitions.find(
    ({ kind }) => kind !== GraphQl.Kind.OPERATION_DEFINITION && kind !== GraphQl.Kind.FRAGMENT_DEFINITION
  )
  if (other !== undefined) {
    return wrong("The document defines types: expected a query or a mutation, and its fragments", other)
  }
  const operations = document.definitions.filter((definition) => definition.kind === GraphQl.Kind.OPERATION_DEFINITION)
  const names = operations.map((operation) => operation.name?.value ?? "(without a name)").join(", ")
  const [first, second] = wanted === undefined ? operations : operations.filter(({ name }) => name?.value === wanted)
  if (operations.length === 0) return wrong("The document has no operation: expected a query or a mutation")
  if (first === undefined) return wrong(`The document has no operation ${wanted}: it has ${names}`)
  if (second !== undefined) {
    return wrong(`The document has several operations: name one of them as \`operation\` (${names})`, second)
  }
  if (first.operation === GraphQl.OperationTypeNode.SUBSCRIPTION) {
    return wrong("A subscription answers more than once, which a tool cannot: expected a query or a mutation", first)
  }
  return first
}

const faultOf = (rule: string, what: string, error: GraphQl.GraphQLError): Said => {
  const at = error.locations?.[0]
  const where = at === undefined ? "" : ` at line ${at.line}, column ${at.column} of it`
  return { rule, message: `The document ${what}${where}: ${error.message}`, offset: error.positions?.[0] }
}
