/**
 * What share of questions about memories is answered; half of the questions say
 * it in other words. The weights were chosen with a look at the first set, the
 * second one is held apart.
 */
import { SearchIndex } from "@wield/assistant"
import { Effect, Layer, Stream } from "effect"
import type { Measured } from "../../harness/table.js"
import * as HeldOutMemories from "../../task/recall/heldOutMemories.js"
import * as HeldOutQuestions from "../../task/recall/heldOutQuestions.js"
import { type LabelledMemory, memories as labelled } from "../../task/recall/memories.js"
import { type Question, questions as asked } from "../../task/recall/questions.js"
import * as WordVectors from "../../task/recall/wordVectors.js"
import { file, type Kind, kinds, layerOf, user } from "./kinds.js"
import { miniSearch } from "./miniSearch.js"
import { hitAt, mean, share } from "./score.js"

const most = 5

type Answers = ReadonlyMap<Question, ReadonlyArray<string>>

interface Labelled {
  readonly items: ReadonlyArray<SearchIndex.Item>
  readonly questions: ReadonlyArray<Question>
}

const itemOf = ({ id, name, text }: LabelledMemory): SearchIndex.Item => ({
  type: "memory",
  id: String(id),
  title: name,
  text,
  importance: 5,
  changed: 0
})

const searched = ({ items, questions }: Labelled, kind: Kind, embed: (text: string) => Array<number>) =>
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

const row = (questions: ReadonlyArray<Question>, name: string, answers: Answers): ReadonlyArray<string> => {
  const of = (wanted: ReadonlyArray<Question>, count: number): string =>
    share(mean(wanted.map((question) => hitAt(count, answers.get(question) ?? [], question.answers.map(String)))))
  const byKind = (kind: Question["kind"]) => questions.filter((question) => question.kind === kind)
  return [name, ...[byKind("words"), byKind("paraphrase"), questions].flatMap((some) => [of(some, 1), of(some, most)])]
}

const measured = async ({ items, questions }: Labelled): Promise<Measured> => {
  const embed = WordVectors.embedder(WordVectors.load())
  const rows: Array<ReadonlyArray<string>> = []
  for (const kind of kinds) {
    rows.push(row(questions, kind.name, await Effect.runPromise(searched({ items, questions }, kind, embed))))
  }
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
        rows: [...rows, row(questions, "MiniSearch, fuzzy and prefix", ofPeer)]
      }
    ],
    goals: [],
    notes: [
      `The meaning is that of ${WordVectors.name}, means of word vectors: a weak stand-in for a provider's embedding model.`
    ]
  }
}

export const memories = (): Promise<Measured> => measured({ items: labelled.map(itemOf), questions: asked })

export const heldOut = (): Promise<Measured> =>
  measured({ items: HeldOutMemories.memories.map(itemOf), questions: HeldOutQuestions.questions })
