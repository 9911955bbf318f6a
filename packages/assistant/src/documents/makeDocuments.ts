/** Documents in an SQL database. Each operation is one transaction. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { toStored } from "@wield/agent/SqlOperation"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { v7 } from "uuid"
import { type Cutting, Document, Excerpt } from "../Document.js"
import { DocumentNotFound, ExcerptNotFound, InvalidAddress, TooLarge } from "../DocumentError.js"
import type { Content, FoundExcerpt, Ingested, Service } from "../Documents.js"
import type { UserId } from "../Owner.js"
import type { Reader } from "../reader/reader.js"
import type { Hit, Item, Service as SearchIndex } from "../SearchIndex.js"
import { runChange, runOperation } from "../store/operation.js"
import { makeBreathe } from "@wield/core/Time"
import { cutByOutline } from "./cut.js"
import { outlineOf } from "./markdown.js"
import { mediaTypeOf, readText, type Text } from "./read.js"
import { documentsWhere, excerptsWhere, headingsWithin, insertExcerpts, type StoredDocument } from "./documentRows.js"

const addressesTold = 50

/** In bytes: Postgres takes no more than 2,700 of an index's entry. */
const longestAddress = 2000

interface Bytes {
  readonly hash: string
  readonly size: number
}

export const makeDocuments = (
  sql: SqlClient,
  index: SearchIndex,
  reader: Reader,
  options: Cutting & { readonly bytes: number }
): Service => {
  const { removeItems, write } = makeWriter(sql, index)

  const findDocument = (user: UserId, address: string): Effect.Effect<StoredDocument | undefined, SqlError> =>
    Effect.map(documentsWhere(sql, user, sql`d.address = ${toStored(address)}`), ([first]) => first)

  const failNotFound = (user: UserId, address: string) =>
    Effect.flatMap(
      documentsWhere(sql, user, sql`1 = 1 ORDER BY d.ingested DESC, d.address LIMIT ${addressesTold}`),
      (known) => new DocumentNotFound({ address, known: known.map(({ document }) => document.address) })
    )

  const getDocument = (user: UserId, address: string) =>
    Effect.flatMap(findDocument(user, address), (found) =>
      found === undefined ? failNotFound(user, address) : Effect.succeed(found)
    )

  const ingest = <E>(
    operation: string,
    user: UserId,
    content: Content,
    /** Gives the document where it is not to be replaced. */
    kept: (old: StoredDocument | undefined, hash: string) => Effect.Effect<Document | undefined, E | SqlError>
  ) =>
    Effect.gen(function* () {
      yield* validAddress(content.address)
      const bytes = typeof content.content === "string" ? new TextEncoder().encode(content.content) : content.content
      const { length: size } = bytes
      if (size > options.bytes) {
        return yield* new TooLarge({ address: content.address, bytes: size, limit: options.bytes })
      }
      const hash = yield* hashOf(bytes)
      const before = yield* runOperation(operation)(
        Effect.flatMap(findDocument(user, content.address), (old) => kept(old, hash))
      )
      if (before !== undefined) return { change: "unchanged", document: before } satisfies Ingested
      // Reading and cutting takes longest, and needs no transaction.
      const text = yield* readText(content, options.bytes, reader)
      const excerpts = yield* excerptsOf(content.address, text, options)
      return yield* Effect.gen(function* () {
        const old = yield* findDocument(user, content.address)
        const meanwhile = yield* kept(old, hash)
        if (meanwhile !== undefined) return { change: "unchanged", document: meanwhile } satisfies Ingested
        return yield* write(user, content, text, { hash, size }, excerpts, old)
      }).pipe(runChange(sql, operation, user))
    })

  return {
    ingest: (user, content) =>
      ingest("ingest a document", user, content, (old, hash) =>
        Effect.succeed(
          old?.document.hash === hash && old.document.mediaType === mediaTypeOf(content) ? old.document : undefined
        )
      ),

    reingest: (user, content) =>
      ingest("ingest a document again", user, content, (old) =>
        old === undefined ? failNotFound(user, content.address) : Effect.succeed(undefined)
      ),

    delete: (user, address) =>
      Effect.gen(function* () {
        const { document, id } = yield* getDocument(user, address)
        yield* sql`DELETE FROM wield_assistant_documents WHERE id = ${id}`
        yield* removeItems(user, id, 0, document.excerpts)
        return document
      }).pipe(runChange(sql, "delete a document", user)),

    list: (user) =>
      Effect.map(documentsWhere(sql, user, sql`1 = 1 ORDER BY d.address`), (found) =>
        found.map(({ document }) => document)
      ).pipe(runOperation("list documents")),

    get: (user, address) =>
      Effect.map(getDocument(user, address), ({ document }) => document).pipe(runOperation("read a document")),

    excerpt: (user, address, position) =>
      Effect.gen(function* () {
        const { document, id } = yield* getDocument(user, address)
        const [excerpt] = yield* excerptsWhere(sql, user, sql`d.id = ${id} AND e.position = ${position}`)
        if (excerpt !== undefined) return excerpt
        return yield* new ExcerptNotFound({ address, chunk_index: position, first: 0, last: document.excerpts - 1 })
      }).pipe(runOperation("read an excerpt")),

    excerpts: (user, address) =>
      Effect.gen(function* () {
        const { id } = yield* getDocument(user, address)
        return yield* excerptsWhere(sql, user, sql`d.id = ${id}`)
      }).pipe(runOperation("read excerpts")),

    headings: (user, address) =>
      Effect.flatMap(getDocument(user, address), ({ id }) => headingsWithin(sql, id)).pipe(
        runOperation("read headings")
      ),

    search: (user, text, limit) =>
      Effect.map(index.search(user, { text, types: ["excerpt"], limit }), ({ hits, kind }) => ({
        kind,
        excerpts: hits.map(excerptOfHit)
      }))
  }
}

/** Keeps a document, its excerpts and their entries in the index alike. */
const makeWriter = (sql: SqlClient, index: SearchIndex) => {
  const write = (
    user: UserId,
    { address }: Content,
    { mediaType, pages, text: { length } }: Text,
    { hash, size }: Bytes,
    excerpts: ReadonlyArray<Excerpt>,
    old: StoredDocument | undefined
  ): Effect.Effect<Ingested, SqlError> =>
    Effect.gen(function* () {
      const ingested = yield* DateTime.now
      const at = DateTime.toEpochMillis(ingested)
      const id = old?.id ?? (yield* Effect.sync(() => v7()))
      const document = new Document({
        address,
        mediaType,
        hash,
        bytes: size,
        length,
        pages: pages?.length,
        excerpts: excerpts.length,
        ingested
      })
      // With what is replaced its excerpts go.
      yield* sql`DELETE FROM wield_assistant_documents WHERE id = ${id}`
      yield* sql`INSERT INTO wield_assistant_documents ${sql.insert({
        id,
        user_id: toStored(user),
        address: toStored(address),
        media_type: toStored(mediaType),
        hash,
        bytes: size,
        length,
        pages: pages?.length ?? null,
        excerpts: excerpts.length,
        ingested: at
      })}`
      yield* insertExcerpts(sql, id, excerpts)
      // What stays the same under its index keeps its vector.
      yield* removeItems(user, id, excerpts.length, old?.document.excerpts ?? 0)
      yield* index.put(
        user,
        excerpts.map((excerpt) => excerptItem(id, excerpt, at))
      )
      return { change: old === undefined ? "added" : "replaced", document }
    })

  const removeItems = (user: UserId, id: string, from: number, to: number) =>
    Effect.gen(function* () {
      for (let at = from; at < to; at += itemsAtOnce) {
        const count = Math.min(itemsAtOnce, to - at)
        yield* index.remove(
          user,
          "excerpt",
          Array.from({ length: count }, (_, more) => itemId(id, at + more))
        )
      }
    })

  return { write, removeItems }
}

const itemsAtOnce = 500

const validAddress = (address: string): Effect.Effect<void, InvalidAddress> => {
  if (address.trim() === "") return new InvalidAddress({ address, expected: "a path or a URL" })
  if (new TextEncoder().encode(toStored(address)).length > longestAddress) {
    return new InvalidAddress({ address, expected: `at most ${longestAddress} bytes long in UTF-8` })
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  return /[\0-\x1f\x7f\u0085\u2028\u2029]/.test(address)
    ? new InvalidAddress({ address, expected: "one line without control characters" })
    : Effect.void
}

/** Some milliseconds' worth, in bytes. */
const part = 1_000_000

const hashOf = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.gen(function* () {
    const breathe = yield* makeBreathe
    const hash = sha256.create()
    for (let from = 0; from < bytes.length; from += part) {
      hash.update(bytes.subarray(from, from + part))
      yield* breathe
    }
    return bytesToHex(hash.digest())
  })

const excerptsOf = (address: string, { isMarkdown, pages, text }: Text, cutting: Cutting) =>
  Effect.gen(function* () {
    const { blocks, headings } = yield* outlineOf(text, isMarkdown)
    const outline = {
      headings,
      // A page is a block of its own; where its text begins there is one already, or none.
      blocks:
        pages === undefined ? blocks : [...new Set([...blocks, ...pages.filter((at) => at > 0)])].sort(compareNumbers)
    }
    const chunks = yield* cutByOutline(text, outline, cutting)
    return chunks.map(
      ({ end, headings, start }, index) =>
        new Excerpt({
          address,
          index,
          headings,
          start,
          end,
          pages: pages === undefined ? undefined : [pageAt(pages, start), pageAt(pages, end - 1)],
          text: text.slice(start, end)
        })
    )
  })

const compareNumbers = (left: number, right: number): number => left - right

const pageAt = (pages: ReadonlyArray<number>, at: number): number =>
  Math.max(1, pages.findLastIndex((start) => start <= at) + 1)

/** A text that is found is shown with the address and heading it had, whatever is ingested meanwhile. */
const excerptItem = (document: string, { address, headings, index, text }: Excerpt, changed: number): Item => ({
  type: "excerpt",
  id: itemId(document, index),
  title: headings.length === 0 ? address : `${address}\n${headings.join(" › ")}`,
  text,
  importance: 5,
  changed
})

const itemId = (document: string, index: number): string => `${document}/${index}`

const excerptOfHit = ({ by, id, score, text, title }: Hit): FoundExcerpt => {
  // An address is one line.
  const [address = "", ...headings] = title.split("\n")
  return { address, index: Number(id.slice(id.lastIndexOf("/") + 1)), heading: headings.join("\n"), text, score, by }
}
