/** What is said of schemas that are values: references to the drafts' own schemas. */
import { expect, it } from "@effect/vitest"
import { Issue, JsonSchema } from "@wield/core"
import { Effect, Either } from "effect"

const drafts = ["2020-12/schema", "2019-09/schema"].map((draft) => `https://json-schema.org/draft/${draft}`)

const draft7 = "http://json-schema.org/draft-07/schema#"

const issuesOf = (schema: object, value: unknown) =>
  Effect.map(JsonSchema.compile({ ...schema }), ({ validate }) =>
    Either.match(validate(value), { onLeft: (issues) => issues.map(Issue.toText), onRight: () => [] })
  )

const referring: ReadonlyArray<readonly [string, object]> = [
  ...drafts.map((draft) => [draft, { $schema: draft, properties: { s: { $ref: draft } } }] as const),
  ["its anchor", { $schema: drafts[0], properties: { s: { $dynamicRef: `${drafts[0]}#meta` } } }],
  [draft7, { $schema: draft7, properties: { s: { $ref: draft7 } } }]
]

it.effect.each(referring)("by a reference to %s, each mistake is said once, with what was expected", ([, schema]) =>
  Effect.gen(function* () {
    expect(yield* issuesOf(schema, { s: 3 })).toEqual(["s: expected an object or a boolean, received 3"])
    expect(yield* issuesOf(schema, { s: { properties: { a: 3 } } })).toEqual([
      "s.properties.a: expected an object or a boolean, received 3"
    ])
    expect(yield* issuesOf(schema, { s: { type: "foo" } })).toEqual([
      's.type: expected one of "array", "boolean", "integer", "null", "number", "object" or "string", received "foo"'
    ])
    expect(yield* issuesOf(schema, { s: { $id: 1, minLength: -1, pattern: 7 } })).toEqual(
      expect.arrayContaining([
        "s.$id: expected a string, received 1",
        "s.minLength: expected at least 0, received -1",
        "s.pattern: expected a string, received 7"
      ])
    )
  })
)

it.effect("a union of which a branch takes nothing is described as a whole", () =>
  Effect.gen(function* () {
    const schema = { properties: { a: { anyOf: [false, { type: "string" }, { type: "boolean" }] } } }
    expect(yield* issuesOf(schema, { a: 3 })).toEqual(["a: expected nothing, a string or a boolean, received 3"])
  })
)
