/** The words of a text that are worth looking for. Both databases reduce words to their stems by themselves. */

/** What is written without spaces stays in one piece. Where letters have no case, their marks are part of the word. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}](?:[\p{L}\p{N}]|(?<=[\p{Lo}\p{M}])[\p{Mn}\p{Mc}])*/gu) ?? []

/** Latin letters without their marks, by which `café` is found by `cafe`. In other scripts a mark makes another letter. */
export const removeMarks = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/(\p{Script=Latin})[\u0300-\u036f]+/gu, "$1")
    .normalize("NFKC")

export const keyWords = (text: string): ReadonlyArray<string> => {
  const all = [...new Set(wordsOf(addSpaces(text)))]
  const telling = all.filter((word) => !meaningless.has(word))
  // "Who is it?" has nothing else.
  return telling.length === 0 ? all : telling
}

/** Words of English that stand in every second text and in every question. */
const meaningless = new Set(
  (
    "a about above after again against all also am an and any are as at be because been before being below between " +
    "both but by can could did do does doing down during each few for from further get gets getting give got had has " +
    "have having he her here hers herself him himself his how i if in into is it its itself just know let like me " +
    "more most my myself no nor not now of off on once only or other our ours ourselves out over own please remember " +
    "same she should so some such tell than that the their theirs them themselves then there these they thing things " +
    "this those through to too under until up us very was we were what when where which while who whom whose why will " +
    "with would you your yours yourself yourselves s t d ll m re ve don"
  ).split(" ")
)

/** A letter of such a script, or a mark of one; not its punctuation. */
const letter =
  "(?=[\\p{L}\\p{M}])[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]"

const runs = new RegExp(`(?:${letter})+`, "gu")

const beginning = new RegExp(`^(?:${letter})`, "u")

export const isUnspaced = (word: string): boolean => beginning.test(word)

/** The time it takes to cut a run grows with its square: 100,000 letters at once took 30 s, so many at a time 0.3 s. */
const atOnce = 100

export const addSpaces = (text: string): string => {
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
