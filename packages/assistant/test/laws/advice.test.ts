import { describe, expect, it } from "@effect/vitest"
import { Predicate, Schema, SchemaAST } from "effect"
import { everyTool } from "../toolkits/toolkits.js"

interface Failure {
  readonly name: string
  readonly fields: ReadonlyArray<SchemaAST.PropertySignature>
}

/** Every failure of a schema of failures. One that is no class with fields has none, and fails the law. */
const failuresOf = (ast: SchemaAST.AST): ReadonlyArray<Failure> => {
  if (SchemaAST.isNeverKeyword(ast)) return []
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(failuresOf)
  const encoded = SchemaAST.encodedAST(ast)
  const fields = SchemaAST.getPropertySignatures(encoded)
  const tag = fields.find(({ name }) => name === "_tag")?.type
  return [{ name: tag !== undefined && SchemaAST.isLiteral(tag) ? String(tag.literal) : "untagged", fields }]
}

const failures = everyTool.flatMap((tool) =>
  // Every tool has it, though its widest type does not say so.
  Predicate.hasProperty(tool, "failureSchema") && Schema.isSchema(tool.failureSchema)
    ? failuresOf(tool.failureSchema.ast).map((failure) => ({ tool: tool.name, ...failure }))
    : [{ tool: tool.name, name: "no schema", fields: [] }]
)

describe("the failures of all tools", () => {
  it("are found", () => {
    const names = new Set(failures.map(({ name }) => name))
    expect([...names]).toEqual(expect.arrayContaining(["GoalNameTaken", "FileRefused", "PastEnd", "OutsideRoot"]))
    expect(failures.filter(({ tool }) => tool === "search_documents")).toEqual([])
  })

  it("tell the model in a field of text what to do next", () => {
    const silent = failures.filter(
      ({ fields }) =>
        !fields.some(
          ({ isOptional, name, type }) => name === "advice" && !isOptional && SchemaAST.isStringKeyword(type)
        )
    )
    expect(silent.map(({ name, tool }) => `${tool}: ${name}`)).toEqual([])
  })
})
