/**
 * Results that came late. A conversation may tell the results of one turn in
 * several messages, as they came in; APIs want them in one (Anthropic, Bedrock,
 * Gemini), or in the order of the calls (Ollama).
 */
import type { Message, ToolResult } from "@wield/core"

/**
 * The messages, with results in a row joined in the first of them, in the order
 * of their calls. The others stay, without results, so that every message keeps
 * its index. Those that came from a body of this format stay as they stood.
 */
export const joinedResults = (
  messages: ReadonlyArray<Message.Message>,
  format: string
): ReadonlyArray<Message.Message> => {
  const isAnew = (message: Message.Message | undefined): message is Message.Results =>
    message?._tag === "Results" && message.native?.format !== format
  let joined: Array<Message.Message> | undefined
  messages.forEach((message, index) => {
    if (!isAnew(message) || isAnew(messages[index - 1]) || !isAnew(messages[index + 1])) return
    joined ??= [...messages]
    const results: Array<ToolResult.ToolResult> = []
    for (let at = index; ; at++) {
      const next = messages[at]
      if (!isAnew(next)) break
      results.push(...next.results)
      joined[at] = { ...next, results: [] }
    }
    joined[index] = { ...message, results: inOrder(results, messages.slice(0, index)) }
  })
  return joined ?? messages
}

/** Sorting is stable: results that share an id stay in their order. */
const inOrder = (
  results: ReadonlyArray<ToolResult.ToolResult>,
  before: ReadonlyArray<Message.Message>
): ReadonlyArray<ToolResult.ToolResult> => {
  const turn = before.findLast((message) => message._tag === "Assistant")
  const places = new Map<string, number>()
  for (const [place, part] of (turn?._tag === "Assistant" ? turn.parts : []).entries())
    if (part._tag === "Call" && !places.has(part.call.id)) places.set(part.call.id, place)
  const placeOf = ({ id }: ToolResult.ToolResult): number => places.get(id) ?? Number.MAX_SAFE_INTEGER
  return results.toSorted((left, right) => placeOf(left) - placeOf(right))
}
