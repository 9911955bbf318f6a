/** What comes of a document or a page that no reader can read. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readText } from "../../src/documents/read.js"
import { makeReader, ReaderFault } from "../../src/reader/reader.js"
import type { PdfReading } from "../../src/reader/work.js"
import { contentOf } from "../../src/web/page.js"

const fault = new ReaderFault({ detail: "it takes too long" })
const broken = { read: () => fault, convert: () => fault, readPdf: () => fault }
const readingPdfs = (reading: PdfReading) => ({ ...broken, readPdf: () => Effect.succeed(reading) })

const bytes = new TextEncoder().encode("%PDF-1.7")

const document = (mediaType: string) => ({ address: "tea", content: bytes, mediaType })
const page = (contentType: string) => ({
  url: new URL("https://example.org/tea"),
  status: 200,
  contentType,
  encoding: "",
  bytes,
  isCut: false
})

describe("what cannot be read", () => {
  for (const mediaType of ["application/pdf", "text/html"]) {
    it.effect(`is told of a document and of a page in ${mediaType}`, () =>
      Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(readText(document(mediaType), 100, broken)), {
          _tag: "NotReadable",
          detail: "it takes too long"
        })
        assert.deepInclude(yield* Effect.flip(contentOf(page(mediaType), broken)), {
          _tag: "NotReadable",
          reason: "damaged"
        })
      })
    )
  }

  it.effect("is told of a PDF that has more text than is taken, or is broken", () =>
    Effect.gen(function* () {
      const pdf = "application/pdf"
      const long = readingPdfs({ _tag: "TooLong", length: 101 })
      assert.deepInclude(yield* Effect.flip(readText(document(pdf), 100, long)), { _tag: "TooLarge", bytes: 101 })
      assert.deepInclude(yield* Effect.flip(contentOf(page(pdf), long)), { _tag: "TooLarge" })
      const damaged = readingPdfs({ _tag: "Damaged", detail: "no pages" })
      assert.deepInclude(yield* Effect.flip(readText(document(pdf), 100, damaged)), {
        _tag: "NotReadable",
        detail: "no pages"
      })
      assert.deepInclude(yield* Effect.flip(contentOf(page(pdf), damaged)), { _tag: "NotReadable", reason: "damaged" })
    })
  )

  it.scopedLive("is no document of HTML, which a process reads as the program does", () =>
    Effect.gen(function* () {
      const html = `<title>Tea</title>${"<p>Steep it for two minutes.</p>".repeat(100)}`
      const { convert } = yield* makeReader()
      const { text } = yield* convert({ html, address: "https://example.org/tea.html" })
      assert.match(text, /^# Tea\n\nSteep it for two minutes\.\n\nSteep it/)
    })
  )
})
