/** Tools with which a model searches and reads documents. People ingest them, by `PeopleToolkit`. */
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Excerpt } from "./Document.js"
import { DocumentNotFound, ExcerptNotFound } from "./DocumentError.js"
import { Documents } from "./Documents.js"
import { owned } from "./Owner.js"
import { orDie } from "./store/operation.js"
import { failsWith, ofUser, reads, textOf } from "./tools/facts.js"

const address = textOf("The address of the document, as get_source_documents and search_documents give it")

const pages = Schema.optional(
  Schema.Tuple(Schema.Int, Schema.Int).annotations({ description: "The first and the last page it stands on" })
)

/**
 * Tools with which a model searches and reads the documents of the user.
 *
 * @category toolkits
 */
export const toolkit = Toolkit.make(
  Tool.make("search_documents", {
    description:
      "Searches the user's documents, and gives the excerpts that fit best, the best first, with the document and place each is from. What stands before and after an excerpt can be read with get_document_excerpt.",
    parameters: {
      ...owned,
      query: textOf("What to look for: a question, or words that the text may have")
    },
    success: Schema.Struct({
      /** Without an embedding model, or while it fails, by `words` only. */
      searched_by: Schema.Literal("words", "words and meaning"),
      excerpts: Schema.Array(
        Schema.Struct({
          address: Schema.String,
          chunk_index: Schema.Int,
          heading: Schema.String,
          text: Schema.String,
          /** Between 0 and 1. */
          score: Schema.Number,
          found_by: Schema.Array(Schema.Literal("words", "meaning"))
        })
      )
    })
  }).pipe(ofUser(reads)),
  Tool.make("get_source_documents", {
    description: "Lists the documents that the user has had ingested, by their addresses.",
    parameters: { ...owned },
    success: Schema.Struct({
      documents: Schema.Array(Schema.Struct({ address: Schema.String, media_type: Schema.String, chunks: Schema.Int }))
    })
  }).pipe(ofUser(reads)),
  Tool.make("get_source_doc_metadata", {
    description:
      "Tells what is known of a document: when it was ingested, how long it is, which chunks there are, and with which of them its headings begin.",
    parameters: { ...owned, address },
    success: Schema.Struct({
      address: Schema.String,
      media_type: Schema.String,
      extracted_at: Schema.DateTimeUtc,
      bytes: Schema.Int,
      /** Of its text, as `String.length` counts. */
      characters: Schema.Int,
      pages: Schema.optional(Schema.Int),
      chunks: Schema.Int,
      first_chunk_index: Schema.Int,
      last_chunk_index: Schema.Int,
      /** Where chunks come under another heading; at most 100, where there are more those of the outer levels. */
      headings: Schema.Array(Schema.Struct({ chunk_index: Schema.Int, heading: Schema.String }))
    }),
    ...failsWith(DocumentNotFound)
  }).pipe(ofUser(reads)),
  Tool.make("get_document_excerpt", {
    description:
      "Reads one chunk of a document. Chunks are counted from 0; each begins with the end of the one before it.",
    parameters: {
      ...owned,
      address,
      chunk_index: Schema.Int.annotations({ description: "Which chunk, counted from 0" })
    },
    success: Schema.Struct({
      address: Schema.String,
      chunk_index: Schema.Int,
      heading: Schema.String,
      pages,
      text: Schema.String
    }),
    ...failsWith(DocumentNotFound, ExcerptNotFound)
  }).pipe(ofUser(reads))
)

/**
 * The handlers of the toolkit. A fault of the store is a defect.
 *
 * @category layers
 */
export const layer = toolkit.toLayer(
  Effect.gen(function* () {
    const documents = yield* Documents
    return {
      search_documents: ({ query, user_id }) =>
        documents.search(user_id, query).pipe(
          Effect.map(({ excerpts, kind }) => ({
            searched_by: kind,
            excerpts: excerpts.map(({ by, index, ...rest }) => ({ ...rest, chunk_index: index, found_by: by }))
          })),
          orDie
        ),
      get_source_documents: ({ user_id }) =>
        documents.list(user_id).pipe(
          Effect.map((all) => ({
            documents: all.map(({ address, excerpts, mediaType }) => ({
              address,
              media_type: mediaType,
              chunks: excerpts
            }))
          })),
          orDie
        ),
      get_source_doc_metadata: ({ address, user_id }) =>
        Effect.gen(function* () {
          const document = yield* documents.get(user_id, address)
          const headings = yield* documents.headings(user_id, address)
          return {
            address,
            media_type: document.mediaType,
            extracted_at: document.ingested,
            bytes: document.bytes,
            characters: document.length,
            pages: document.pages,
            chunks: document.excerpts,
            first_chunk_index: 0,
            last_chunk_index: document.excerpts - 1,
            headings: contentsOf(headings).map(({ heading, index }) => ({ chunk_index: index, heading }))
          }
        }).pipe(orDie),
      get_document_excerpt: ({ address, chunk_index, user_id }) =>
        orDie(
          Effect.map(documents.excerpt(user_id, address, chunk_index), ({ headings, pages, text }) => ({
            address,
            chunk_index,
            heading: headings.join(" › "),
            pages,
            text
          }))
        )
    }
  })
)

const most = 100

/** Where excerpts come under another heading: down to the level at which there are at most a hundred. */
const contentsOf = (places: ReadonlyArray<Pick<Excerpt, "index" | "headings">>) => {
  const found = [6, 5, 4, 3, 2, 1].map((level) => changesOf(places, level))
  return (found.find(({ length }) => length <= most) ?? found.at(-1) ?? []).slice(0, most)
}

const changesOf = (places: ReadonlyArray<Pick<Excerpt, "index" | "headings">>, level: number) => {
  const all = places.map(({ headings, index }) => ({ index, heading: headings.slice(0, level).join(" › ") }))
  return all.filter(({ heading }, at) => heading !== "" && heading !== all[at - 1]?.heading)
}
