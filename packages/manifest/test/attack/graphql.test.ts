/** Arguments that would take the place of a hidden field of an input object. */
import { assert, it } from "@effect/vitest"
import { buildSchema, Kind, parse } from "graphql"
import { readersOf } from "../../src/graphql/variableReaders.js"

const operationOf = (text: string) => {
  const [first] = parse(text).definitions
  if (first?.kind !== Kind.OPERATION_DEFINITION) throw new Error("no operation")
  return first
}

const schema = buildSchema(`
  input Range { min: Int }
  input Filter { customerid: ID, status: String, range: Range }
  type Query { orders(filter: Filter): [String] }
`)

for (const known of [schema, undefined]) {
  it(`an argument named like the variable does not replace its parts ${known === undefined ? "without" : "with"} a schema`, () => {
    const operation = operationOf("query ($filter: Filter) { orders(filter: $filter) }")
    const [reader] = readersOf(operation, ["filter_customerid", "filter_status"], known)
    const given = { filter_customerid: "7", filter_status: "open", filter: { customerid: "8" } }
    assert.deepStrictEqual(reader?.read(given), { customerid: "7", status: "open" })
  })
}
