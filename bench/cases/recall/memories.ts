/** 300 memories of one user, 150 questions about them; half of the questions say it in other words. */
import { SearchIndex } from "@wield/assistant"
import { Effect, Layer, Stream } from "effect"
import type { Measured } from "../../harness/table.js"
import { memories as labelled } from "../../task/recall/memories.js"
import { type Question, questions } from "../../task/recall/questions.js"
import * as WordVectors from "../../task/recall/wordVectors.js"
import { file, type Kind, kinds, layerOf, user } from "./kinds.js"
import { miniSearch } from "./miniSearch.js"
import { hitAt, mean, share } from "./score.js"

const most = 5

type Answers = ReadonlyMap<Question, ReadonlyArray<string>>

const items = labelled.map(({ id, name, text }) => ({
  type: "memory" as const,
  id: String(id),
  title: name,
  text,
  importance: 5,
  changed: 0
}))

const searched = (kind: Kind, embed: (text: string) => Array<number>) =>
  Effect.gen(function* () {
    const index = yield* SearchIndex.SearchIndex
    yield* index.put(user, items)
    yield* Stream.runDrain(index.reindex)
    const answers = yield* Effect.forEach(questions, (question) =>
      Effect.map(
        index.search(user, { text: question.text, limit: most }),
        ({ hits }) => [question, hits.map(({ id }) => id)] as const
      )
    )
    return new Map(answers)
  }).pipe(Effect.provide(layerOf(kind, embed).pipe(Layer.provide(file))))

const row = (name: string, answers: Answers): ReadonlyArray<string> => {
  const of = (wanted: ReadonlyArray<Question>, count: number): string =>
    share(mean(wanted.map((question) => hitAt(count, answers.get(question) ?? [], question.answers.map(String)))))
  const byKind = (kind: Question["kind"]) => questions.filter((question) => question.kind === kind)
  return [name, ...[byKind("words"), byKind("paraphrase"), questions].flatMap((some) => [of(some, 1), of(some, most)])]
}

export const memories = async (): Promise<Measured> => {
  const embed = WordVectors.embedder(WordVectors.load())
  const rows: Array<ReadonlyArray<string>> = []
  for (const kind of kinds) rows.push(row(kind.name, await Effect.runPromise(searched(kind, embed))))
  // The beginning of a word is enough, and a letter in five may be wrong.
  const peer = miniSearch(items, { fuzzy: 0.2, prefix: true })
  const ofPeer = new Map(questions.map((question) => [question, peer(question.text, most)]))
  return {
    tables: [
      {
        _tag: "Figures",
        title: `${items.length} memories, ${questions.length} questions: share that has an answer first, and among the first ${most}`,
        columns: [
          "search by",
          ...["words", "paraphrase", "all"].flatMap((kind) => [`${kind}: recall@1`, `recall@${most}`])
        ],
        rows: [...rows, row("MiniSearch, fuzzy and prefix", ofPeer)]
      }
    ],
    goals: [],
    notes: [
      `The meaning is that of ${WordVectors.name}, means of word vectors: a weak stand-in for a provider's embedding model.`
    ]
  }
}
