/**
 * The calls and results of a whole conversation that is said anew: under which
 * ids an API takes them, the same for a call and its result, and which calls
 * have a result at all.
 */
import type { Message, Turn } from "@wield/core"
import type { NameRule } from "./nameMap.js"
import { nameMap } from "./nameMap.js"

export interface CallPairs {
  /** The id to say a call by: its own where the API takes it and no earlier call has it. */
  readonly call: (id: string) => string
  /** The id by which the latest call of this id was said; `undefined` where none was. */
  readonly result: (id: string) => string | undefined
  /** A call that is in the history already, under the id that it has there. */
  readonly keep: (part: Turn.CallPart) => void
}

export const callPairs = (rule: NameRule): CallPairs => {
  // Ids are as names are: legal ones stay, others become legal and stay apart.
  const { toNative } = nameMap([], rule)
  const taken = new Set<string>()
  const said = new Map<string, string>()
  const put = (id: string, native: string): string => {
    taken.add(native)
    said.set(id, native)
    return native
  }
  return {
    call: (id) => {
      let native = toNative(id)
      // Formats without ids count them anew in every turn.
      for (let attempt = 2; taken.has(native); attempt++) native = toNative(`${id}_${attempt}`)
      return put(id, native)
    },
    result: (id) => said.get(id),
    keep: ({ call, nativeId }) => void put(call.id, nativeId ?? call.id)
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
