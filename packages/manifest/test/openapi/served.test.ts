import { Facts, type Json, ToolDefinition, Toolset } from "@wield/core"
import { Manifest, OpenApi } from "@wield/manifest"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { runs } from "../../../../test/sizes.js"

const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,30}$/)

/** Schemas that refer to parts of themselves, and have words that the importer of other documents drops. */
const schema = fc
  .letrec<{ readonly any: Json.JsonSchema; readonly leaf: Json.JsonSchema }>((tie) => ({
    leaf: fc.constantFrom<Json.JsonSchema>(
      { type: "string", examples: ["a"], description: "x".repeat(600) },
      { type: "integer", minimum: 1, "x-unit": "s" },
      { $ref: "#/$defs/a" },
      { $ref: "#/$defs/b~1c%20d" },
      { enum: ["a", null] }
    ),
    any: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      tie("leaf"),
      fc.record({ type: fc.constant("array"), items: tie("any") }),
      fc.record({ anyOf: fc.array(tie("any"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ type: fc.constant("object"), properties: fc.dictionary(name, tie("any"), { maxKeys: 3 }) })
    )
  }))
  .any.chain((property) =>
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(name, fc.constant(property), { maxKeys: 3 }),
        additionalProperties: fc.boolean(),
        description: fc.string(),
        $defs: fc.constant({ a: { type: "string" }, "b/c d": { type: "array", items: { $ref: "#/$defs/a" } } })
      },
      { requiredKeys: ["type", "$defs"] }
    )
  )

const facts = fc.record(
  {
    title: fc.string({ minLength: 1 }),
    isReadOnly: fc.boolean(),
    isDestructive: fc.boolean(),
    isIdempotent: fc.boolean(),
    isOpenWorld: fc.boolean(),
    isSequential: fc.boolean(),
    disclosure: fc.constantFrom<Facts.Disclosure>("endpoint", "any"),
    examples: fc.array(fc.dictionary(name, fc.string(), { maxKeys: 2 }), { maxLength: 2 })
  },
  { requiredKeys: [] }
)

const definition = fc
  .record(
    { name, description: fc.string({ maxLength: 2000 }), inputSchema: schema, outputSchema: schema, facts },
    { requiredKeys: ["name", "facts"] }
  )
  .map(({ facts, ...parts }) =>
    ToolDefinition.make({ ...parts, facts: Facts.make({ ...facts, kind: "api" }) } as never)
  )

const url = "http://127.0.0.1:9"

/** The tools that a program has which imports what another serves. */
const importOf = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) =>
  Effect.gen(function* () {
    const text = JSON.stringify(OpenApi.ofTools({ definitions, url }))
    const manifest = yield* Manifest.fromOpenApi(text)
    const toolset = yield* Manifest.toToolset(manifest, { executors: { default: nowhere } })
    return Array.from((yield* toolset.offer).entries.values(), ({ definition }) => definition)
  })

const nowhere = { kind: "rest", check: () => [], prepare: () => () => Effect.void }

const plain = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) => JSON.parse(JSON.stringify(definitions))

describe("tools that are served as OpenAPI", () => {
  it("are the same tools once they are imported", () =>
    fc.assert(
      fc.asyncProperty(fc.uniqueArray(definition, { maxLength: 3, selector: ({ name }) => name }), async (given) => {
        const { offer } = await Effect.runPromise(
          Toolset.dynamic(given.map((one) => ({ ...one, execute: () => Effect.void })))
        )
        const served = Array.from((await Effect.runPromise(offer)).entries.values(), ({ definition }) => definition)
        assert.deepStrictEqual(plain(await Effect.runPromise(importOf(served))), plain(served))
      }),
      { numRuns: runs(100) }
    ))

  it.effect("keep what they are given where the caller sends it, and no further", () =>
    Effect.gen(function* () {
      const local = ToolDefinition.make({ name: "keep", facts: Facts.make({ disclosure: "none" }) })
      const [imported] = yield* importOf([local])
      assert.deepStrictEqual([imported?.facts.disclosure, imported?.facts.kind], ["endpoint", "api"])
    })
  )

  it.effect("are read as any other operation where their schemas refer to the rest of the document", () =>
    Effect.gen(function* () {
      const document = JSON.parse(
        JSON.stringify(OpenApi.ofTools({ definitions: [ToolDefinition.make({ name: "a" })], url }))
      )
      document.components.schemas = { Text: { type: "string" } }
      const body = document.paths["/tools/a"].post.requestBody.content["application/json"]
      body.schema = { type: "object", properties: { text: { $ref: "#/components/schemas/Text" } } }
      const { entries } = yield* OpenApi.entries(document)
      assert.deepStrictEqual(entries[0]?.function.parameters["$defs"], { Text: { type: "string" } })
    })
  )
})
