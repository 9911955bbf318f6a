/** What memories are made of, beside other memories. */
import { type Source, type SourceType, sourceTypes } from "../Memory.js"
import type { ConversationId } from "../Owner.js"
import { digest } from "../search/digest.js"
import { isUnspaced, keyWords } from "../search/terms.js"
import type { Line } from "../Transcript.js"

export const isSourceType = (type: string): type is SourceType => sourceTypes.some((known) => known === type)

/** A conversation as it was: the same lines have the same name. */
export const transcriptSource = (conversation: ConversationId, lines: ReadonlyArray<Line>): ReadonlyArray<Source> => {
  if (lines.length === 0) return []
  const text = lines.map(({ role, text }) => `${role}: ${text}`).join("\n")
  return [{ type: "ContextMessageSet", name: digest(`${conversation}\n${text}`).slice(0, 12), text }]
}

/** A note has no name of its own: its first line, not cut within a word. */
export const titleOf = (content: string): string => {
  const [line = ""] = content.trim().split("\n")
  if (line.length <= longest) return line
  const cut = line.slice(0, longest)
  return `${cut.slice(0, cut.lastIndexOf(" ") > 0 ? cut.lastIndexOf(" ") : longest)}…`
}

const longest = 60

/** Of a longer text the first words. */
const most = 24

/** The words that say what a text is about, in alphabetical order. */
export const keywordsOf = (text: string): ReadonlyArray<string> =>
  [
    ...new Set(
      keyWords(text)
        .slice(0, most)
        .filter((word) => word.length > (isUnspaced(word) ? 1 : 2))
    )
  ].sort()
