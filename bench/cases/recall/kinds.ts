/** The search as it is measured: by words, by words and synonyms, by meaning, by all. */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as FileStore from "@wield/agent/FileStore"
import { Owner, SearchIndex } from "@wield/assistant"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as WordVectors from "../../task/recall/wordVectors.js"

export const user = Owner.UserId.make("mara")

export interface Kind {
  readonly name: string
  readonly weights: Partial<SearchIndex.Weights>
  readonly isByMeaning: boolean
}

export const kinds: ReadonlyArray<Kind> = [
  { name: "words", weights: { synonyms: 0 }, isByMeaning: false },
  { name: "words and synonyms", weights: {}, isByMeaning: false },
  { name: "meaning", weights: { words: 0, synonyms: 0 }, isByMeaning: true },
  { name: "words, synonyms and meaning", weights: {}, isByMeaning: true }
]

/** A libsql file that goes with the scope. */
export const file: Layer.Layer<SqlClient> = Layer.unwrapScoped(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-bench-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ),
    (folder) => FileStore.layerClient({ path: join(folder, "assistant.db"), synchronous: "normal" })
  )
).pipe(Layer.orDie)

export const layerOf = (
  { isByMeaning, weights }: Omit<Kind, "name">,
  embed: (text: string) => Array<number>
): Layer.Layer<SearchIndex.SearchIndex, never, SqlClient> =>
  Layer.orDie(
    isByMeaning
      ? SearchIndex.layerEmbedding({ model: WordVectors.name, weights }).pipe(Layer.provide(WordVectors.layer(embed)))
      : SearchIndex.layer({ weights })
  )
