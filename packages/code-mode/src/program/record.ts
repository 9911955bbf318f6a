/**
 * What a program has been through: its head, and each outcome that it was given, in the order in which it was given. By
 * them it comes again to where it stood. They stand in the journal of its calls, in the run of the call that runs it.
 */
import type { Journal } from "@wield/core"
import * as Digest from "@wield/core/Digest"
import type { JournalError } from "@wield/core/JournalError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Raised when programs would run otherwise than before. A program of another version is not gone on with. */
export const version = 1

const Head = Schema.Struct({
  version: Schema.Number,
  /** SHA-256 of the program's text. */
  code: Schema.String,
  /** As it was checked and turned into JavaScript, with its own line for each line of that. */
  script: Schema.String,
  lines: Schema.Array(Schema.Number),
  /** What its clock and its random numbers begin with. */
  started: Schema.Int,
  seed: Schema.Int,
  hasThen: Schema.Boolean
})

export type Head = typeof Head.Type

const isJson = (text: string): boolean => Either.isRight(Either.try((): unknown => JSON.parse(text)))

const Delivery = Schema.Struct({
  number: Schema.NonNegativeInt,
  /** Milliseconds since 1970, which the program's clock shows from then on. */
  at: Schema.Int,
  isOk: Schema.Boolean,
  json: Schema.String.pipe(Schema.filter(isJson)),
  /** SHA-256 of the tool's name and the arguments. */
  digest: Schema.String
})

/** An outcome as the program is given it. */
export type Delivery = typeof Delivery.Type

const Deliveries = Schema.Array(Delivery)

/** What was recorded cannot be read. */
export class UnreadableRecord extends Schema.TaggedError<UnreadableRecord>("@wield/code-mode/UnreadableRecord")(
  "UnreadableRecord",
  {}
) {}

export interface ProgramRecord {
  readonly head: Effect.Effect<Option.Option<Head>, JournalError | UnreadableRecord>
  readonly begin: (head: Head) => Effect.Effect<void, JournalError>
  /** All of them, of however many processes. */
  readonly deliveries: Effect.Effect<ReadonlyArray<Delivery>, JournalError | UnreadableRecord>
  readonly add: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, JournalError>
  /** Nothing of it is needed any more. */
  readonly forget: Effect.Effect<void>
}

export const openRecord = (
  journal: Journal.Service,
  { isOwn, name, run }: { readonly run: string; readonly name: string; readonly isOwn: boolean }
): ProgramRecord => {
  const digest = Digest.ofText(name)
  const keyOf = (part: string): Journal.Key => ({ run, call: `program:${name}:${part}`, digest })
  const read = <A, I>(part: string, schema: Schema.Schema<A, I>) =>
    Effect.flatMap(journal.look(keyOf(part)), (known): Effect.Effect<Option.Option<A>, UnreadableRecord> => {
      // A process that ends while it writes a part has begun it, and gone no further than before it.
      if (known._tag === "Fresh" || known._tag === "Begun") return Effect.succeed(Option.none())
      return known._tag === "Finished" && known.ending._tag === "Success"
        ? Effect.mapBoth(Schema.decodeUnknown(schema)(known.ending.encoded), {
            onSuccess: Option.some,
            onFailure: () => new UnreadableRecord()
          })
        : new UnreadableRecord()
    })
  const write = (part: string, encoded: unknown) => journal.finish(keyOf(part), { _tag: "Success", encoded })
  let written = 0
  return {
    head: read("head", Head),
    begin: (head) => write("head", head),
    deliveries: Effect.gen(function* () {
      const all: Array<Delivery> = []
      while (true) {
        const some = yield* read(String(written), Deliveries)
        if (Option.isNone(some)) return all
        for (const one of some.value) all.push(one)
        written++
      }
    }),
    add: (deliveries) => Effect.suspend(() => write(String(written++), deliveries)),
    forget: isOwn ? Effect.ignore(journal.forget(run)) : Effect.void
  }
}
