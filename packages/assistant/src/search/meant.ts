/** What is near in meaning, by vectors of the model; nothing where it fails. */
import * as AiError from "@effect/ai/AiError"
import type { SqlError } from "@effect/sql/SqlError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { UserId } from "../Owner.js"
import type { Backend, Candidate, Wanted } from "./Backend.js"
import type { Embedder } from "./embedding.js"

/** What a search waits for at most; the rest is embedded beside it. */
const atOnce = 96

export type Meant = (
  user: UserId,
  text: string,
  wanted: Wanted
) => Effect.Effect<ReadonlyArray<Candidate> | undefined, SqlError>

/** A provider that cannot be reached, or not in time, costs the search by meaning, not the search. */
export const findMeant =
  (backend: Backend, embedder: Embedder, timeout: Duration.DurationInput): Meant =>
  (user, text, wanted) =>
    // The vectors of what is new, and of the query, at once. What could not be embedded, or not soon, is no reason not to
    // look among what was.
    Effect.all(
      [
        embedder.catchUp(atOnce, user).pipe(
          Effect.timeoutOption(Duration.times(timeout, 0.25)),
          Effect.catchIf(AiError.isAiError, (error) =>
            Effect.logDebug("New items could not be embedded", error.message)
          )
        ),
        embedder.embed(text.slice(0, longest))
      ],
      { concurrency: "unbounded" }
    ).pipe(
      Effect.map(([, vector]) => vector),
      Effect.catchIf(AiError.isAiError, (error) =>
        Effect.as(Effect.logWarning("The embedding model failed: searching by words only", error.message), undefined)
      ),
      Effect.timeoutTo({
        duration: timeout,
        onSuccess: Effect.succeed,
        onTimeout: () =>
          Effect.as(
            Effect.logWarning(
              `The embedding model took more than ${Duration.format(timeout)}: searching by words only`
            ),
            undefined
          )
      }),
      Effect.flatten,
      // The time is the model's: a database that takes long to compare many vectors is waited for.
      Effect.flatMap((vector) =>
        vector === undefined ? Effect.succeed(undefined) : backend.byMeaning(user, embedder.model, vector, wanted)
      )
    )

/** Of a query so many characters are embedded: some 2,000 tokens, which every model takes. */
const longest = 8000
