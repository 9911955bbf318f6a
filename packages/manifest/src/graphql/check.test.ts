import { expect, it } from "@effect/vitest"
import { buildSchema } from "graphql"
import * as ManifestEntry from "../ManifestEntry.js"
import { check } from "./check.js"

const schema = buildSchema(
  "type Query { orders(status: String, limit: Int): [Int!] } type Subscription { placed: Int }"
)

const entry = (
  query: string | undefined,
  parameters: ReadonlyArray<string> = [],
  operation?: string,
  name = "orders"
) =>
  ManifestEntry.api({
    name,
    parameters: { type: "object", properties: Object.fromEntries(parameters.map((parameter) => [parameter, {}])) },
    api: { query, operation }
  })

const faults = (
  query: string | undefined,
  parameters?: ReadonlyArray<string>,
  operation?: string,
  isKnown = false
): ReadonlyArray<readonly [string, string, number | undefined]> =>
  check(entry(query, parameters, operation), isKnown ? schema : undefined).map((fault) => [
    fault.severity,
    fault.rule,
    fault.offset
  ])

it("finds nothing wrong with an entry whose parameters are the document's variables", () => {
  expect(
    faults(
      "query ($status: String, $limit: Int = 10) { orders(status: $status, limit: $limit) }",
      ["status", "limit"],
      undefined,
      true
    )
  ).toEqual([])
})

it("tells where a document cannot be read, in it and in the file", () => {
  const [fault] = check(entry("query {\n  orders(\n}"), undefined)
  expect(fault).toMatchObject({ severity: "error", rule: "graphql-syntax", path: ["api", "query"], offset: 18 })
  expect(fault?.message).toContain("at line 3, column 1")
  expect(faults(undefined)).toEqual([["error", "query-missing", undefined]])
  expect(faults("  ")).toEqual([["error", "query-missing", undefined]])
})

it("tells which operation is missing or one too many, and refuses subscriptions", () => {
  const two = "query A { orders } query B { orders }"
  expect(faults(two, [], "A")).toEqual([])
  expect(faults(two)).toEqual([["error", "graphql-operation", 19]])
  expect(check(entry(two, [], "C"), undefined)[0]?.message).toBe("The document has no operation C: it has A, B")
  expect(faults("subscription { placed }", [], undefined, true)).toEqual([["error", "graphql-operation", 0]])
  expect(faults("fragment A on B { c }")).toEqual([["error", "graphql-operation", undefined]])
  expect(faults("type A { b: Int }")).toEqual([["error", "graphql-operation", 0]])
})

it("tells a variable without parameter, an error only where nothing can be sent without it, and the reverse", () => {
  const document = "query ($a: Int!, $b: Int, $c: Int! = 1) { orders(a: $a, b: $b, c: $c) }"
  expect(faults(document, ["d", "c"])).toEqual([
    ["error", "variable-without-parameter", 7],
    ["warning", "variable-without-parameter", 17],
    ["warning", "parameter-without-variable", undefined]
  ])
  expect(check(entry(document, ["a", "b", "c", "d"]), undefined)[0]?.path).toEqual([
    "function",
    "parameters",
    "properties",
    "d"
  ])
})

it("asks for no parameters where messages are saved and read, for the program gives their fields", () => {
  const document = "mutation ($role: String!) { save(role: $role) }"
  expect(check(entry(document, [], undefined, "internalSaveChatMessage"), undefined)).toEqual([])
})

it("tells what is not valid, and with the schema what the API does not have", () => {
  expect(faults("query { orders(limit: $limit) ...F }")).toEqual([
    ["error", "graphql-invalid", 33],
    ["error", "graphql-invalid", 22]
  ])
  expect(faults("query { order }")).toEqual([])
  const [fault] = check(entry("query {\n  order\n}"), schema)
  expect(fault).toMatchObject({ severity: "error", rule: "graphql-invalid", offset: 10 })
  expect(fault?.message).toContain(
    'at line 2, column 3 of it: Cannot query field "order" on type "Query". Did you mean "orders"?'
  )
})
