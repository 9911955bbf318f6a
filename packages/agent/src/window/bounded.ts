/** A window of a bounded number of tokens. */
import * as ApiError from "@wield/providers/ApiError"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ContextWindow, Summariser, View } from "../ContextWindow.js"
import { type Entry, messages } from "../Conversation.js"
import type { Counter, Counts } from "../Tokens.js"
import { type Cut, cutOf, type Outline, outlineOf, pinsAt } from "./cut.js"
import { summarise, textOfSummary } from "./summarise.js"

export interface Bounds {
  /** Tokens that a request may take. */
  readonly limit: number
  /** The part of them that is kept when it took more. */
  readonly keep: number
  readonly counter: Counter
  readonly summariser: Summariser | undefined
}

/** What begins the answer, in tokens. */
const priming = 3

export const makeBounded = (bounds: Bounds): ContextWindow => ({
  view: (entries, beside) =>
    Effect.gen(function* () {
      const counts = yield* bounds.counter.counts
      const { list, summaries } = separate(entries)
      const length =
        bounds.summariser === undefined ? 0 : Math.floor(Math.min(bounds.summariser.length, bounds.limit / 8))
      // A summary longer than the limit now does not count.
      const usable =
        bounds.summariser === undefined ? [] : summaries.filter(({ entry }) => counts.message(entry.message) <= length)
      const outline = outlineOf(list.map(({ message }) => message))
      const text = beside.instructions
      const system = text === undefined ? 0 : counts.message({ _tag: "System", text, native: undefined })
      const cut = cutOf(outline, {
        tokens: list.map(({ message }) => counts.message(message)),
        beside: priming + counts.definitions(beside.definitions) + system,
        limit: bounds.limit,
        lower: bounds.limit * bounds.keep,
        summary: length,
        newestUser: newestOf(list, "User"),
        newestTurn: newestOf(list, "Assistant"),
        made: new Map(usable.map(({ at, from }) => [at, from]))
      })
      if (cut.size > bounds.limit) return yield* overflow(cut.size, bounds.limit)
      const summary =
        bounds.summariser === undefined || cut.from === outline.leading
          ? undefined
          : yield* summaryFor(bounds.summariser, list, usable, outline, cut, { counts, length, limit: bounds.limit })
      return viewOf(list, outline.leading, cut, summary)
    })
})

/** For each number of messages, where the newest of a kind among them stands. */
const newestOf = (list: ReadonlyArray<Entry>, tag: "User" | "Assistant"): ((end: number) => number) => {
  const newest = [-1]
  list.forEach(({ message }, index) => newest.push(message._tag === tag ? index : (newest[index] ?? -1)))
  return (end) => newest[end] ?? -1
}

const overflow = (size: number, limit: number): ApiError.ContextOverflow =>
  new ApiError.ContextOverflow({
    format: "context-window",
    detail: `the instructions, the tools, the first system messages, the newest user's message and the newest turn alone take ${size} tokens, but there is room for ${limit} (the budget less what is kept for the answer): raise the budget, offer fewer tools, or bound the results of tools`
  })

interface Summary {
  readonly entry: Entry
  readonly isNew: boolean
}

/** The summary that belongs to the cut: one that was made before, or one that is made now. */
const summaryFor = (
  summariser: Summariser,
  list: ReadonlyArray<Entry>,
  usable: ReadonlyArray<Made>,
  outline: Outline,
  cut: Cut,
  { counts, length, limit }: { readonly counts: Counts; readonly length: number; readonly limit: number }
): Effect.Effect<Summary | undefined> => {
  const made = usable.findLast(({ from }) => from === cut.from)
  if (made !== undefined) return Effect.succeed({ entry: made.entry, isNew: false })
  const before = latestOf(usable.filter(({ from }) => from > outline.leading && from < cut.from))
  const covered = before?.from ?? outline.leading
  // The user's message that was shown beside the summary before belongs to what this one is made of.
  const [start, end] = before === undefined ? [covered, covered] : pinsAt(outline, covered)
  const left = (from: number, to: number): ReadonlyArray<Entry> =>
    list.slice(from, to).filter((_, index) => from + index < cut.pinned[0] || from + index >= cut.pinned[1])
  const warn = (why: string): Effect.Effect<undefined> =>
    Effect.as(
      Effect.logWarning(
        `The model ${summariser.model.id} gave no summary (${why}): ${cut.from - outline.leading} entries of the conversation are left out without one`
      ),
      undefined
    )
  return summarise({
    summariser,
    before: before === undefined ? undefined : textOfSummary(before.entry),
    messages: messages([...left(start, end), ...left(covered, cut.from)]),
    // A cut is never at the beginning.
    last: list[cut.from - 1]?.id ?? "",
    counts,
    length,
    limit
  }).pipe(
    // One that hangs is left alone, even where it does not let itself be interrupted.
    Effect.disconnect,
    Effect.timeoutOption(summariser.timeLimit),
    Effect.flatMap(
      Option.match({
        onNone: () => warn(`it took longer than ${Duration.format(summariser.timeLimit)}`),
        onSome: (entry) =>
          entry === undefined
            ? warn("its answer is empty, was cut off, or has no room")
            : Effect.succeed({ entry, isNew: true })
      })
    ),
    // A defect of the summariser is not one of the step. What it says may have words of the conversation.
    Effect.catchAllCause((cause) =>
      warn(Option.match(Cause.failureOption(cause), { onNone: () => "it broke", onSome: ({ _tag }) => _tag }))
    )
  )
}

/** The one that stands for most; of several, the one appended last. */
const latestOf = (summaries: ReadonlyArray<Made>): Made | undefined =>
  summaries.reduce<Made | undefined>(
    (best, next) => (best === undefined || next.from >= best.from ? next : best),
    undefined
  )

/** What is shown, in its order: the summary stands where the last of what it stands for stood. */
const viewOf = (list: ReadonlyArray<Entry>, leading: number, cut: Cut, summary: Summary | undefined): View => {
  const pinned = list.slice(...cut.pinned)
  return {
    messages: messages([
      ...list.slice(0, leading),
      ...pinned,
      ...(summary === undefined ? [] : [{ ...summary.entry, summaryOf: undefined }]),
      ...list.slice(cut.from)
    ]),
    dropped: cut.from - leading - pinned.length,
    summary: summary?.isNew === true ? summary.entry : undefined
  }
}

interface Made {
  readonly entry: Entry
  /** The cut that it belongs to: it stands for what is before, but for what is shown anyway. */
  readonly from: number
  /** How many messages there were when it was appended. */
  readonly at: number
}

/** The entries that are messages, and the summaries that stand for some of them. */
const separate = (
  entries: ReadonlyArray<Entry>
): { readonly list: ReadonlyArray<Entry>; readonly summaries: ReadonlyArray<Made> } => {
  const list: Array<Entry> = []
  const summaries: Array<Made> = []
  const places = new Map<string, number>()
  for (const entry of entries) {
    if (entry.summaryOf === undefined) {
      places.set(entry.id, list.length)
      list.push(entry)
      continue
    }
    const last = places.get(entry.summaryOf)
    // What it stood for is not there any more.
    if (last !== undefined) summaries.push({ entry, from: last + 1, at: list.length })
  }
  return { list, summaries }
}
