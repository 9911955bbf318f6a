/** Tools that only people may call, through a runner of their own: no toolset for models is made of them. */
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Document } from "./Document.js"
import { DocumentNotFound, FileNotFound, InvalidAddress, NotReadable, OutsideRoot, TooLarge } from "./DocumentError.js"
import { Documents } from "./Documents.js"
import { DocumentSource } from "./DocumentSource.js"
import { owned } from "./Owner.js"
import { orDie } from "./store/operation.js"
import { deletes, failsWith, ofUser, sets, textOf } from "./tools/facts.js"

const Ingested = Schema.Struct({
  /** `unchanged` where the same content was ingested under its address before. */
  change: Schema.Literal("added", "replaced", "unchanged"),
  document: Document
})

const path = textOf("The path of the file, within the folder of documents")

const unread = [FileNotFound, InvalidAddress, NotReadable, OutsideRoot, TooLarge] as const

/**
 * Tools that only people may call.
 *
 * @category toolkits
 */
export const toolkit = Toolkit.make(
  Tool.make("ingest_document", {
    description:
      "Ingests a document: a text, Markdown, HTML or PDF file. One that was ingested before is replaced where its content has changed.",
    parameters: { ...owned, address: path },
    success: Ingested,
    ...failsWith(...unread)
  }).pipe(ofUser(sets)),
  Tool.make("reingest_document", {
    description:
      "Ingests a document again, also where its content has not changed, as after a change of how documents are cut. Its old excerpts are replaced.",
    parameters: { ...owned, address: path },
    success: Ingested,
    ...failsWith(DocumentNotFound, ...unread)
  }).pipe(ofUser(sets)),
  Tool.make("delete_document", {
    description: "Deletes an ingested document with all its excerpts. The file it was read from stays as it is.",
    parameters: {
      ...owned,
      address: textOf("The address of the document, as it was ingested")
    },
    success: Schema.Struct({ deleted: Document }),
    ...failsWith(DocumentNotFound)
  }).pipe(ofUser(deletes))
)

/**
 * The handlers of the toolkit.
 *
 * @category layers
 */
export const layer = toolkit.toLayer(
  Effect.gen(function* () {
    const documents = yield* Documents
    const source = yield* DocumentSource
    return {
      ingest_document: ({ address, user_id }) =>
        orDie(Effect.flatMap(source.read(user_id, address), (content) => documents.ingest(user_id, content))),
      reingest_document: ({ address, user_id }) =>
        orDie(Effect.flatMap(source.read(user_id, address), (content) => documents.reingest(user_id, content))),
      delete_document: ({ address, user_id }) =>
        orDie(Effect.map(documents.delete(user_id, address), (deleted) => ({ deleted })))
    }
  })
)
