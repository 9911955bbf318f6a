/**
 * The words of a query that are worth looking for, and words that mean the
 * same. Both databases reduce words to their stems by themselves.
 */
import { synonymsOf } from "./synonyms.js"

export interface Terms {
  readonly words: ReadonlyArray<string>
  readonly synonyms: ReadonlyArray<string>
}

/** Of a longer query the first words are looked for. */
const mostWords = 24

const mostSynonyms = 24

export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

export const termsOf = (text: string): Terms => {
  const all = [...new Set(wordsOf(text))]
  const telling = all.filter((word) => !meaningless.has(word))
  // "Who is it?" has nothing else.
  const words = (telling.length === 0 ? all : telling).slice(0, mostWords)
  const synonyms = new Set(words.flatMap(synonymsOf))
  for (const word of words) synonyms.delete(word)
  return { words, synonyms: [...synonyms].slice(0, mostSynonyms) }
}

/** Words of English that stand in every second text and in every question. */
const meaningless = new Set(
  (
    "a about after again all also am an and any are as at be because been before being but by can could did do does " +
    "doing down during each few for from further get gets getting give got had has have having he her here hers him " +
    "his how i if in into is it its itself just know let like me more most my myself no nor not now of off on once " +
    "only or other our ours out over own please remember same she should so some such tell than that the their theirs " +
    "them then there these they thing things this those through to too under until up us very was we were what when " +
    "where which while who whom whose why will with would you your yours s t d ll m re ve don"
  ).split(" ")
)
