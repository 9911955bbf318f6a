/** Keywords whose values no draft allows, and that leave no doubt of what is meant. */
import { expect, it } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import { Effect } from "effect"

const draft = (name: string) => ({ $schema: `http://json-schema.org/${name}/schema#` })
const draft2020 = { $schema: "https://json-schema.org/draft/2020-12/schema" }

const read: ReadonlyArray<readonly [given: object, read: object]> = [
  [
    { description: 404, title: true },
    { description: "404", title: "true" }
  ],
  [{ description: { en: "a" }, title: ["a"], $comment: [7], format: 5 }, {}],
  [{ examples: "a", deprecated: "yes", readOnly: 1, writeOnly: "no" }, {}],
  [
    { ...draft2020, deprecated: "yes", description: 404 },
    { ...draft2020, description: "404" }
  ],
  // Before 2019-09 the keyword is not known, and takes any value.
  [
    { ...draft("draft-07"), deprecated: "yes", examples: 1 },
    { ...draft("draft-07"), deprecated: "yes" }
  ],
  [
    { ...draft("draft-06"), $comment: 7, readOnly: 1 },
    { ...draft("draft-06"), $comment: "7" }
  ],
  [{ items: [] }, {}],
  [{ ...draft("draft-07"), items: [] }, draft("draft-07")],
  [{ type: "datetime" }, { type: "string", format: "date-time" }],
  [
    { type: "Date", format: "other" },
    { type: "string", format: "other" }
  ],
  [{ type: ["uuid", "null"] }, { type: ["string", "null"] }],
  [{ type: "List[email]" }, { type: "array", items: { type: "string", format: "email" } }]
]

it.effect.each(read)("%j is read as %j", ([given, expected]) =>
  Effect.gen(function* () {
    const { schema } = yield* JsonSchema.compile({ ...given })
    expect(schema).toEqual(expected)
  })
)
