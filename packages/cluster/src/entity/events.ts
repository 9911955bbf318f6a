/** The events of a run for those who read it, in this process, and from the conversation where it is over. */
import type * as Conversation from "@wield/agent/Conversation"
import type { Message } from "@wield/core"
import * as Fibers from "@wield/core/Fibers"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { RunEvent } from "../RunEvent.js"
import { type Home, insist } from "./home.js"
import type { Numbered, Position } from "./rpcs.js"

type TurnFinished = Extract<RunEvent, { readonly _tag: "TurnFinished" }>

/** The turns that the conversation has after an entry, up to another one. */
export const turnsAfter = (
  { conversation, store }: Home,
  opened: Conversation.Conversation<unknown> | undefined,
  start: string,
  until?: string
) =>
  Effect.gen(function* () {
    const entries = yield* (opened ?? (yield* store.openOrCreate(conversation))).entries
    const from = entries.findIndex(({ id }) => id === start)
    const to = until === undefined ? entries.length : entries.findIndex(({ id }) => id === until) + 1
    return entries.slice(from + 1, to).flatMap(({ id, message, summaryOf }): ReadonlyArray<TurnFinished> => {
      if (message._tag !== "Assistant" || summaryOf !== undefined) return []
      return [{ _tag: "TurnFinished", entry: id, text: textOf(message.parts) }]
    })
  })

export const events = (home: Home, id: string, after: Position): Stream.Stream<Numbered> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      // Also while it waits for a reader that takes nothing more, or that has gone without a word.
      yield* Fibers.withFiber((reader) =>
        Effect.forkScoped(Effect.zipRight(Deferred.await(home.handOver), Fiber.interruptFork(reader)))
      )
      const isHere = [...home.active].some((run) => run.id === id)
      const recorded = isHere ? undefined : yield* Effect.orElseSucceed(home.runs.read(home.keyOf(id)), () => undefined)
      if (recorded?.result === undefined) return home.hubOf(id).after(after)
      const until = "entry" in recorded.result ? recorded.result.entry : undefined
      const turns = yield* insist(turnsAfter(home, undefined, recorded.start, until))
      // Later than all events of any process.
      return Stream.fromIterable(
        turns.map((event, index) => ({ delivery: Number.MAX_SAFE_INTEGER, number: index + 1, event }))
      )
    }).pipe(Effect.orDie)
  )

const textOf = (parts: Message.Assistant["parts"]): string =>
  parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("")
