import * as NodeContext from "@effect/platform-node/NodeContext"
import { describe, expect, layer } from "@effect/vitest"
import { Documents, DocumentSource, DocumentToolkit, PeopleToolkit, SearchIndex } from "@wield/assistant"
import { ToolRunner, Toolset } from "@wield/core"
import { Effect, Layer, TestClock } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { slowDatabases } from "../databases/databases.js"
import { newUser } from "../users/newUser.js"
import { encryptedPdf, pdfOf } from "./pdf.js"

const both = Effect.gen(function* () {
  const user = newUser(yield* ToolRunner.make(yield* Toolset.fromToolkit(DocumentToolkit.toolkit)))
  const people = yield* ToolRunner.make(yield* Toolset.fromToolkit(PeopleToolkit.toolkit))
  const run = people.forRun({ context: { user_id: user.owner, conversation_id: user.conversation } })
  let commands = 0
  const command = (name: string, address: string) =>
    Effect.map(run.run({ id: `command ${++commands}`, name, arguments: { address } }), (outcome) => ({
      _tag: outcome._tag,
      encoded: "encoded" in outcome ? outcome.encoded : outcome
    }))
  return { ...user, command }
})

for (const { client, name } of slowDatabases) {
  const folder = mkdtempSync(join(tmpdir(), "wield-documents-"))
  const file = (name: string, text: string | Uint8Array) => Effect.sync(() => writeFileSync(join(folder, name), text))
  const services = Documents.layer({ size: 120, overlap: 20, bytes: 5000 }).pipe(
    Layer.provideMerge(DocumentSource.layerFiles({ root: folder }).pipe(Layer.provide(NodeContext.layer))),
    Layer.provideMerge(SearchIndex.layer()),
    Layer.provideMerge(client),
    Layer.provideMerge(
      Layer.scopedDiscard(
        Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
      )
    )
  )
  describe(`the tools for documents over ${name}`, () => {
    layer(Layer.provideMerge(Layer.merge(DocumentToolkit.layer, PeopleToolkit.layer), services))((it) => {
      it.effect("search, list, describe and read what people have ingested", () =>
        Effect.gen(function* () {
          const { call, command } = yield* both
          yield* TestClock.setTime(Date.UTC(2026, 0, 31))
          const lines = "Moonflowers open at night. ".repeat(7).trim()
          yield* file("garden.md", `# Garden\n\n${lines}\n\n## Orchids\n\nThey want tears of joy.\n`)
          expect(yield* command("ingest_document", "./garden.md")).toMatchObject({
            _tag: "Success",
            encoded: { change: "added", document: { address: "garden.md", excerpts: 3 } }
          })
          expect((yield* command("ingest_document", "garden.md")).encoded).toMatchObject({ change: "unchanged" })

          const found = (yield* call("search_documents", { query: "What do orchids want?" })).encoded
          expect(found).toMatchObject({
            searched_by: "words",
            excerpts: [{ address: "garden.md", chunk_index: 2, found_by: ["words"], heading: "Garden › Orchids" }]
          })
          expect((yield* call("get_source_documents", {})).encoded).toEqual({
            documents: [{ address: "garden.md", media_type: "text/markdown", chunks: 3 }]
          })
          expect((yield* call("get_source_doc_metadata", { address: "garden.md" })).encoded).toEqual({
            address: "garden.md",
            media_type: "text/markdown",
            extracted_at: "2026-01-31T00:00:00.000Z",
            bytes: 236,
            characters: 236,
            chunks: 3,
            first_chunk_index: 0,
            last_chunk_index: 2,
            headings: [
              { chunk_index: 0, heading: "Garden" },
              { chunk_index: 2, heading: "Garden › Orchids" }
            ]
          })
          expect((yield* call("get_document_excerpt", { address: "garden.md", chunk_index: 2 })).encoded).toMatchObject(
            {
              address: "garden.md",
              chunk_index: 2,
              heading: "Garden › Orchids",
              text: expect.stringMatching(/ {0,1}at night\.\n\n## Orchids\n\nThey want tears of joy\.\n$/)
            }
          )
        })
      )

      it.effect("find nothing where there is nothing, and say which addresses and chunks there are", () =>
        Effect.gen(function* () {
          const { call, command } = yield* both
          expect((yield* call("search_documents", { query: "tea" })).encoded).toEqual({
            searched_by: "words",
            excerpts: []
          })
          expect((yield* call("get_source_documents", {})).encoded).toEqual({ documents: [] })
          yield* file("b.txt", "Tea is green.")
          yield* command("ingest_document", "b.txt")
          for (const [tool, parameters] of [
            ["get_source_doc_metadata", { address: "a.txt" }],
            ["get_document_excerpt", { address: "a.txt", chunk_index: 0 }]
          ] as const) {
            expect(yield* call(tool, parameters)).toEqual({
              _tag: "Failure",
              encoded: {
                _tag: "DocumentNotFound",
                address: "a.txt",
                known: ["b.txt"],
                advice: expect.stringContaining("addresses in known")
              }
            })
          }
          for (const chunk_index of [1, -1, Number.MAX_SAFE_INTEGER]) {
            expect(yield* call("get_document_excerpt", { address: "b.txt", chunk_index })).toEqual({
              _tag: "Failure",
              encoded: {
                _tag: "ExcerptNotFound",
                address: "b.txt",
                chunk_index,
                first: 0,
                last: 0,
                advice: "Use an index from first to last"
              }
            })
          }
          expect((yield* call("get_document_excerpt", { address: "b.txt", chunk_index: 0.5 }))._tag).toBe(
            "InvalidArguments"
          )
        })
      )

      it.effect("replace and delete a document only as people ask for it", () =>
        Effect.gen(function* () {
          const { call, command } = yield* both
          yield* file("c.txt", "Old tea.")
          expect((yield* command("reingest_document", "c.txt")).encoded).toMatchObject({ _tag: "DocumentNotFound" })
          yield* command("ingest_document", "c.txt")
          expect((yield* command("reingest_document", "c.txt")).encoded).toMatchObject({ change: "replaced" })
          yield* file("c.txt", "New tea.")
          expect((yield* command("ingest_document", "c.txt")).encoded).toMatchObject({ change: "replaced" })
          expect((yield* call("search_documents", { query: "tea" })).encoded).toMatchObject({
            excerpts: [{ text: "New tea." }]
          })
          // A model is offered no such tool.
          for (const tool of ["ingest_document", "reingest_document", "delete_document"]) {
            expect((yield* call(tool, { address: "c.txt" }))._tag).toBe("UnknownTool")
          }
          expect((yield* command("delete_document", "c.txt")).encoded).toMatchObject({
            deleted: { address: "c.txt", bytes: 8 }
          })
          expect((yield* command("delete_document", "c.txt")).encoded).toMatchObject({ _tag: "DocumentNotFound" })
          expect((yield* call("search_documents", { query: "tea" })).encoded).toMatchObject({ excerpts: [] })
        })
      )

      it.effect("ingest a PDF from a file, whatever the file is called", () =>
        Effect.gen(function* () {
          const { call, command } = yield* both
          const pdf = yield* pdfOf(["Ghost orchids want tears of joy."])
          for (const address of ["orchids.pdf", "orchids", "orchids.txt"]) {
            yield* file(address, pdf)
            expect((yield* command("ingest_document", address)).encoded).toMatchObject({
              change: "added",
              document: { address, mediaType: "application/pdf", pages: 1 }
            })
          }
          expect((yield* call("search_documents", { query: "orchid" })).encoded).toMatchObject({
            excerpts: { length: 3 }
          })
        })
      )

      it.effect("tell people what to do with a PDF that is broken or needs a password", () =>
        Effect.gen(function* () {
          const { command } = yield* both
          const pdf = yield* pdfOf(["Ghost orchids want tears of joy."])
          yield* file("half.pdf", pdf.slice(0, pdf.length / 2))
          yield* file("secret.pdf", encryptedPdf)
          for (const [address, detail] of [
            ["half.pdf", /^Invalid PDF structure/],
            ["secret.pdf", /password.* Save it without one/]
          ] as const) {
            expect((yield* command("ingest_document", address)).encoded).toMatchObject({
              _tag: "NotReadable",
              mediaType: "application/pdf",
              detail: expect.stringMatching(detail)
            })
          }
        })
      )

      it.effect("tell people why a file cannot be ingested", () =>
        Effect.gen(function* () {
          const { command } = yield* both
          yield* file("large.txt", "x".repeat(5001))
          yield* file("picture.png", "\x89PNG\0\0")
          for (const tool of ["ingest_document", "reingest_document"]) {
            for (const [address, tag] of [
              ["large.txt", "TooLarge"],
              ["picture.png", "NotReadable"],
              ["nothing.txt", "FileNotFound"],
              ["../nothing.txt", "OutsideRoot"],
              ["", "InvalidAddress"]
            ] as const) {
              const refused = yield* command(tool, address)
              // What was never ingested cannot be ingested again, whatever it is now.
              const isUnknown = tool === "reingest_document" && tag === "NotReadable"
              expect(refused).toMatchObject({
                _tag: "Failure",
                encoded: { _tag: isUnknown ? "DocumentNotFound" : tag, address }
              })
            }
          }
        })
      )

      it.effect("show no model whose documents they are", () =>
        Effect.gen(function* () {
          const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(DocumentToolkit.toolkit))
          const definitions = yield* runner.definitions
          expect(definitions).toHaveLength(4)
          expect(JSON.stringify(definitions)).not.toContain("user_id")
        })
      )
    })
  })
}
