/** The words of a text that say what it is about, in the order of the alphabet. */
import { tellingWords } from "../search/terms.js"
import { isUnspaced } from "../search/unspaced.js"

/** Of a longer text the first words. */
const most = 24

export const keywordsOf = (text: string): ReadonlyArray<string> =>
  [
    ...new Set(
      tellingWords(text)
        .slice(0, most)
        .filter((word) => word.length > (isUnspaced(word) ? 1 : 2))
    )
  ].sort()
