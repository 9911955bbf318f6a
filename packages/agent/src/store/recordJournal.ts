/**
 * The journal over records. What is known of a call stands under keys of its
 * own, of which each is written once: that it was begun, that it was interrupted,
 * how it ended. Only the sign of life is written again and again.
 */
import * as Digest from "@wield/core/Digest"
import * as Journal from "@wield/core/Journal"
import { JournalError } from "@wield/core/JournalError"
import * as Time from "@wield/core/Time"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Records } from "../RecordStore.js"
import { endingFromText, endingToText } from "./endings.js"
import { isGone, looks, makeHeartbeat, owner, silence } from "./heartbeat.js"
import { deleteAll, nameOf } from "./recordKeys.js"

const Sign = Schema.Struct({
  at: Schema.JsonNumber,
  owner: Schema.NullOr(Schema.String),
  /** The text of how it ended, of a call that was over as it began, such as one that was denied. */
  ending: Schema.optional(Schema.String)
})
type Sign = typeof Sign.Type

/** What stands in the records of a call. */
interface Call {
  readonly begun: Sign | undefined
  readonly beat: Sign | undefined
  readonly isInterrupted: boolean
  readonly isEnded: boolean
  readonly ending: Journal.Ending | undefined
}

export const makeRecordJournal = (
  records: Records
): { readonly service: Journal.Service; readonly stop: Effect.Effect<void> } => {
  const attempt = <A>(operation: string, ask: () => Promise<A>): Effect.Effect<A, JournalError> =>
    Effect.tryPromise({ try: ask, catch: (cause) => new JournalError({ operation, cause }) })

  const ofRun = (run: string): string => `calls/${nameOf(run)}/`
  const ofCall = ({ call, digest, run }: Journal.Key): string =>
    `${ofRun(run)}${Digest.ofText(JSON.stringify([call, digest]))}/`

  /** The calls that this process has begun. */
  const own = new Set<string>()

  const sign = (at: number, ending?: string): string => JSON.stringify({ at, owner, ending } satisfies Sign)

  const read = (operation: string, key: Journal.Key): Effect.Effect<Call, JournalError> =>
    Effect.gen(function* () {
      const base = ofCall(key)
      const found = yield* attempt(operation, () => records.list(base))
      const texts = new Map(found.map(({ key, text }) => [key.slice(base.length), text]))
      const begun = signOf(texts.get("begun"))
      const ended = begun?.ending ?? texts.get("ended")
      const ending =
        ended === undefined ? undefined : yield* Effect.orElseSucceed(endingFromText(ended), () => undefined)
      const beat = begun && signOf(texts.get(beatOf(begun.owner)))
      // One that came late, after the call was given up, says nothing of the call that was begun again.
      const isLate = begun !== undefined && beat !== undefined && beat.at !== 0 && beat.at < begun.at
      return {
        begun,
        beat: isLate ? undefined : beat,
        // A text that was cut off says that the call had come to an end, and not to which.
        isInterrupted: texts.has("interrupted") || (ended !== undefined && ending === undefined),
        isEnded: ended !== undefined,
        ending
      }
    }).pipe(Effect.mapError((cause) => (JournalError.is(cause) ? cause : new JournalError({ operation, cause }))))

  const heartbeat = makeHeartbeat((keys) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.forEach(keys, (key) => attempt("beat", () => records.set(`${ofCall(key)}${beatOf(owner)}`, sign(now))), {
        concurrency: 10
      })
    )
  )

  /** Waits while another process is at a call; one that has died is written down as such. */
  const over = (key: Journal.Key): Effect.Effect<void, JournalError> => {
    let seen: number | undefined
    let since = 0
    const look = Effect.gen(function* () {
      const { beat, begun, ending, isInterrupted } = yield* read("look", key)
      if (begun === undefined || ending !== undefined || isInterrupted) return true
      const last = beat ?? begun
      const now = yield* Time.monotonic
      if (last.at !== seen) {
        seen = last.at
        since = now
      }
      // The clocks of two machines need not agree, so what counts is that it is silent while this one listens.
      if (!isGone(last.owner) && now - since < silence) return false
      yield* attempt("look", () => records.set(`${ofCall(key)}${beatOf(begun.owner)}`, sign(0)))
      return true
    })
    return Effect.asVoid(Effect.repeat(look, { schedule: looks, until: (isOver) => isOver }))
  }

  const known = (key: Journal.Key, call: Call, now: number): Journal.Known => {
    if (call.ending !== undefined) return { _tag: "Finished", ending: call.ending }
    if (call.isInterrupted) return { _tag: "Interrupted" }
    // A sign of life may come after the call was given up.
    if (call.begun === undefined) return { _tag: "Fresh" }
    const last = call.beat ?? call.begun
    return !isGone(last.owner) && now - last.at < silence ? { _tag: "Running", over: over(key) } : { _tag: "Begun" }
  }

  const begin = (
    key: Journal.Key,
    tool: string,
    ending: string | undefined,
    tries = 10
  ): Effect.Effect<Journal.Known, JournalError> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const text = JSON.stringify({ at: now, owner, tool, answeredBy: yield* Journal.AnsweredBy, ending })
      if (yield* attempt("begin", () => records.create(`${ofCall(key)}begun`, text))) {
        own.add(ofCall(key))
        yield* heartbeat.begin(key)
        return { _tag: "Fresh" }
      }
      const found = known(key, yield* read("begin", key), now)
      if (found._tag !== "Fresh") return found
      // It was given up between the two questions, unless the records contradict themselves.
      if (tries > 0) return yield* begin(key, tool, ending, tries - 1)
      const cause = new Error("`create` says that the key has a text, and `list` has none: see `testRecords`")
      return yield* new JournalError({ operation: "begin", cause })
    })

  const textOf = (operation: string, ending: Journal.Ending): Effect.Effect<string, JournalError> =>
    Effect.mapError(endingToText(ending), (cause) => new JournalError({ operation, cause }))

  const end = (key: Journal.Key, write: Effect.Effect<unknown, JournalError>): Effect.Effect<void, JournalError> =>
    Effect.uninterruptible(
      Effect.ensuring(
        Effect.asVoid(write),
        Effect.suspend(() => {
          own.delete(ofCall(key))
          return heartbeat.end(key)
        })
      )
    )

  return {
    stop: heartbeat.stop,
    service: {
      look: (key) =>
        Effect.map(read("look", key), (call) => {
          const found = known(key, call, 0)
          return found._tag === "Running" ? { _tag: "Begun" } : found
        }),
      begin: (key, tool, ending) =>
        Effect.flatMap(ending === undefined ? Effect.succeed(undefined) : textOf("begin", ending), (text) =>
          begin(key, tool, text)
        ),
      finish: (key, ending) =>
        Effect.flatMap(textOf("finish", ending), (text) =>
          end(
            key,
            attempt("finish", async () => {
              const base = ofCall(key)
              // One that never began begins no more. The first end stands.
              if (!own.has(base) && (await records.create(`${base}begun`, sign(0, text)))) return
              await records.create(`${base}ended`, text)
            })
          )
        ),
      interrupt: (key) =>
        end(
          key,
          attempt("interrupt", () => records.create(`${ofCall(key)}interrupted`, "{}"))
        ),
      abandon: (key) =>
        end(
          key,
          Effect.gen(function* () {
            const call = yield* read("abandon", key)
            const { _tag } = known(key, call, yield* Clock.currentTimeMillis)
            // What another process has finished meanwhile, or is at, stays its own.
            if (call.isEnded || (_tag === "Running" && call.begun?.owner !== owner)) return
            yield* attempt("abandon", () => deleteAll(records, ofCall(key)))
          })
        ),
      forget: (run) => Effect.asVoid(attempt("forget", () => deleteAll(records, ofRun(run))))
    }
  }
}

/** Each process has its own: one that has lost the call meanwhile, and does not know, writes over no other's. */
const beatOf = (owner: string | null): string => (owner === null ? "beat" : `beat.${nameOf(owner)}`)

const readSign = Schema.decodeOption(Schema.parseJson(Sign))

/** One that was cut off: the call was begun, and who began it shows no sign of life. */
const signOf = (text: string | undefined): Sign | undefined =>
  text === undefined ? undefined : Option.getOrElse(readSign(text), () => ({ at: 0, owner: null }))
