/**
 * The calls and results of a whole conversation that is said anew: under which
 * ids an API takes them, the same for a call and its result, and which calls
 * have a result at all.
 */
import type { Message, Turn } from "@wield/core"
import type { NameRule } from "./nameMap.js"
import { nameMap } from "./nameMap.js"
import { OpenCalls } from "./openCalls.js"
import { SentIds } from "./sentIds.js"

export interface CallPairs {
  /** The id to say a call by: its own where the API takes it. */
  readonly call: (part: Turn.CallPart) => string
  /** The id by which the first call of this id was said that has no result yet; `undefined` where there is none. */
  readonly result: (id: string) => string | undefined
  /** A call that is in the history already, under the id that it has there. */
  readonly keep: (part: Turn.CallPart) => void
}

export const callPairs = (format: string, rule: NameRule): CallPairs => {
  // Ids are as names are: legal ones stay, others become legal and stay apart.
  const ids = new SentIds(format, nameMap([], rule).toNative)
  const open = new OpenCalls<string>()
  return {
    call: (part) => {
      const native = ids.make(part)
      open.put(part.call.id, native)
      return native
    },
    result: (id) => open.answer(id),
    keep: ({ call, nativeId }) => open.put(call.id, ids.take(nativeId ?? call.id))
  }
}

/**
 * The ids of the calls of the message at this index that may be said: those
 * that have a result before the model speaks again, and all of them where the
 * conversation ends before it does. APIs refuse a call without its result.
 */
export const pairedCalls = (messages: ReadonlyArray<Message.Message>, index: number): ((id: string) => boolean) => {
  const answered = new Set<string>()
  // APIs take messages of the model in a row for one turn (Anthropic), whose results come behind the last of them.
  let next = index + 1
  while (messages[next]?._tag === "Assistant") next++
  for (const message of messages.slice(next)) {
    if (message._tag === "Results") for (const result of message.results) answered.add(result.id)
    else if (message._tag !== "System") return (id) => answered.has(id)
  }
  return () => true
}
