/** The tools of Elroy and Sapphire, whose names and parameters the toolkits have. */
import { describe, expect, layer } from "@effect/vitest"
import { ToolRunner, Toolset } from "@wield/core"
import { Effect, Layer, Schema } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { databases } from "../databases/databases.js"
import { everything, forModels, layerEverything } from "../toolkits/everything.js"
import { everyTool, hiddenOf } from "../toolkits/toolkits.js"
import { besides, sapphire } from "./sapphire.js"

const schemas = resolve(
  fileURLToPath(new URL("../../../..", import.meta.url)),
  process.env["WIELD_CORPUS"] ?? "../shared/corpus",
  "elroy/tools_schema.v0.0.76.json"
)

/** What of a JSON Schema is compared: descriptions are each one's own. */
const Parameters = Schema.Struct({
  type: Schema.Literal("object"),
  properties: Schema.Record({ key: Schema.String, value: Schema.Struct({ type: Schema.String }) }),
  required: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] })
})

const Documented = Schema.Array(
  Schema.Struct({
    function: Schema.Struct({
      name: Schema.String,
      // Elroy leaves it out for a tool without parameters.
      parameters: Schema.optionalWith(Parameters, {
        default: () => ({ type: "object" as const, properties: {}, required: [] })
      })
    })
  })
)

const comparable = ({ properties, required }: typeof Parameters.Type) => ({
  parameters: Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type])),
  required: [...required].sort()
})

const layers = Layer.provideMerge(
  layerEverything({ documents: () => tmpdir(), code: tmpdir() }),
  databases[0]?.client ?? Layer.die("there is no database")
)

describe("the tools that models are offered", () => {
  layer(layers)((it) => {
    const offered = Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(forModels))
      const definitions = yield* runner.definitions
      return new Map(
        yield* Effect.forEach(definitions, ({ inputSchema, name }) =>
          Effect.map(
            Schema.decodeUnknown(Parameters)(inputSchema),
            (parameters) => [name, comparable(parameters)] as const
          )
        )
      )
    })

    it.effect.skipIf(!existsSync(schemas))(
      "have the names, parameters, types and required lists of Elroy's 27 (skipped where its schemas are absent)",
      () =>
        Effect.gen(function* () {
          const tools = yield* offered
          const documented = yield* Schema.decodeUnknown(Schema.parseJson(Documented))(readFileSync(schemas, "utf8"))
          expect(documented).toHaveLength(27)
          for (const { function: expected } of documented) {
            expect([expected.name, tools.get(expected.name)]).toEqual([expected.name, comparable(expected.parameters)])
          }
        })
    )

    it.effect("have the names, parameters, types and required lists of Sapphire's built-in ones", () =>
      Effect.gen(function* () {
        const tools = yield* offered
        for (const [name, { parameters, required }] of Object.entries(sapphire)) {
          expect([name, tools.get(name)]).toEqual([
            name,
            { parameters: { ...parameters, ...besides[name] }, required: [...required].sort() }
          ])
        }
      })
    )

    it.effect("are none but those, and none that is for people", () =>
      Effect.gen(function* () {
        const names = [...(yield* offered).keys()]
        expect(names).toHaveLength(27 + Object.keys(sapphire).length)
        for (const name of ["ingest_document", "reingest_document", "delete_document"])
          expect(names).not.toContain(name)
      })
    )

    it.effect("show no hidden field, in whatever spelling", () =>
      Effect.gen(function* () {
        const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(everything))
        const definitions = yield* runner.definitions
        expect(definitions).toHaveLength(everyTool.length)
        const hidden = new Set(everyTool.flatMap(hiddenOf))
        expect([...hidden].sort()).toEqual(["conversation_id", "user_id"])
        for (const { description, inputSchema, name } of definitions) {
          expect([name, JSON.stringify({ description, inputSchema })]).not.toEqual([
            name,
            expect.stringMatching(/user_?id|conversation_?id/i)
          ])
        }
      })
    )

    it.effect("say what each is for, and each of its parameters", () =>
      Effect.gen(function* () {
        const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(everything))
        const Described = Schema.Struct({
          properties: Schema.Record({
            key: Schema.String,
            value: Schema.Struct({ description: Schema.NonEmptyString })
          })
        })
        for (const { description, inputSchema, name } of yield* runner.definitions) {
          expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z][^]{15,}\.$|^[A-Z][^]{15,}$/)])
          expect([name, Schema.is(Described)(inputSchema)]).toEqual([name, true])
        }
      })
    )
  })
})
