/** Schemas that neither a repair nor the meta-schema is asked about: both would have said nothing. */
import { expect, it } from "@effect/vitest"
import { Effect, Either, FastCheck } from "effect"
import { loadAjv } from "../../src/json-schema/ajv.js"
import { engineSchema } from "../../src/json-schema/engineSchema.js"
import { normalise } from "../../src/json-schema/normalise.js"
import { runs } from "../../../../test/sizes.js"

const { anything, array, constantFrom, dictionary, letrec, oneof, record, string, integer, double } = FastCheck

const mistaken = oneof(
  constantFrom<unknown>(
    null,
    true,
    false,
    "true",
    "1",
    "string",
    "dict",
    "(",
    "^a",
    [],
    ["a", "a"],
    ["a"],
    {},
    -1,
    0.5,
    3
  ),
  constantFrom<unknown>("object", ["string", "null"], ["string", "string"], "#/$defs/a", "#/nowhere", "draft-07"),
  integer(),
  double(),
  array(string(), { maxLength: 3 }),
  anything({ maxDepth: 1 })
)

const keyword = constantFrom(
  ..."$ref type required enum const default examples example title description format pattern minimum maximum".split(
    " "
  ),
  ..."exclusiveMinimum multipleOf minLength maxItems uniqueItems deprecated readOnly nullable x-nullable x-note".split(
    " "
  ),
  ..."id $id $schema optional contentEncoding properties items additionalProperties allOf anyOf not if $defs".split(
    " "
  ),
  "dependencies",
  "unevaluatedProperties",
  "contains"
)

const { schema } = letrec<{ schema: unknown; named: unknown; list: unknown }>((tie) => ({
  schema: oneof(
    { maxDepth: 3, depthSize: "small" },
    constantFrom<unknown>(true, {}, { type: "string" }, { type: "integer", minimum: 1 }),
    dictionary(keyword, mistaken, { maxKeys: 2 }),
    record(
      { type: constantFrom("object", "array"), properties: tie("named"), required: array(string()) },
      { requiredKeys: [] }
    ),
    record({ items: tie("schema"), anyOf: tie("list"), not: tie("schema"), $defs: tie("named") }, { requiredKeys: [] })
  ),
  named: dictionary(constantFrom("a", "b", "required", "__proto__"), tie("schema"), { maxKeys: 3 }),
  list: array(tie("schema"), { minLength: 1, maxLength: 3 })
}))

it.effect("whatever is taken for well-formed is valid by its draft and would not be changed", () =>
  Effect.gen(function* () {
    const drafts = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const
    const engines = new Map(
      yield* Effect.forEach(drafts, (draft) => Effect.map(loadAjv(draft), (ajv) => [draft, ajv] as const))
    )
    let count = 0
    FastCheck.assert(
      FastCheck.property(schema, (root) => {
        if (typeof root !== "object" || root === null || Array.isArray(root)) return
        const normalised = Either.getOrUndefined(normalise(root as {}, undefined))
        if (normalised?.isWellFormed !== true) return
        count++
        expect(normalised.normalisations).toEqual([])
        const { draft } = normalised
        const ajv = engines.get(draft)
        expect(ajv).toBeDefined()
        expect(ajv?.problemOf(engineSchema(normalised, true).root)).toBeUndefined()
        // A schema beside it that needs a repair has all of it visited.
        const around = Either.getOrUndefined(normalise({ allOf: [root, { type: "dict" }] }, draft))
        expect(around?.isWellFormed).toBe(false)
        expect(around?.schema["allOf"]).toHaveProperty("0", root)
      }),
      { numRuns: runs(2_000) }
    )
    expect(count).toBeGreaterThan(runs(2_000) / 4)
  })
)
