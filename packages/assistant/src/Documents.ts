/** Documents of users, cut into excerpts. People ingest them (`PeopleToolkit`), models read (`DocumentToolkit`). */
import { SqlClient } from "@effect/sql/SqlClient"
import { aCount, aCountOrZero, type Checks, fields, orThrow } from "@wield/core/Options"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { cutting, type Cutting, type Document, type Excerpt } from "./Document.js"
import type { DocumentNotFound, ExcerptNotFound, InvalidAddress, NotReadable, TooLarge } from "./DocumentError.js"
import { makeDocuments } from "./documents/makeDocuments.js"
import type { UserId } from "./Owner.js"
import { SearchIndex } from "./SearchIndex.js"
import { migrate } from "./store/migrations.js"
import type { StoreError } from "./StoreError.js"
import { makeReader } from "./reader/reader.js"

/**
 * What is to be ingested.
 *
 * @category models
 */
export interface Content {
  /** A path or a URL: how the document is named from now on. One line of at most 2,000 bytes in UTF-8. */
  readonly address: string
  readonly content: string | Uint8Array
  /** Such as `text/html; charset=iso-8859-1`. Where it is not given, the address and the first bytes tell. */
  readonly mediaType?: string | undefined
}

/**
 * What has become of a document: `unchanged` where the same content and type was ingested before.
 *
 * @category models
 */
export interface Ingested {
  readonly change: "added" | "replaced" | "unchanged"
  readonly document: Document
}

/**
 * An excerpt that was found.
 *
 * @category models
 */
export interface FoundExcerpt {
  readonly address: string
  readonly index: number
  /** The headings that it stands under, parted by ` › `; empty without headings. */
  readonly heading: string
  readonly text: string
  /** Between 0 and 1: comparable within one answer only. */
  readonly score: number
  readonly by: ReadonlyArray<"words" | "meaning">
}

/**
 * What was found, best first, and how it was searched.
 *
 * @category models
 */
export interface Found {
  readonly kind: "words" | "words and meaning"
  readonly excerpts: ReadonlyArray<FoundExcerpt>
}

/**
 * Documents of users. Each operation is one transaction.
 *
 * @category services
 */
export interface Service {
  /** Adds a document, or replaces that of the same address where its content is another. */
  readonly ingest: (
    user: UserId,
    content: Content
  ) => Effect.Effect<Ingested, InvalidAddress | NotReadable | TooLarge | StoreError>
  /** Replaces a document also where its content is the same, as after a change of how texts are cut. */
  readonly reingest: (
    user: UserId,
    content: Content
  ) => Effect.Effect<Ingested, DocumentNotFound | InvalidAddress | NotReadable | TooLarge | StoreError>
  /** Deletes a document with its excerpts, and gives what it was. */
  readonly delete: (user: UserId, address: string) => Effect.Effect<Document, DocumentNotFound | StoreError>
  /** By their addresses. */
  readonly list: (user: UserId) => Effect.Effect<ReadonlyArray<Document>, StoreError>
  readonly get: (user: UserId, address: string) => Effect.Effect<Document, DocumentNotFound | StoreError>
  readonly excerpt: (
    user: UserId,
    address: string,
    index: number
  ) => Effect.Effect<Excerpt, DocumentNotFound | ExcerptNotFound | StoreError>
  /** All excerpts of a document, in their order. */
  readonly excerpts: (
    user: UserId,
    address: string
  ) => Effect.Effect<ReadonlyArray<Excerpt>, DocumentNotFound | StoreError>
  /** The headings that each excerpt stands under, without the texts. */
  readonly headings: (
    user: UserId,
    address: string
  ) => Effect.Effect<ReadonlyArray<Pick<Excerpt, "index" | "headings">>, DocumentNotFound | StoreError>
  /** At most `limit` excerpts, 5 unless given. */
  readonly search: (user: UserId, text: string, limit?: number) => Effect.Effect<Found, StoreError>
}

/**
 * Documents of users.
 *
 * @category services
 */
export class Documents extends Context.Tag("@wield/assistant/Documents")<Documents, Service>() {}

/**
 * How documents are taken.
 *
 * @category models
 */
export interface Options extends Partial<Cutting> {
  /** The most that is taken, in bytes. 20 MB unless given; of HTML at most 1.5 million characters are read. */
  readonly bytes?: number | undefined
}

/**
 * The most that is taken unless it is said, in bytes.
 *
 * @category constants
 */
export const mostBytes = 20_000_000

/**
 * Documents in the client's database; makes what tables are missing. Processes that read end with the layer.
 *
 * @example
 * ```ts
 * import { Documents, Owner } from "@wield/assistant"
 * import { Effect } from "effect"
 *
 * const ada = Owner.UserId.make("ada")
 * export const program = Effect.gen(function* () {
 *   const documents = yield* Documents.Documents
 *   yield* documents.ingest(ada, { address: "notes/tea.md", content: "# Tea\n\nGreen tea steeps for two minutes." })
 *   const { excerpts } = yield* documents.search(ada, "How long does tea steep?")
 *   return excerpts.map(({ address, heading }) => [address, heading]) // [["notes/tea.md", "Tea"]]
 * })
 * ```
 *
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Documents, StoreError, SqlClient | SearchIndex> =>
  Layer.scoped(
    Documents,
    Effect.gen(function* () {
      orThrow(checkOptions(options), "What `Documents.layer` takes")
      yield* migrate
      return makeDocuments(yield* SqlClient, yield* SearchIndex, yield* makeReader(), {
        size: options.size ?? cutting.size,
        overlap: options.overlap ?? cutting.overlap,
        bytes: options.bytes ?? mostBytes
      })
    })
  )

// By a size that is not a number, no document would be too large.
const checkOptions = fields({ size: aCount, overlap: aCountOrZero, bytes: aCount } satisfies Checks<Options>)
