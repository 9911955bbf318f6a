/**
 * A part of a schema that has a name and stands in several places is written
 * once in a definition.
 */
import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"

const definitionOf = (tool: Tool.Any) =>
  Effect.gen(function* () {
    const kit = Toolkit.make(tool)
    // The types of a tool that is not known here ask for a handler that nothing fits.
    const handlers = { [tool.name]: () => Effect.void } as never
    const toolset = yield* Toolset.fromLayer(kit, kit.toLayer(handlers))
    const [definition] = yield* (yield* ToolRunner.make(toolset)).definitions
    return definition
  })

const inputOf = (fields: Schema.Struct.Fields) =>
  Effect.map(definitionOf(Tool.make("tool", { parameters: fields })), (definition) => definition?.inputSchema)

const outputOf = (success: Schema.Schema.Any) =>
  Effect.map(definitionOf(Tool.make("tool", { success })), (definition) => definition?.outputSchema)

/** Of `count` texts. */
const texts = (count: number): Schema.Struct.Fields =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`text_${index}`, Schema.String]))

const Address = Schema.Struct(texts(12)).annotations({ identifier: "Address", description: "Where somebody lives" })

const addressSchema = {
  type: "object",
  description: "Where somebody lives",
  properties: Object.fromEntries(Object.keys(texts(12)).map((name) => [name, { type: "string" }])),
  required: Object.keys(texts(12)),
  additionalProperties: false
}

it.scoped("a part that stands in two places stands in $defs, and is referred to", () =>
  Effect.gen(function* () {
    expect(yield* inputOf({ billing: Address, shipping: Schema.optional(Address) })).toEqual({
      type: "object",
      properties: { billing: { $ref: "#/$defs/Address" }, shipping: { $ref: "#/$defs/Address" } },
      required: ["billing"],
      additionalProperties: false,
      $defs: { Address: addressSchema }
    })
  })
)

it.scoped("a part that stands in one place is written there, and so are its own parts", () =>
  Effect.gen(function* () {
    const Customer = Schema.Struct({ ...texts(10), address: Address }).annotations({ identifier: "Customer" })
    const schema = yield* inputOf({ customer: Customer })
    expect(schema).not.toHaveProperty("$defs")
    expect(schema).toHaveProperty("properties.customer.properties.address", addressSchema)
  })
)

it.scoped("a small part is written wherever it stands", () =>
  Effect.gen(function* () {
    const Money = Schema.Struct({ amount: Schema.Int, currency: Schema.String }).annotations({ identifier: "Money" })
    const schema = yield* inputOf({ net: Money, gross: Money })
    expect(schema).not.toHaveProperty("$defs")
    expect(schema).toHaveProperty("properties.net.properties.amount.type", "integer")
  })
)

it.scoped("what is said of a part where it stands is said beside the reference", () =>
  Effect.gen(function* () {
    const described = Address.pipe(Schema.filter(() => true, { jsonSchema: {}, description: "Where the goods go" }))
    expect(yield* outputOf(Schema.Struct({ billing: Address, shipping: described }))).toMatchObject({
      properties: {
        billing: { $ref: "#/$defs/Address" },
        shipping: { $ref: "#/$defs/Address", description: "Where the goods go" }
      },
      $defs: { Address: addressSchema }
    })
  })
)

it.scoped("a class is a part, by its own name and its encoded side", () =>
  Effect.gen(function* () {
    class Person extends Schema.Class<Person>("Person")({ ...texts(12), born: Schema.Date }) {}
    const schema = yield* outputOf(Schema.Struct({ author: Person, editors: Schema.Array(Person) }))
    expect(schema).toMatchObject({
      properties: { author: { $ref: "#/$defs/Person" }, editors: { items: { $ref: "#/$defs/Person" } } },
      $defs: { Person: { type: "object", properties: { text_0: { type: "string" }, born: { type: "string" } } } }
    })
  })
)

it.scoped("a schema with defaults has those of its properties, beside a reference too", () =>
  Effect.gen(function* () {
    const Order = Schema.Struct({
      billing: Address,
      shipping: Address,
      note: Schema.optionalWith(Schema.String.annotations({ title: "Note" }), { default: () => "" })
    })
    expect(yield* outputOf(Order)).toMatchObject({
      properties: {
        billing: { $ref: "#/$defs/Address" },
        shipping: { $ref: "#/$defs/Address" },
        note: { type: "string", title: "Note" }
      }
    })
  })
)

interface Category {
  readonly name: string
  readonly parts: ReadonlyArray<Category>
}
const Category: Schema.Schema<Category> = Schema.Struct({
  name: Schema.String,
  parts: Schema.Array(Schema.suspend(() => Category))
}).annotations({ identifier: "Category" })

it.scoped("a part that contains itself is always referred to", () =>
  Effect.gen(function* () {
    const category = {
      type: "object",
      properties: { name: { type: "string" }, parts: { type: "array", items: { $ref: "#/$defs/Category" } } }
    }
    expect(yield* outputOf(Category)).toMatchObject({ ...category, $defs: { Category: category } })
    expect(yield* outputOf(Schema.typeSchema(Category))).toMatchObject({ ...category, $defs: { Category: category } })
    expect(yield* inputOf({ root: Category })).toMatchObject({ $defs: { Category: category } })
  })
)

it.scoped("two parts of one name are written where they stand, each as it is", () =>
  Effect.gen(function* () {
    const Other = Schema.Struct(texts(15)).annotations({ identifier: "Address" })
    const schema = yield* inputOf({ one: Address, two: Address, three: Other })
    expect(schema).not.toHaveProperty("$defs")
    expect(schema).toHaveProperty("properties.one", addressSchema)
    expect(schema).toHaveProperty("properties.three.properties.text_14")
  })
)

it.scoped("parts that use each other twice, forty levels deep, are written once each", () =>
  Effect.gen(function* () {
    let Level: Schema.Schema.Any = Address
    for (let level = 0; level < 40; level++) {
      const Below = Level
      // Suspended, since `Schema.Struct` itself goes through all that is not.
      const below = Schema.suspend(() => Below as Schema.Schema<unknown>)
      Level = Schema.Struct({ ...texts(10), left: below, right: below }).annotations({ identifier: `Level${level}` })
    }
    const schema = yield* outputOf(Level)
    expect(JSON.stringify(schema).length).toBeLessThan(41 * 1_000)
  })
)

it.scoped("tools that have a part in common have the same object for it", () =>
  Effect.gen(function* () {
    const one = yield* inputOf({ from: Address, to: Address })
    const other = yield* outputOf(Schema.Struct({ homes: Schema.Array(Address), work: Address }))
    expect(Object(one?.["$defs"])["Address"]).toBe(Object(other?.["$defs"])["Address"])
  })
)

it.scoped("a filter of Effect's is no title for a model; one that an author has written is", () =>
  Effect.gen(function* () {
    const priority = Schema.Number.pipe(Schema.between(0, 4))
    const name = Schema.String.pipe(Schema.minLength(2), Schema.maxLength(4))
    class Item extends Schema.Class<Item>("Item")({ count: Schema.NonNegativeInt }) {}
    const shown = yield* inputOf({
      priority,
      name,
      start: Schema.String.pipe(Schema.startsWith("a\n")),
      list: Schema.Array(Schema.Union(Schema.Int, Schema.NonEmptyString)).pipe(Schema.minItems(1)),
      usual: Schema.optionalWith(Schema.Int, { default: () => 3 }),
      length: Schema.Duration,
      any: Schema.Unknown,
      object: Schema.Object,
      item: Item
    })
    // A duration's own names for its numbers are words.
    const titles = [...JSON.stringify(shown).matchAll(/"title":"([^"]*)"/g)].map(([, title]) => title)
    expect(titles).toEqual(["seconds", "nanos"])
    expect(shown?.["properties"]).toMatchObject({
      priority: { type: "number", minimum: 0, maximum: 4, description: "a number between 0 and 4" },
      name: { minLength: 2, maxLength: 4 },
      item: { properties: { count: { type: "integer", minimum: 0 } } }
    })
    const titled = yield* inputOf({
      priority: priority.annotations({ title: "Priority" }),
      limit: Schema.Int.annotations({ title: "limit" }),
      given: Schema.Number.pipe(Schema.between(0, 4, { title: "between us" })),
      usual: Schema.optionalWith(Schema.Int.annotations({ title: "Usual" }), { default: () => 3 }),
      any: Schema.Unknown.annotations({ title: "Anything" })
    })
    expect(titled?.["properties"]).toMatchObject({
      priority: { title: "Priority" },
      limit: { title: "limit" },
      given: { title: "between us" },
      usual: { title: "Usual" },
      any: { title: "Anything" }
    })
  })
)
