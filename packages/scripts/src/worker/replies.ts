/**
 * Reads what a program says on descriptor 4: lines of JSON.
 */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Reply } from "../program/Program.js"

/** The value comes out of `JSON.parse`, so it is JSON: it may be large and is not walked again. */
const Value: Schema.Schema<Json.Json> = Schema.declare((value): value is Json.Json => value !== undefined)

const answered = {
  isMarked: Schema.Boolean,
  isRead: Schema.optionalWith(Schema.Boolean, { exact: true }),
  retire: Schema.optionalWith(Schema.String, { exact: true })
}

const ReplySchema: Schema.Schema<Reply> = Schema.Union(
  Schema.Struct({ type: Schema.Literal("ready"), pid: Schema.Int.pipe(Schema.greaterThan(1)) }),
  Schema.Struct({
    type: Schema.Literal("failed"),
    file: Schema.String,
    error: Schema.String,
    detail: Schema.String
  }),
  Schema.Struct({ type: Schema.Literal("value"), value: Value, ...answered }),
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...answered }),
  Schema.Struct({ type: Schema.Literal("none"), ...answered }),
  Schema.Struct({ type: Schema.Literal("raised"), error: Schema.String, detail: Schema.String, ...answered }),
  Schema.Struct({ type: Schema.Literal("unreadable"), detail: Schema.String, ...answered }),
  Schema.Struct({ type: Schema.Literal("argument"), detail: Schema.String, ...answered }),
  Schema.Struct({
    type: Schema.Literal("exited"),
    code: Schema.NullOr(Schema.Number),
    signal: Schema.NullOr(Schema.String),
    ...answered
  })
)

const decode = Schema.decodeUnknownEither(ReplySchema)

const parseJson = (line: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => JSON.parse(line), catch: () => "a line that is no JSON" })

/** What a line says, or what is wrong with it. */
export const decodeReply = (line: string): Either.Either<Reply, string> =>
  Either.flatMap(parseJson(line), (value) =>
    Either.mapLeft(decode(value), () => "a line that is no reply of the protocol")
  )
