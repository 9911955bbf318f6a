/** Schemas that ajv reads otherwise than their draft: references by dynamic scope, and what counts as evaluated. */
import { describe, expect, it } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import { Effect, Either } from "effect"

const compiled = (schema: object, options: JsonSchema.CompileOptions = {}) =>
  Effect.runPromise(JsonSchema.compile({ ...schema }, options))

const problemOf = (schema: object) => Effect.runPromise(Effect.flip(JsonSchema.compile({ ...schema })))

const issuesOf = (validator: JsonSchema.Validator, value: unknown) =>
  Either.match(validator.validate(value), { onLeft: (issues) => issues, onRight: () => [] })

describe("references by dynamic scope", () => {
  const tree = {
    $id: "https://example.com/tree",
    $dynamicAnchor: "node",
    type: "object",
    properties: { name: { type: "string" }, children: { type: "array", items: { $dynamicRef: "#node" } } }
  }

  it("lead to the outermost schema that has the anchor", async () => {
    const strict = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/strict-tree",
      $dynamicAnchor: "node",
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: { tree }
    }
    const validator = await compiled(strict)
    expect(validator.isValid({ name: "a", children: [{ name: "b", children: [] }] })).toBe(true)
    expect(validator.isValid({ children: [{ nmae: "b" }] })).toBe(false)
    expect((await compiled(tree)).isValid({ children: [{ nmae: "b" }] })).toBe(true)
  })

  it("lead there also from another document", async () => {
    const options = { documents: { "https://example.com/tree": tree } }
    const validator = await compiled(
      { $id: "https://example.com/named", $dynamicAnchor: "node", $ref: "tree", required: ["name"] },
      options
    )
    expect(validator.isValid({ name: "a", children: [{ name: "b" }] })).toBe(true)
    expect(validator.isValid({ name: "a", children: [{}] })).toBe(false)
  })

  it("name places whose keys have characters of a URI", async () => {
    const validator = await compiled({
      ...tree,
      properties: { "a#b %41/~": { type: "string" }, next: { $dynamicRef: "#node" } }
    })
    expect(issuesOf(validator, { next: { "a#b %41/~": 1 } })).toMatchObject([{ path: ["next", "a#b %41/~"] }])
  })

  it("are recursive ones in draft 2019-09", async () => {
    const validator = await compiled({
      $schema: "https://json-schema.org/draft/2019-09/schema",
      $id: "https://example.com/outer",
      $recursiveAnchor: true,
      $ref: "inner",
      required: ["name"],
      $defs: {
        inner: {
          $id: "https://example.com/inner",
          $recursiveAnchor: true,
          properties: { next: { $recursiveRef: "#" } }
        }
      }
    })
    expect(validator.isValid({ name: "a", next: { name: "b" } })).toBe(true)
    expect(validator.isValid({ name: "a", next: {} })).toBe(false)
  })

  it("fetch nothing: what is not in the document or beside it is refused", async () => {
    for (const away of ["file:///etc/passwd", "http://127.0.0.1:9/schema.json", "other.json"]) {
      for (const keyword of ["$ref", "$dynamicRef"]) {
        const problem = await problemOf({ properties: { a: { [keyword]: away }, b: { $dynamicRef: "#" } } })
        expect(problem.kind).toBe("ExternalReference")
      }
    }
    expect((await problemOf({ $dynamicRef: "#nowhere" })).kind).not.toBe("Malformed")
  })

  it("change nothing for others, whatever address and vocabulary a schema claims to have", async () => {
    await compiled({
      $id: "https://json-schema.org/draft/2020-12/schema",
      $vocabulary: {},
      properties: { a: { $dynamicRef: "#" } }
    })
    const validator = await compiled({ unevaluatedProperties: false, properties: { a: { minimum: 2 } } })
    expect(validator.isValid({ a: 1 })).toBe(false)
    expect(validator.isValid({ a: 3 })).toBe(true)
  })
})

describe("what counts as evaluated", () => {
  it("are the items that fit `contains`, and no others", async () => {
    const validator = await compiled({ prefixItems: [true], contains: { type: "string" }, unevaluatedItems: false })
    expect(validator.isValid([1, "a", "b"])).toBe(true)
    expect(validator.isValid([1, "a", 2])).toBe(false)
    expect(issuesOf(validator, ["a", "b", 2])).toMatchObject([{ path: [], expected: "no further items" }])
  })

  it("are the items of a branch that holds, and not those of one that does not", async () => {
    const validator = await compiled({
      anyOf: [{ items: { type: "string" } }, true],
      unevaluatedItems: { type: "boolean" }
    })
    expect(validator.isValid(["a", "b"])).toBe(true)
    expect(validator.isValid([true, false])).toBe(true)
    expect(validator.isValid(["a", false])).toBe(false)
  })

  it("are the properties of a condition that holds", async () => {
    const validator = await compiled({
      if: { properties: { kind: { const: "a" } }, required: ["kind"] },
      then: { properties: { size: true } },
      unevaluatedProperties: false
    })
    expect(validator.isValid({ kind: "a", size: 1 })).toBe(true)
    expect(validator.isValid({ kind: "b" })).toBe(false)
  })
})

describe("a value that is not valid", () => {
  const shape = {
    type: "object",
    required: ["size"],
    properties: {
      size: { type: "integer", minimum: 2 },
      form: {
        anyOf: [
          { type: "object", properties: { kind: { const: "round" }, radius: { type: "number" } } },
          { type: "object", properties: { kind: { const: "square" } }, required: ["side"] }
        ]
      }
    },
    unevaluatedProperties: false
  }

  it("is told with each place and what was expected there", async () => {
    const validator = await compiled(shape)
    expect(issuesOf(validator, { size: 1, other: 1, constructor: 2 })).toEqual([
      { path: ["size"], expected: "at least 2", received: "1" },
      { path: ["other"], expected: "no argument of this name (there are size and form)", received: "one" },
      { path: ["constructor"], expected: "no argument of this name (there are size and form)", received: "one" }
    ])
    expect(issuesOf(validator, {})).toMatchObject([{ path: ["size"], received: undefined }])
    expect(issuesOf(validator, 1)).toMatchObject([{ path: [], expected: "an object" }])
  })

  it("is told by the branch of a union that it was meant for", async () => {
    const validator = await compiled(shape)
    expect(issuesOf(validator, { size: 2, form: { kind: "round", radius: "big" } })).toMatchObject([
      { path: ["form", "radius"], expected: "a number" }
    ])
  })

  it("is not valid, however deep it is nested or however often it is tried", async () => {
    const deep = await compiled({ properties: { a: { $dynamicRef: "#" } }, unevaluatedProperties: false })
    let value: unknown = {}
    for (let depth = 0; depth < 100_000; depth++) value = { a: value }
    expect(deep.isValid(value)).toBe(false)
    expect(issuesOf(deep, value)).toMatchObject([{ expected: "a value nested less deeply" }])
  })
})

describe("patterns and formats", () => {
  it("are those of other schemas: no text takes exponential time, and none needs the flag u", async () => {
    const validator = await compiled(
      {
        properties: { words: { pattern: "^(\\w+\\s?)*$" }, code: { pattern: "^[\\w-.]+$" }, mail: { format: "email" } },
        patternProperties: { "^(x+x+)+y$": { type: "integer" }, "^n_": true },
        additionalProperties: false,
        unevaluatedItems: false
      },
      { formats: "assertion" }
    )
    expect(validator.isValid({ words: "a b c", code: "a-b.c", mail: "a@example.com", xxy: 1, n_: "" })).toBe(true)
    expect(validator.isValid({ words: `${"a ".repeat(5_000)}!` })).toBe(false)
    expect(validator.isValid({ [`${"x".repeat(5_000)}!`]: 1 })).toBe(false)
    for (const invalid of [{ code: "a b" }, { mail: "a" }, { xxy: "1" }, { wield0: 1 }]) {
      expect(validator.isValid(invalid)).toBe(false)
    }
  })

  it("are no patterns where they are names of properties or values", async () => {
    const validator = await compiled({
      properties: { pattern: { const: { pattern: "a" } }, patternProperties: { type: "string" } },
      unevaluatedProperties: false
    })
    expect(validator.isValid({ pattern: { pattern: "a" }, patternProperties: "x" })).toBe(true)
    expect(validator.isValid({ pattern: { pattern: "b" } })).toBe(false)
  })
})

it("an empty list of values is met by none, in every draft", async () => {
  for (const draft of ["draft-04", "draft-07", "2019-09", "2020-12"] as const) {
    const validator = await compiled({ properties: { a: { enum: [] } } }, { draft })
    expect(validator.isValid({})).toBe(true)
    expect(issuesOf(validator, { a: 1 })).toMatchObject([{ path: ["a"], expected: "nothing here" }])
  }
})

it("a keyword of a vocabulary that the meta-schema does not list says nothing", async () => {
  const meta = {
    $id: "https://example.com/meta",
    $vocabulary: {
      "https://json-schema.org/draft/2020-12/vocab/core": true,
      "https://json-schema.org/draft/2020-12/vocab/applicator": true
    }
  }
  const options = { draft: "2020-12", documents: { "https://example.com/meta": meta } } as const
  const schema = { $schema: "https://example.com/meta", properties: { a: { minimum: 2 }, b: false } }
  const validator = await compiled(schema, options)
  expect(validator.isValid({ a: 1 })).toBe(true)
  expect(validator.isValid({ b: 1 })).toBe(false)
})

it.each(["http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2020-12/schema"])(
  "a schema may bring its draft's own along: %s",
  async (uri) => {
    const own = { $schema: uri, $id: uri, properties: { minLength: { type: "integer", minimum: 0 } } }
    const validator = await compiled({
      $schema: uri,
      properties: { shape: { $ref: uri } },
      definitions: { [uri]: own }
    })
    for (const [one, value] of [
      [validator, { shape: { minLength: -1 } }],
      [await compiled(own), { minLength: -1 }]
    ] as const) {
      expect(one.isValid({})).toBe(true)
      expect(issuesOf(one, value)).toMatchObject([{ expected: "at least 0" }])
    }
  }
)

it("an empty type and `any` mean any value, and an unknown one is a problem at its place", async () => {
  for (const type of ["", "any", "Any"]) {
    const validator = await compiled({ properties: { a: { type } } })
    expect([1, "x", null, [], {}].every((a) => validator.isValid({ a }))).toBe(true)
  }
  const problem = await problemOf({ properties: { a: { type: "strange" } } })
  expect([problem.kind, problem.path]).toEqual(["Malformed", ["properties", "a", "type"]])
  expect((await problemOf({ properties: { a: { type: "string|" } } })).path).toEqual(["properties", "a", "type"])
})

it.each([
  ["2019-09", false],
  ["2020-12", true]
] as const)("what `contains` matches is evaluated in draft %s: %s", async (draft, isEvaluated) => {
  const validator = await compiled({
    $schema: `https://json-schema.org/draft/${draft}/schema`,
    contains: { type: "string" },
    maxContains: 2,
    unevaluatedItems: { type: "number" }
  })
  expect(validator.isValid(["a", 1])).toBe(isEvaluated)
  expect(validator.isValid([1, 2])).toBe(false)
  expect(validator.isValid(["a", "b", "c"])).toBe(false)
  const plain = await compiled({
    $schema: `https://json-schema.org/draft/${draft}/schema`,
    items: { type: ["string", "number"] },
    contains: { type: "string" },
    maxContains: 2,
    unevaluatedItems: false
  })
  expect(plain.isValid(["a", 1, "b"])).toBe(true)
  expect(issuesOf(plain, ["a", "b", "c"])).toHaveLength(1)
  expect(plain.isValid([1])).toBe(false)
})
