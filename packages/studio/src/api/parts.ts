/** What several parts of the API are made of, and their errors. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as CoreIssue from "@wield/core/Issue"
import * as Schema from "effect/Schema"

export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

export const JsonValue = Schema.Unknown.annotations({ description: "Any JSON value" })

export const JsonRecord = Schema.Record({ key: Schema.String, value: Schema.Unknown })

export const WaitsFor = Schema.Literal("approval", "client", "input")

export const Milliseconds = Schema.Number.annotations({ description: "Milliseconds since 1970" })

export const Path = Schema.Array(Schema.Union(Schema.String, Schema.Number))

export const name = HttpApiSchema.param("name", Schema.String)
export const id = HttpApiSchema.param("id", Schema.String)

export const Count = Schema.NumberFromString.pipe(Schema.int(), Schema.nonNegative())

/**
 * There is nothing of this name, id or part.
 *
 * @category errors
 */
export class NotFound extends Schema.TaggedError<NotFound>("@wield/studio/NotFound")(
  "NotFound",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 404 })
) {}

/**
 * The studio only shows: this request would change or run something.
 *
 * @category errors
 */
export class ReadOnly extends Schema.TaggedError<ReadOnly>("@wield/studio/ReadOnly")(
  "ReadOnly",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 403 })
) {}

/**
 * Something else is there by now: a name is taken, an approval was answered, has
 * expired or shows another digest, a session is busy.
 *
 * @category errors
 */
export class Conflict extends Schema.TaggedError<Conflict>("@wield/studio/Conflict")(
  "Conflict",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 409 })
) {}

/**
 * What is wrong at one place of the arguments.
 *
 * @category models
 */
export interface Issue extends Schema.Schema.Type<typeof CoreIssue.Json> {}

/**
 * What was sent is JSON of the right form, but cannot be taken.
 *
 * @category errors
 */
export class Refused extends Schema.TaggedError<Refused>("@wield/studio/Refused")(
  "Refused",
  {
    message: Schema.String,
    /** The fields to mend, where they are known. */
    issues: optional(Schema.Array(CoreIssue.Json))
  },
  HttpApiSchema.annotations({ status: 422 })
) {}

/**
 * A part of the program that the studio shows has failed: a store, a source of
 * tools.
 *
 * @category errors
 */
export class Failed extends Schema.TaggedError<Failed>("@wield/studio/Failed")(
  "Failed",
  { message: Schema.String },
  HttpApiSchema.annotations({ status: 502 })
) {}

/** Why something is not changed. */
export const NotChanged = Schema.Union(Refused, Conflict, ReadOnly)
