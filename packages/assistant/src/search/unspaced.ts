/**
 * Scripts that are written without spaces between words: Chinese, Japanese,
 * Thai, Lao, Khmer and Burmese. Their words are cut by the dictionaries of the
 * platform, since neither database has any.
 */

/** A letter of such a script, or a mark of one; not its punctuation. */
const letter =
  "(?=[\\p{L}\\p{M}])[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]"

const runs = new RegExp(`(?:${letter})+`, "gu")

const beginning = new RegExp(`^(?:${letter})`, "u")

/** Whether a word is of such a script. */
export const isUnspaced = (word: string): boolean => beginning.test(word)

/** The time it takes to cut a run grows with its square: 100,000 letters at once took 30 s, so many at a time 0.3 s. */
const atOnce = 100

/** The text with spaces between the words of these scripts. */
export const spaced = (text: string): string => {
  // Most texts have no such run, and loading the dictionaries takes longer than looking for one.
  let words: Intl.Segmenter | undefined
  return text.replace(runs, (run) => {
    words ??= new Intl.Segmenter("und", { granularity: "word" })
    // A letter of half width is the same letter.
    const plain = run.normalize("NFKC")
    let cut = " "
    for (let start = 0; start < plain.length; start += atOnce) {
      for (const { segment } of words.segment(plain.slice(start, start + atOnce))) cut += `${segment} `
    }
    return cut
  })
}

/** How often a word stands in a run of letters, wherever it begins: two texts may be cut in different places. */
export const timesIn = (run: string, word: string): number => run.split(word).length - 1
