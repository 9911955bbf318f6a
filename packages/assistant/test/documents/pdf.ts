/** PDFs: with a text on each page, with a stream as it is given, and one that needs a password. */
import { Effect } from "effect"
import { PDFDocument, StandardFonts } from "pdf-lib"

export const pdfOf = (pages: ReadonlyArray<string>): Effect.Effect<Uint8Array> =>
  Effect.promise(async () => {
    const document = await PDFDocument.create()
    const font = await document.embedFont(StandardFonts.Helvetica)
    for (const text of pages) document.addPage().drawText(text, { x: 50, y: 700, size: 12, font })
    return document.save()
  })

/** A page whose contents are this stream, encoded by these filters. */
export const pdfWith = (stream: Uint8Array, filters: ReadonlyArray<string>): Uint8Array =>
  Buffer.concat([
    Buffer.from(
      [
        "%PDF-1.4",
        "1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj",
        "2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj",
        "3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R >> endobj",
        `4 0 obj << /Length ${stream.length} /Filter [${filters.map((filter) => `/${filter}`).join(" ")}] >> stream\n`
      ].join("\n")
    ),
    stream,
    Buffer.from("\nendstream endobj\ntrailer << /Root 1 0 R >>\n%%EOF")
  ])

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
