/**
 * Where a conversation may be cut: before a user's message or a turn of the
 * model, unless a call before the place has its result after it.
 */
import type { Message } from "@wield/core"
import * as Turn from "@wield/core/Turn"

export interface Outline {
  /** How many system messages stand at the beginning: they are always shown. */
  readonly leading: number
  /** Where a cut may be, ascending; the first is `leading`. */
  readonly starts: ReadonlyArray<number>
  /** Those of them that begin an exchange: a user's message. */
  readonly exchanges: ReadonlyArray<number>
}

export const outlineOf = (messages: ReadonlyArray<Message.Message>): Outline => {
  const found = messages.findIndex((message) => message._tag !== "System")
  const leading = found < 0 ? messages.length : found
  const isSpanned = spannedCuts(messages)
  const starts: Array<number> = []
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
