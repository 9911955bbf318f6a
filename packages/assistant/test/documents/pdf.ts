/** A PDF with a text on each page. */
import { Effect } from "effect"
import { PDFDocument, StandardFonts } from "pdf-lib"

export const pdfOf = (pages: ReadonlyArray<string>): Effect.Effect<Uint8Array> =>
  Effect.promise(async () => {
    const document = await PDFDocument.create()
    const font = await document.embedFont(StandardFonts.Helvetica)
    for (const text of pages) document.addPage().drawText(text, { x: 50, y: 700, size: 12, font })
    return document.save()
  })
