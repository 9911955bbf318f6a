/** A conversation as JSON, with the version of the format. */
import type { Json } from "@wield/core"
import * as SchemaTree from "@wield/core/SchemaTree"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Entry } from "../Conversation.js"
import { InvalidExport, StoreError } from "../ConversationError.js"
import { entrySchema, JsonObject } from "../conversation/entries.js"
import { copyOf } from "../conversation/messages.js"

const Exported = Schema.Struct({
  format: Schema.Literal("wield-conversation"),
  version: Schema.Literal(1),
  id: Schema.String,
  title: Schema.optionalWith(Schema.String, { exact: true }),
  metadata: JsonObject,
  createdAt: Schema.JsonNumber.pipe(Schema.int()),
  entries: Schema.Array(entrySchema)
})

/** What an export holds. */
export interface Contents {
  readonly id: string
  readonly title: string | undefined
  readonly metadata: Json.JsonObject
  readonly createdAt: number
  readonly entries: ReadonlyArray<Entry>
}

const asText = Schema.encode(Schema.parseJson(Exported))
const decode = Schema.decodeUnknown(Exported, { errors: "all" })

/** The export, from text, so that it is JSON and nothing else. */
export const toExported = ({ title, ...others }: Contents): Effect.Effect<Json.JsonObject, StoreError> =>
  asText({ format: "wield-conversation", version: 1, ...others, ...(title === undefined ? {} : { title }) }).pipe(
    Effect.map((text) => JSON.parse(text)),
    Effect.mapError(({ message }) => new StoreError({ operation: "export", detail: message }))
  )

/** Where an export is wrong: the first few places, for one wrong entry may be wrong in every way a message can be. */
const placesOf = (error: SchemaTree.DecodeError): string => {
  const issues = SchemaTree.linesOf(error.issue)
  const lines = issues.slice(0, 3).map(({ message, path }) => `${place(path)}: ${message}`)
  return issues.length > 3 ? `${lines.join("; ")}; and ${issues.length - 3} more` : lines.join("; ")
}

const place = (path: ReadonlyArray<PropertyKey>): string =>
  path.length === 0
    ? "the value"
    : path
        .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`))
        .join("")

/** Reads an export; two entries of one id make it none. */
export const fromExported = (exported: unknown): Effect.Effect<Contents, InvalidExport> =>
  Effect.gen(function* () {
    const { id, title, metadata, createdAt, entries } = yield* Effect.mapError(
      decode(exported),
      (error) => new InvalidExport({ detail: placesOf(error) })
    )
    const seen = new Map<string, number>()
    for (const [index, entry] of entries.entries()) {
      const other = seen.get(entry.id)
      if (other !== undefined) {
        return yield* new InvalidExport({
          detail: `entries[${index}].id: expected an id of its own, but entries[${other}] has it too`
        })
      }
      seen.set(entry.id, index)
    }
    return { id, title, metadata, createdAt, entries: copyOf(entries) }
  })
