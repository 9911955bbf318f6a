import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { buildSchema, Kind, parse } from "graphql"
import { readersOf } from "./variableReaders.js"

const variables = (
  document: string,
  parameters: ReadonlyArray<string>,
  given: { readonly [name: string]: unknown },
  schema?: string
): unknown => {
  const [operation] = parse(document).definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error("There is no operation")
  const readers = readersOf(operation, parameters, schema === undefined ? undefined : buildSchema(schema))
  return Object.fromEntries(
    readers.map((reader) => [reader.name, reader.read(given)]).filter(([, value]) => value !== undefined)
  )
}

it("reads only what the operation declares, and leaves out what was not given", () => {
  expect(
    variables("query A($a: Int, $b: Int = 3, $c: String) { x(a: $a, b: $b, c: $c) }", ["a", "b", "c", "d"], {
      a: 1,
      c: null,
      d: 4,
      toString: 5
    })
  ).toEqual({ a: 1, c: null })
  expect(variables("query A($toString: Int, $constructor: Int) { x }", [], {})).toEqual({})
})

it("takes null for a variable that cannot be null as not given", () => {
  expect(variables("query A($n: Int! = 3) { x(n: $n) }", ["n"], { n: null })).toEqual({})
})

it("gives scalars in the form that their types have", () => {
  const document = "query A($i: Int, $f: Float!, $s: String, $b: Boolean, $id: ID, $ids: [ID!]!, $own: Own) { x }"
  const names = ["i", "f", "s", "b", "id", "ids", "own"]
  expect(variables(document, names, { i: "12", f: "1.5e3", s: 7, b: "true", id: 1e21, ids: [1, "b"], own: 3 })).toEqual(
    { i: 12, f: 1500, s: "7", b: true, id: "1000000000000000000000", ids: ["1", "b"], own: 3 }
  )
  const wrong = { i: "1.5", f: "much", s: ["a"], b: "yes", id: 1.5, ids: { a: 1 }, own: {} }
  expect(variables(document, names, wrong)).toEqual(wrong)
})

const schema = `
  type Query { x(filter: Filter, order: Order): Int }
  input Filter { ids: [ID!], price_range: Range, not: Filter, status: Status }
  input Range { min: Float, max: Float }
  input Order { by_name: Boolean }
  enum Status { OPEN }
`

it("goes into input objects where the schema is known", () => {
  expect(
    variables(
      "query A($filter: Filter) { x(filter: $filter) }",
      ["filter"],
      {
        filter: { ids: [1], not: { price_range: { min: "1" } }, status: "OPEN", other: 1 }
      },
      schema
    )
  ).toEqual({ filter: { ids: ["1"], not: { price_range: { min: 1 } }, status: "OPEN", other: 1 } })
})

it("puts input objects together from parameters that are named after their fields", () => {
  const document = "query A($filter: Filter, $order: Order) { x(filter: $filter, order: $order) }"
  const parameters = ["filter_ids", "filter_price_range_min", "filter_price_range_max", "order_by_name"]
  expect(variables(document, parameters, { filter_ids: [1], filter_price_range_max: 9 }, schema)).toEqual({
    filter: { ids: ["1"], price_range: { max: 9 } }
  })
  expect(variables(document, parameters, { order_by_name: true })).toEqual({ order: { by_name: true } })
  expect(variables(document, parameters, {}, schema)).toEqual({})
})

it("gives every value of a variable as it was, whatever is in it", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.dictionary(FastCheck.string(), FastCheck.jsonValue()),
      FastCheck.jsonValue(),
      (others, value) => {
        const given = { ...others, own: value }
        const expected = value === null ? null : value
        expect(variables("query A($own: Whatever) { x(own: $own) }", ["own"], given)).toEqual({ own: expected })
      }
    )
  )
})

it("keeps texts, numbers and truth values of matching types exactly", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.string(),
      FastCheck.integer(),
      FastCheck.double({ noNaN: true, noDefaultInfinity: true }),
      FastCheck.boolean(),
      (s, i, f, b) => {
        expect(
          variables("query A($s: String!, $i: Int!, $f: Float!, $b: Boolean!) { x }", ["s", "i", "f", "b"], {
            s,
            i,
            f,
            b
          })
        ).toEqual({ s, i, f, b })
      }
    )
  )
})
