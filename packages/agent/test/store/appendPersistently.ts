import type { Conversation } from "@wield/agent"
import { Effect } from "effect"

/** Appends after whatever is last, again and again while others are faster; gives how often they were. */
export const appendPersistently = <E>(
  conversation: Conversation.Conversation<E>,
  entry: Conversation.Entry
): Effect.Effect<number, unknown> =>
  Effect.gen(function* () {
    for (let conflicts = 0; ; conflicts++) {
      const last = (yield* conversation.entries).at(-1)?.id
      // Others of this process come between, as those of other processes may.
      yield* Effect.yieldNow()
      const appended = yield* Effect.either(conversation.append([entry], last))
      if (appended._tag === "Right") return conflicts
      const error: unknown = appended.left
      if (!(typeof error === "object" && error !== null && "_tag" in error && error._tag === "AppendConflict")) {
        return yield* Effect.fail(error)
      }
    }
  })
