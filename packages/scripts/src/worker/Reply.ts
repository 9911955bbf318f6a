/** What a program says on descriptor 4, a line of JSON each. */
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

/** The value comes out of `JSON.parse`, so it is JSON: it may be large and is not walked again. */
const Value: Schema.Schema<Json.Json> = Schema.declare((value): value is Json.Json => value !== undefined)

const common = {
  /** The marker was printed on both streams. */
  isMarked: Schema.Boolean,
  /** Whether all that was printed was read when it answered. */
  isRead: Schema.optionalWith(Schema.Boolean, { exact: true }),
  /** Why the program must not be used again; absent where it may. */
  retire: Schema.optionalWith(Schema.String, { exact: true })
}

/** How a call ended, as the program knows it. */
const Answer = Schema.Union(
  Schema.Struct({ type: Schema.Literal("value"), value: Value, ...common }),
  /** A text was returned: JSON when it parses. */
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...common }),
  /** Nothing was returned: the result is what stands in the file `LLM_OUTPUT`, where there is one. */
  Schema.Struct({ type: Schema.Literal("none"), ...common }),
  Schema.Struct({ type: Schema.Literal("raised"), error: Schema.String, detail: Schema.String, ...common }),
  /** What was returned cannot be said in JSON. */
  Schema.Struct({ type: Schema.Literal("unreadable"), detail: Schema.String, ...common }),
  /** An argument cannot be made what the function's annotation asks for. */
  Schema.Struct({ type: Schema.Literal("argument"), detail: Schema.String, ...common }),
  /** The process that ran the call ended before it had answered. */
  Schema.Struct({
    type: Schema.Literal("exited"),
    code: Schema.NullOr(Schema.Number),
    signal: Schema.NullOr(Schema.String),
    ...common
  })
)

const Reply = Schema.Union(
  /** The next call may be sent; `pid` leads the process group in which it will run. */
  Schema.Struct({ type: Schema.Literal("ready"), pid: Schema.Int.pipe(Schema.greaterThan(1)) }),
  /** The script cannot be loaded; the program serves its other scripts. */
  Schema.Struct({ type: Schema.Literal("failed"), file: Schema.String, error: Schema.String, detail: Schema.String }),
  Answer
)

export type Answer = typeof Answer.Type
export type Reply = typeof Reply.Type

const decode = Schema.decodeUnknownEither(Reply)

/** What a line says, or what is wrong with it. A value that nests too deeply to be read on is unreadable. */
export const decodeReply = (line: string): Either.Either<Reply, string> => {
  const shallow = Json.cutDeep(line)
  return Either.try({
    try: (): unknown => Json.parse(shallow, { numbers: "rounded" }),
    catch: () => "a line that is no JSON"
  }).pipe(
    Either.flatMap((value) => Either.mapLeft(decode(value), () => "a line that is no reply of the protocol")),
    Either.map((reply) => (shallow === line || reply.type !== "value" ? reply : tooDeep(reply)))
  )
}

const tooDeep = (reply: Extract<Answer, { readonly type: "value" }>): Answer => ({
  ...Struct.omit(reply, "value"),
  type: "unreadable",
  detail: `a value that nests deeper than ${Json.maxDepth} levels`
})
