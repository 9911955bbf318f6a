/** The words of a text that say what it is about, in the order of the alphabet. */
import { termsOf } from "../search/terms.js"

export const keywordsOf = (text: string): ReadonlyArray<string> =>
  [...new Set(termsOf(text).words.filter((word) => word.length > 2))].sort()
