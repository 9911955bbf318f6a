/**
 * Media that a tool gave and that the recorded client sent behind the results,
 * because the API's results hold text only. Wield's tools give them as a part of
 * the result, and the format decides where they go.
 */
import type { Words } from "./words.js"

/** Whether there are media; undefined where the client says something else. */
export const behindResults = (behind: ReadonlyArray<Words>): boolean | undefined => {
  if (behind.length === 0) return false
  // Mistral takes no user's message behind a result: the client lets the model say something between.
  const [first, second] = behind
  const user = first?.says === "assistant" && isFiller(first) ? second : first
  const length = user === first ? 1 : 2
  if (user?.says !== "user" || behind.length !== length) return undefined
  const isMedia = user.content.some((part) => typeof part === "object")
  return isMedia && user.content.every((part) => typeof part === "object" || isLabel(part)) ? true : undefined
}

const isFiller = (words: Words): boolean =>
  words.says === "assistant" && words.calls.length === 0 && words.text === "OK"

/** Words with which clients announce the media. */
export const isLabel = (part: unknown): boolean =>
  typeof part === "string" &&
  /^(This is file \w+:|See attached document\(s\)\.|(File|Image) \d+, from the result of \w+( \(call .*\))?:?|\[?File \d+\]?:?)$/.test(
    part.trim()
  )
