import { runInNewContext } from "node:vm"
import { expect, it } from "@effect/vitest"
import { Json, JsonSchema } from "@wield/core"
import { Effect, Either } from "effect"
import { buildSchema, introspectionFromSchema, parse, validate } from "graphql"
import * as FromGraphQl from "./FromGraphQl.js"
import type { ApiEntry } from "./ManifestEntry.js"

const only = (imported: FromGraphQl.Imported): ApiEntry => {
  expect(imported.entries).toHaveLength(1)
  const [entry] = imported.entries
  if (entry === undefined) throw new Error("There is no entry")
  return entry
}

/** White space of a document is not what these tests are about. */
const query = (entry: ApiEntry): string =>
  (entry.api.query ?? "")
    .replace(/\s+/g, " ")
    .replace(/\( | (?=\))/g, (text) => text.trim())
    .trim()

const properties = (entry: ApiEntry): { readonly [name: string]: unknown } => {
  const value = entry.function.parameters["properties"]
  return Json.isObject(value) ? value : {}
}

const shop = `
  "When something happened" scalar DateTime
  type Query {
    """
    Orders of a customer
    """
    orders("Whose" customer: ID!, status: Status = OPEN, tags: [String!], since: DateTime): [Order!]
    old: Int @deprecated(reason: "Use orders")
  }
  type Mutation { place(order: OrderInput!): Order }
  type Subscription { placed: Order }
  enum Status { "Not yet sent" OPEN SENT LOST @deprecated }
  input OrderInput { product: ID!, count: Int! = 1, address: AddressInput!, note: String }
  input AddressInput { city: String!, zip: String }
  type Order {
    id: ID!
    total: Float!
    customer: Customer
    history(first: Int!): [String!]
    lines(limit: Int = 5): [Line!]
  }
  type Customer { id: ID! name: String orders: [Order!] friend: Customer }
  type Line { count: Int! product: Product }
  type Product { id: ID! maker: Maker }
  type Maker { name: String }
`

it.effect("turns arguments into parameters, with lists, enums, defaults and descriptions", () =>
  Effect.gen(function* () {
    const entry = only(yield* FromGraphQl.entries(shop, { include: ["orders"] }))
    expect(entry.function).toEqual({
      name: "orders",
      description: "Orders of a customer",
      parameters: {
        type: "object",
        properties: {
          customer: { type: "string", description: "Whose" },
          status: {
            type: ["string", "null"],
            description: "OPEN: Not yet sent",
            enum: ["OPEN", "SENT", "LOST", null],
            default: "OPEN"
          },
          tags: { type: ["array", "null"], items: { type: "string" } },
          since: { type: ["string", "null"] }
        },
        required: ["customer"]
      }
    })
  })
)

it.effect("selects down to the depth, without what contains itself and what needs arguments", () =>
  Effect.gen(function* () {
    const imported = yield* FromGraphQl.entries(shop, { include: ["orders"] })
    expect(query(only(imported))).toBe(
      "query orders($customer: ID!, $status: Status = OPEN, $tags: [String!], $since: DateTime) { " +
        "orders(customer: $customer, status: $status, tags: $tags, since: $since) { " +
        "id total customer { id name } lines { count product { id } } } }"
    )
    expect(imported.problems.map(({ message, rule }) => [rule, message.split(":")[0]])).toEqual([
      ["field-needs-arguments", "Order.history"],
      ["scalar-without-schema", "What the scalar DateTime looks like in JSON is not known, and a text is assumed"]
    ])
    const deeper = yield* FromGraphQl.entries(shop, { include: ["orders"], maxDepth: 4 })
    expect(query(only(deeper))).toContain("product { id maker { name } }")
  })
)

it.effect("states that queries are read-only, and nothing of mutations", () =>
  Effect.gen(function* () {
    const { entries } = yield* FromGraphQl.entries(shop)
    expect(entries.map((entry) => [entry.function.name, entry.facts])).toEqual([
      ["orders", { isReadOnly: true, isDestructive: false, isIdempotent: true }],
      ["old", { isReadOnly: true, isDestructive: false, isIdempotent: true }],
      ["place", {}]
    ])
  })
)

it.effect("leaves out what is deprecated on request, and says it of what stays", () =>
  Effect.gen(function* () {
    const all = yield* FromGraphQl.entries(shop, { include: ["old"] })
    expect(only(all).function.description).toBe("Deprecated: Use orders")
    const current = yield* FromGraphQl.entries(shop, { deprecated: false, include: ["o*"] })
    expect(properties(only(current))["status"]).toMatchObject({ enum: ["OPEN", "SENT", null] })
  })
)

it.effect("keeps input objects as objects, or makes parameters of their fields", () =>
  Effect.gen(function* () {
    const nested = only(yield* FromGraphQl.entries(shop, { include: ["place"] }))
    expect(properties(nested)["order"]).toEqual({
      type: "object",
      properties: {
        product: { type: "string" },
        count: { type: "integer", default: 1 },
        address: {
          type: "object",
          properties: { city: { type: "string" }, zip: { type: ["string", "null"] } },
          required: ["city"],
          additionalProperties: false
        },
        note: { type: ["string", "null"] }
      },
      required: ["product", "address"],
      additionalProperties: false
    })
    expect(query(nested)).toContain("mutation place($order: OrderInput!) { place(order: $order)")

    const flat = only(yield* FromGraphQl.entries(shop, { include: ["place"], inputObjects: "flat" }))
    expect(flat.function.parameters["required"]).toEqual(["product", "address_city"])
    expect(query(flat)).toContain(
      "mutation place($product: ID!, $count: Int! = 1, $address_city: String!, $address_zip: String, $note: String) { " +
        "place(order: {product: $product, count: $count, address: {city: $address_city, zip: $address_zip}, note: $note})"
    )
  })
)

it.effect(
  "makes parameters of an optional input object's fields, but not of one with a default or within another",
  () =>
    Effect.gen(function* () {
      const entry = only(
        yield* FromGraphQl.entries(
          `type Query { orders(filter: Filter, page: Page = { first: 10 }, by: By): Int }
         input Filter { status: String!, price: Range, place: Place! } input Range { min: Float }
         input Place { city: String } input Page { first: Int } input By @oneOf { id: ID, name: String }`,
          { inputObjects: "flat" }
        )
      )
      expect(query(entry)).toBe(
        "query orders($status: String!, $price: Range, $place_city: String, $page: Page = {first: 10}, $by: By) { " +
          "orders(filter: {status: $status, price: $price, place: {city: $place_city}} page: $page by: $by) }"
      )
      // As Acorn has it: what the object requires is required, though the object is not.
      expect(entry.function.parameters["required"]).toEqual(["status"])
    })
)

it.effect("takes an explicit null for what may be null, and for nothing else", () =>
  Effect.gen(function* () {
    const { entries } = yield* FromGraphQl.entries(
      `
      type Query { a: Int }
      type Mutation { update(id: ID!, name: String, status: Status, tags: [String!], near: Place, patch: Patch!): Int }
      enum Status { OPEN } scalar Place
      input Patch { note: String, count: Int!, next: Patch }
    `,
      { scalars: { Place: { anyOf: [{ type: "string" }, { type: "number" }] } } }
    )
    const parameters = entries[1]?.function.parameters ?? {}
    const validator = yield* JsonSchema.compile(parameters)
    const isValid = (value: object) => Either.isRight(validator.validate({ id: "1", patch: { count: 1 }, ...value }))
    for (const valid of [
      { name: null, status: null, tags: null, near: null },
      { name: "a", status: "OPEN", tags: ["a"], near: 1 },
      { patch: { count: 1, note: null, next: { count: 2, next: null } } }
    ]) {
      expect(isValid(valid)).toBe(true)
    }
    for (const invalid of [
      { id: null },
      { tags: [null] },
      { patch: null },
      { patch: { count: null } },
      { status: 1 }
    ]) {
      expect(isValid(invalid)).toBe(false)
    }
  })
)

it.effect("gives two fields of one name in two flat input objects names of their own", () =>
  Effect.gen(function* () {
    const entry = only(
      yield* FromGraphQl.entries(
        "type Query { move(from: Place!, to: Place!, id: Int, x: Int): Int } input Place { x: Int!, id: Int }",
        { inputObjects: "flat" }
      )
    )
    expect(Object.keys(properties(entry))).toEqual(["x", "id", "to_x", "to_id", "id_2", "x_2"])
    expect(query(entry)).toContain("move(from: {x: $x, id: $id}, to: {x: $to_x, id: $to_id}, id: $id_2, x: $x_2)")
  })
)

it.effect("makes a definition of an input object that contains itself", () =>
  Effect.gen(function* () {
    const entry = only(
      yield* FromGraphQl.entries(`
        type Query { find(where: Filter): Int }
        input Filter { and: [Filter!], not: Filter, name: Comparison, city: Comparison }
        input Comparison { eq: String, in: [String!] }
      `)
    )
    const validator = yield* JsonSchema.compile(entry.function.parameters)
    const isValid = (value: unknown) => Either.isRight(validator.validate(value))
    expect(isValid({ where: { and: [{ not: { name: { eq: "a" } } }] } })).toBe(true)
    expect(isValid({ where: { and: [{ not: { name: { eq: 1 } } }] } })).toBe(false)
    expect(Object.keys(Object(entry.function.parameters["$defs"]))).toEqual(["Filter", "Comparison"])
  })
)

it.effect("leaves out input objects that lie too deep where they are optional, and says so", () =>
  Effect.gen(function* () {
    const imported = yield* FromGraphQl.entries(
      "type Query { find(a: A): Int } input A { b: B, r: R! } input B { c: C, n: Int } input C { n: Int } input R { d: C! }",
      { maxInputDepth: 1 }
    )
    expect(properties(only(imported))["a"]).toMatchObject({ properties: { r: { properties: { d: {} } } } })
    expect(imported.problems).toMatchObject([{ rule: "input-too-deep", tool: "find" }])
    expect(imported.problems[0]?.message).toMatch(/^A\.b: /)
  })
)

it.effect("asks members of unions and interfaces by inline fragments, with other names for what cannot be merged", () =>
  Effect.gen(function* () {
    const entry = only(
      yield* FromGraphQl.entries(
        `
        type Query { search: [Result!] node: Node }
        union Result = Book | Film | Error
        interface Node { id: ID! }
        type Book implements Node { id: ID! size: Int! title: String }
        type Film implements Node { id: ID! size: Float! title: String }
        type Error { message: String }
      `,
        { include: ["search"] }
      )
    )
    expect(query(entry)).toBe(
      "query search { search { __typename ... on Book { id size title } " +
        "... on Film { id Film_size: size title } ... on Error { message } } }"
    )
    const node = only(
      yield* FromGraphQl.entries(`
        type Query { node: Node }
        interface Node { id: ID! }
        type Book implements Node { id: ID! title: String }
        type Tag implements Node { id: ID! }
      `)
    )
    expect(query(node)).toBe("query node { node { __typename id ... on Book { title } } }")
  })
)

it.effect("selects a smaller depth where the answer would have too many fields, and says so", () =>
  Effect.gen(function* () {
    const many = Array.from({ length: 30 }, (_, index) => `f${index}: Int`).join(" ")
    const schema = `type Query { a: A } type A { x: Int b: B c: C } type B { ${many} } type C { ${many} }`
    const imported = yield* FromGraphQl.entries(schema, { maxFields: 40 })
    expect(query(only(imported))).toBe("query a { a { x } }")
    expect(imported.problems).toMatchObject([{ rule: "selection-too-large", tool: "a", severity: "warning" }])

    const none = yield* FromGraphQl.entries(schema, { maxFields: 0 })
    expect(none.entries).toEqual([])
    expect(none.problems).toMatchObject([{ rule: "selection-too-large" }])
  })
)

it.effect("asks for the type's name where there is nothing else to ask for", () =>
  Effect.gen(function* () {
    const entry = only(yield* FromGraphQl.entries("type Query { a: A } type A { b(n: Int!): Int }"))
    expect(query(entry)).toBe("query a { a { __typename } }")
  })
)

it.effect("maps custom scalars, and says which ones it does not know", () =>
  Effect.gen(function* () {
    const imported = yield* FromGraphQl.entries(shop, {
      include: ["orders"],
      scalars: { DateTime: { type: "string", format: "date-time" } }
    })
    expect(properties(only(imported))["since"]).toEqual({ type: ["string", "null"], format: "date-time" })
    expect(imported.problems.map(({ rule }) => rule)).toEqual(["field-needs-arguments"])
  })
)

it.effect("gives names that are valid and unique", () =>
  Effect.gen(function* () {
    const long = "a".repeat(70)
    const { entries } = yield* FromGraphQl.entries(
      `type Query { user: Int ${long}: Int ${long}b: Int } type Mutation { user: Int other: Int }`,
      { name: (name) => (name === "other" ? "über den Dächern" : name) }
    )
    expect(entries.map((entry) => entry.function.name)).toEqual([
      "user",
      "a".repeat(64),
      `${"a".repeat(62)}_2`,
      "user_2",
      "_ber_den_D_chern"
    ])
  })
)

it.effect("takes and leaves fields by name, pattern and expression", () =>
  Effect.gen(function* () {
    const schema = "type Query { orders: Int order: Int InternalGetChatMessages: Int users: Int }"
    const names = (options: FromGraphQl.Options) =>
      Effect.map(FromGraphQl.entries(schema, options), ({ entries }) => entries.map((entry) => entry.function.name))
    expect(yield* names({ exclude: ["Internal*"] })).toEqual(["orders", "order", "users"])
    expect(yield* names({ include: ["order*", /^USERS$/i], exclude: ["order"] })).toEqual(["orders", "users"])
    expect(yield* names({ include: [/order/g] })).toEqual(["orders", "order"])
    expect(yield* names({ include: [runInNewContext("/^order$/")] })).toEqual(["order"])
    expect(yield* names({ fields: false })).toEqual([])
  })
)

it.effect("names the parameters that the context supplies, in any case", () =>
  Effect.gen(function* () {
    const { entries } = yield* FromGraphQl.entries("type Query { a(customerId: Int): Int b(x: Int): Int }", {
      context: ["CUSTOMERID"]
    })
    expect(entries.map(({ context }) => context)).toEqual([["customerId"], []])
  })
)

it.effect("reads introspection as it reads SDL", () =>
  Effect.gen(function* () {
    const introspection = introspectionFromSchema(buildSchema(shop), { inputValueDeprecation: true, oneOf: true })
    const { entries } = yield* FromGraphQl.entries(shop)
    for (const schema of [{ data: introspection }, { ...introspection }, JSON.stringify({ data: introspection })]) {
      expect((yield* FromGraphQl.entries(schema)).entries).toEqual(entries)
    }
  })
)

it.effect("reads a schema with thousands of faults in time that grows with its length", () =>
  Effect.gen(function* () {
    const count = 10_000
    const { problems } = yield* FromGraphQl.entries(`type Query { ${"a: Int ".repeat(count)} }`)
    const empty = Array.from({ length: count }, (_, index) => `type T${index}`).join(" ")
    const error = yield* Effect.flip(FromGraphQl.entries(`type Query { a: Int } ${empty}`))
    for (const { message } of [problems[0] ?? { message: "" }, error]) {
      expect(message).toMatch(/more$/)
      expect(message.length).toBeLessThan(2000)
    }
  })
)

it.effect("reads SDL with directives, base types and scalars that only its server knows", () =>
  Effect.gen(function* () {
    const { entries, problems } = yield* FromGraphQl.entries(`
      extend schema @link(url: "https://specs.example/federation")
      extend type Query { order(id: UUID!): Order @auth }
      extend type Mutation { place(order: OrderInput!): Order }
      extend input OrderInput { product: ID! }
      type Order @key(fields: "id") { id: ID! placed: Moment }
    `)
    expect(entries.map((entry) => [entry.function.name, entry.function.parameters["properties"]])).toEqual([
      ["order", { id: { type: "string" } }],
      ["place", { order: expect.objectContaining({ required: ["product"] }) }]
    ])
    expect(entries[0]?.api.query).toContain("placed")
    expect(problems.map(({ rule, severity }) => [severity, rule])).toContainEqual(["warning", "graphql-schema"])
    expect(problems[0]?.message).toContain('Unknown directive "@auth".')
  })
)

it.effect("reads SDL that states a field twice, and says so", () =>
  Effect.gen(function* () {
    const schema = "type Query { a: Int, b(first: Int): Int, a: Int }"
    const { entries, problems } = yield* FromGraphQl.entries(schema)
    expect(entries.map((entry) => entry.function.name)).toEqual(["a", "b"])
    expect(problems).toMatchObject([
      { severity: "warning", message: expect.stringContaining('Field "Query.a" can only be defined once.') }
    ])
  })
)

it.effect("says what is wrong with a schema, and where", () =>
  Effect.gen(function* () {
    const syntax = yield* Effect.flip(FromGraphQl.entries("type Query {\n  a: Int!!\n}"))
    expect(syntax.message).toContain("2:10: Syntax Error")
    const rules = yield* Effect.flip(
      FromGraphQl.entries("type Query { a: Int } interface I { b: Int } type T implements I { c: Int }")
    )
    expect(rules.faults[0]?.message).toContain("Interface field I.b expected but T does not provide it.")
    for (const text of ["{ broken", '{"data":{}}', '{"__schema":{"types":"many"}}']) {
      expect((yield* Effect.flip(FromGraphQl.entries(text)))._tag).toBe("InvalidSchema")
    }
  })
)

it.effect("reads SDL and an introspection behind a byte order mark", () =>
  Effect.gen(function* () {
    const sdl = "type Query { safe: Int }"
    for (const text of [sdl, JSON.stringify({ data: introspectionFromSchema(buildSchema(sdl)) })]) {
      const { entries } = yield* FromGraphQl.entries(`\uFEFF${text}`)
      expect(entries.map((entry) => entry.function.name)).toEqual(["safe"])
    }
  })
)

it.effect("lets no name of an introspection become a part of a document", () =>
  Effect.gen(function* () {
    const introspection = JSON.stringify(introspectionFromSchema(buildSchema("type Query { safe: Int }")))
    const hostile = introspection.replaceAll('"safe"', '"safe } mutation { deleteEverything"')
    expect((yield* Effect.flip(FromGraphQl.entries(hostile))).message).toContain("Names must only contain")
  })
)

it.effect("takes comments of a schema for descriptions where it is asked to", () =>
  Effect.gen(function* () {
    const schema = `type Query {
      # All orders
      orders(
        # At most so many
        limit: Int): Int
    }`
    const { entries } = yield* FromGraphQl.entries(schema, { commentDescriptions: true })
    expect(entries[0]?.function).toMatchObject({
      description: "All orders",
      parameters: { properties: { limit: { description: "At most so many" } } }
    })
  })
)

const operations = `
  # Orders that were not sent
  query OpenOrders(
    # The customer
    $id: ID!, $many: [String!] = ["new"]) { orders(customer: $id, status: OPEN, tags: $many) { ...Short } }
  fragment Short on Order { id total ...Nothing }
  fragment Nothing on Order { __typename }
  fragment Unused on Order { id }
  "Places an order in a city"
  mutation PlaceIn("Where to" $city: String!, $product: ID!) { place(order: { product: $product, address: { city: $city } }) { id } }
  subscription Watch { placed { id } }
`

it.effect("makes tools of operations, each with the fragments that it uses", () =>
  Effect.gen(function* () {
    const imported = yield* FromGraphQl.entries(shop, {
      fields: false,
      operations: [operations],
      commentDescriptions: true,
      context: ["id"]
    })
    const [open, place] = imported.entries
    expect(open?.function).toEqual({
      name: "OpenOrders",
      description: "Orders that were not sent",
      parameters: {
        type: "object",
        properties: {
          id: { type: "string", description: "The customer" },
          many: { type: ["array", "null"], items: { type: "string" }, default: ["new"] }
        },
        required: ["id"]
      }
    })
    expect(open?.context).toEqual(["id"])
    expect(open && query(open)).toBe(
      'query OpenOrders($id: ID!, $many: [String!] = ["new"]) { orders(customer: $id, status: OPEN, tags: $many) { ...Short } } ' +
        "fragment Short on Order { id total ...Nothing } fragment Nothing on Order { __typename }"
    )
    // Servers that are older than descriptions on operations refuse them.
    expect(place && query(place)).toMatch(/^mutation PlaceIn\(\$city: String!, \$product: ID!\)/)
    expect(place?.function.description).toBe("Places an order in a city")
    expect(place && properties(place)["city"]).toEqual({ type: "string", description: "Where to" })
    expect(imported.problems.map(({ rule, tool }) => [rule, tool])).toEqual([["subscription", "Watch"]])
  })
)

it.effect("describes an operation and its variables by the field and the arguments that it asks for", () =>
  Effect.gen(function* () {
    const entry = only(
      yield* FromGraphQl.entries(shop, {
        fields: false,
        operations: ["query Mine($me: ID!) { orders(customer: $me) { id } }"]
      })
    )
    expect(entry.function.description).toBe("Orders of a customer")
    expect(properties(entry)["me"]).toEqual({ type: "string", description: "Whose" })
  })
)

it.effect("tells with file, line and column what is wrong with an operation, and imports the others", () =>
  Effect.gen(function* () {
    const { entries, problems } = yield* FromGraphQl.entries(shop, {
      fields: false,
      operations: [
        { text: "query Good { old }\nquery Bad {\n  older\n}\n{ old }", file: "shop.graphql" },
        { text: "query {", file: "broken.graphql" }
      ]
    })
    expect(entries.map((entry) => entry.function.name)).toEqual(["Good"])
    expect(
      problems.map(({ place, rule, severity }) => [severity, rule, place?.file, place?.line, place?.column])
    ).toEqual([
      ["error", "graphql-invalid", "shop.graphql", 3, 3],
      ["warning", "operation-without-name", "shop.graphql", 5, 1],
      ["error", "graphql-syntax", "broken.graphql", 1, 8]
    ])
  })
)

it.effect("makes documents that are valid for the schema, whatever the options", () =>
  Effect.gen(function* () {
    const tangled = `
      interface Node { id: ID! parent: Node owner(role: String): Node }
      type Query { node(id: ID!): Node any: Any list(filter: F!, more: F): [[A!]!] }
      type A implements Node { id: ID! parent: A owner(role: String): Node b(first: Int = 3): B name(short: Boolean): String! }
      type B implements Node { id: ID! parent: Node owner(role: String, deep: Boolean): Node a: A name(short: Int): String c(n: Int!): C }
      type C { any: Any name: [String] owner(role: String): C }
      union Any = A | B | C
      input F { f: F, g: G!, list: [F!], e: E = X }
      input G @oneOf { a: Int, b: String }
      enum E { X Y }
    `
    const schema = buildSchema(tangled)
    for (const maxDepth of [1, 2, 3, 4, 5, 6]) {
      for (const inputObjects of ["nested", "flat"] as const) {
        for (const nestedArguments of [true, false]) {
          const { entries, problems } = yield* FromGraphQl.entries(tangled, {
            maxDepth,
            inputObjects,
            nestedArguments,
            maxFields: 1000
          })
          expect(problems.filter(({ rule }) => rule === "invalid-document")).toEqual([])
          expect(entries.map((entry) => entry.function.name)).toEqual(["node", "any", "list"])
          for (const entry of entries) {
            expect(validate(schema, parse(entry.api.query ?? ""))).toEqual([])
            yield* JsonSchema.compile(entry.function.parameters)
          }
        }
      }
    }
  })
)

it.effect("a field of 40,000 arguments is no tool, and JSON that nests without end is no schema", () =>
  Effect.gen(function* () {
    const wide = Array.from({ length: 40_000 }, (_, index) => `p${index}: String`).join(", ")
    const imported = yield* FromGraphQl.entries(`type Query { wide(${wide}): String good(id: ID): String }`)
    expect(imported.entries.map((entry) => entry.function.name)).toEqual(["good"])
    expect(imported.problems).toMatchObject([{ tool: "wide", rule: "too-many-parameters" }])
    const deep = `{"__schema": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    expect((yield* Effect.flip(FromGraphQl.entries(deep))).message).toContain("cannot be read as JSON")
  })
)
