/**
 * Where a conversation is cut: a pure function of its messages, so that a
 * restart cuts it in the same place, and of their beginning as far as possible,
 * so that the next request only appends to the one before.
 *
 * The conversation is gone through message by message, as it grew. The cut
 * stays where it is until the budget is passed; then it moves on until what is
 * left takes no more than the lower mark.
 */
import type { Message } from "@wield/core"
import * as Turn from "@wield/core/Turn"

export interface Measures {
  /** Tokens of each message. */
  readonly tokens: ReadonlyArray<number>
  /** Tokens of what is always sent beside: instructions, definitions. */
  readonly beside: number
  /** What must not be passed. */
  readonly limit: number
  /** To what is cut down once it is passed. */
  readonly lower: number
  /** Tokens kept free for the summary of what is cut away. */
  readonly summary: number
  /** Where the newest user's message stands among the messages before `end`; -1 for none. */
  readonly newestUser: (end: number) => number
  /** Where the model's newest turn stands among the messages before `end`; -1 for none. */
  readonly newestTurn: (end: number) => number
  /** A summary appended when there were so many messages, and the cut that it belongs to. */
  readonly made: ReadonlyMap<number, number>
}

export type Cut = ReturnType<typeof cutOf>

/**
 * The first message that is shown, but for the leading ones and the pinned: the user's message (with what belongs to
 * it) of an exchange whose oldest turns are cut away. `size` are the tokens of what is shown.
 */
export const cutOf = (outline: Outline, measures: Measures) => {
  const { leading, starts, exchanges } = outline
  const sums = [0]
  for (const tokens of measures.tokens) sums.push((sums.at(-1) ?? 0) + tokens)
  const between = (start: number, end: number): number => (sums[end] ?? 0) - (sums[start] ?? 0)

  const sizeAt = (from: number, end: number): number =>
    measures.beside +
    between(0, leading) +
    between(...pinsAt(outline, from)) +
    between(from, end) +
    (from === leading ? 0 : measures.summary)

  /** The first that is small enough; undefined where none is. */
  const firstWithin = (candidates: ReadonlyArray<number>, end: number, size: number): number | undefined =>
    candidates.find((start) => sizeAt(start, end) <= size)

  const movedOn = (from: number, end: number): number => {
    const newest = measures.newestUser(end)
    const exchange = lastUpTo(exchanges, end - 1)
    const withTurn = beforeNewestTurn(from, end)
    if (withTurn !== undefined) return withTurn
    const later = amid(exchanges, from, end)
    const whole = firstWithin(later, end, measures.lower) ?? firstWithin(later.slice(-1), end, measures.limit)
    if (whole !== undefined) return whole
    // The newest exchange alone is too long: its oldest turns go, but neither its user's message nor its last turn.
    const head = exchange === undefined ? leading : (firstAfter(starts, exchange) ?? end)
    const turns = amid(starts, Math.max(from, head), newest < head ? end : newest + 1)
    return firstWithin(turns, end, measures.lower) ?? turns.at(-1) ?? Math.max(from, exchange ?? from)
  }

  /**
   * Where the user has spoken again after the newest turn: both are shown, even if
   * less would be left at the lower mark. A turn that is too long beside the
   * question is not, or no question could be asked any more.
   */
  const beforeNewestTurn = (from: number, end: number): number | undefined => {
    const turn = measures.newestTurn(end)
    if (turn < from || turn > measures.newestUser(end)) return undefined
    const whole = amid(exchanges, from, turn + 1)
    const turns = amid(starts, Math.max(from, whole.at(-1) ?? from), turn + 1)
    return (
      firstWithin([...whole, ...turns], end, measures.lower) ??
      firstWithin([...whole.slice(-1), ...turns.slice(-1)], end, measures.limit)
    )
  }

  let from = leading
  for (let end = leading; end <= measures.tokens.length; end++) {
    if (end > leading && sizeAt(from, end) > measures.limit) from = movedOn(from, end)
    const made = measures.made.get(end)
    if (made !== undefined && made > from && isLegal(made, end)) from = made
  }
  return { from, pinned: pinsAt(outline, from), size: sizeAt(from, measures.tokens.length) }

  /** A summary's cut is taken only where one may be and what is always shown still is. */
  function isLegal(made: number, end: number): boolean {
    const newest = measures.newestUser(end)
    const turn = measures.newestTurn(end)
    if (turn >= from && turn < made) return false
    const [start, pinnedEnd] = pinsAt(outline, made)
    return starts.includes(made) && made < end && (newest >= made || (newest >= start && newest < pinnedEnd))
  }
}

/** What is shown before the cut: where it falls into an exchange, the user's message that the exchange began with. */
export const pinsAt = (
  { exchanges, leading, starts }: Outline,
  from: number
): readonly [start: number, end: number] => {
  const exchange = lastUpTo(exchanges, from)
  if (exchange === undefined || exchange === from || from === leading) return [from, from]
  return [exchange, firstAfter(starts, exchange) ?? from]
}

/** The places ascend; a conversation has thousands, and each is looked at more than once. */
const countUpTo = (places: ReadonlyArray<number>, limit: number): number => {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((places[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

const lastUpTo = (places: ReadonlyArray<number>, limit: number): number | undefined =>
  places[countUpTo(places, limit) - 1]

const firstAfter = (places: ReadonlyArray<number>, limit: number): number | undefined =>
  places[countUpTo(places, limit)]

/** Those after `start` and before `end`. */
const amid = (places: ReadonlyArray<number>, start: number, end: number): ReadonlyArray<number> =>
  places.slice(countUpTo(places, start), countUpTo(places, end - 1))

export type Outline = ReturnType<typeof outlineOf>

export const outlineOf = (messages: ReadonlyArray<Message.Message>) => {
  const found = messages.findIndex((message) => message._tag !== "System")
  /** How many system messages stand at the beginning: they are always shown. */
  const leading = found < 0 ? messages.length : found
  const isSpanned = spannedCuts(messages)
  /** Where a cut may be, ascending; the first is `leading`. */
  const starts: Array<number> = []
  /** Those of them that begin an exchange: a user's message. */
  const exchanges: Array<number> = []
  for (let index = leading; index < messages.length; index++) {
    const tag = messages[index]?._tag
    if (isSpanned[index] === true) continue
    if (index === leading || tag === "User" || tag === "Assistant") starts.push(index)
    if (tag === "User") exchanges.push(index)
  }
  return { leading, starts, exchanges }
}

/** Before which messages a cut would part a call from its result. */
const spannedCuts = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<boolean> => {
  const isSpanned = messages.map(() => false)
  /** Where calls of an id stand: those without a result yet, and the last one. */
  const calls = new Map<string, { readonly open: Array<number>; last: number }>()
  messages.forEach((message, index) => {
    if (message._tag === "Assistant") {
      for (const { id } of Turn.calls(message)) {
        const known = calls.get(id)
        if (known === undefined) calls.set(id, { open: [index], last: index })
        else {
          known.open.push(index)
          known.last = index
        }
      }
    } else if (message._tag === "Results") {
      for (const { id } of message.results) {
        const known = calls.get(id)
        const call = known?.open.pop() ?? known?.last
        if (call !== undefined) isSpanned.fill(true, call + 1, index + 1)
      }
    }
  })
  return isSpanned
}
