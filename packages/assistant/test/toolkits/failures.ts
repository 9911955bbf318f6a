/** The failures of every tool, read from its schema. */
import type { Tool } from "@effect/ai"
import { Predicate, Schema, SchemaAST } from "effect"

export interface Failure {
  readonly name: string
  readonly fields: ReadonlyArray<SchemaAST.PropertySignature>
}

/** One that is no class with fields has no fields here. */
const within = (ast: SchemaAST.AST): ReadonlyArray<Failure> => {
  if (SchemaAST.isNeverKeyword(ast)) return []
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(within)
  const fields = SchemaAST.getPropertySignatures(SchemaAST.encodedAST(ast))
  const tag = fields.find(({ name }) => name === "_tag")?.type
  return [{ name: tag !== undefined && SchemaAST.isLiteral(tag) ? String(tag.literal) : "untagged", fields }]
}

export const failuresOf = (tool: Tool.Any): ReadonlyArray<Failure> =>
  // Every tool has it, though its widest type does not say so.
  Predicate.hasProperty(tool, "failureSchema") && Schema.isSchema(tool.failureSchema)
    ? within(tool.failureSchema.ast)
    : [{ name: "no schema", fields: [] }]
