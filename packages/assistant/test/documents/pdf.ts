/** PDFs: with a text on each page, and one that needs a password. */
import { Effect } from "effect"
import { PDFDocument, StandardFonts } from "pdf-lib"

export const pdfOf = (pages: ReadonlyArray<string>): Effect.Effect<Uint8Array> =>
  Effect.promise(async () => {
    const document = await PDFDocument.create()
    const font = await document.embedFont(StandardFonts.Helvetica)
    for (const text of pages) document.addPage().drawText(text, { x: 50, y: 700, size: 12, font })
    return document.save()
  })

/** Its keys are of nobody's password: whoever reads it is asked for one. */
export const encryptedPdf = new TextEncoder().encode(
  [
    "%PDF-1.4",
    "1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj",
    "2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj",
    "3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >> endobj",
    `4 0 obj << /Filter /Standard /V 1 /R 2 /P -4 /O <${"41".repeat(32)}> /U <${"42".repeat(32)}> >> endobj`,
    "trailer << /Root 1 0 R /Encrypt 4 0 R /ID [<00112233> <00112233>] >>",
    "%%EOF"
  ].join("\n")
)
