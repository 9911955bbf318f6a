/** The text of a PDF, page by page: between pages others have their turn. */
import * as Effect from "effect/Effect"
import { NotReadable, TooLarge } from "../DocumentError.js"
import { makeBreathe } from "./breathe.js"

/** What is used of a document of pdf.js, whose own types unpdf refers to and does not bring. */
interface Opened {
  readonly numPages: number
  readonly getPage: (number: number) => Promise<{
    readonly getTextContent: () => Promise<{
      /** Pieces of text, and marks, which have none. */
      readonly items: ReadonlyArray<object>
    }>
    readonly cleanup: () => void
  }>
  readonly destroy: () => Promise<void>
}

export const pagesOfPdf = (
  address: string,
  bytes: Uint8Array,
  limit: number
): Effect.Effect<ReadonlyArray<string>, NotReadable | TooLarge> => {
  const reading = <A>(read: () => Promise<A>) =>
    Effect.tryPromise({
      try: read,
      catch: (cause) =>
        new NotReadable({
          address,
          mediaType: "application/pdf",
          detail: detailOf(cause)
        })
    })
  return Effect.scoped(
    Effect.gen(function* () {
      // It is a megabyte and a half: loaded with the first PDF.
      const { getDocumentProxy } = yield* reading(() => import("unpdf"))
      const document = yield* Effect.acquireRelease(
        // A copy: it takes the bytes away from who gives them, and refuses the Buffers that files are read as. 0: it
        // writes nothing to the console.
        reading((): Promise<Opened> =>
          getDocumentProxy(new Uint8Array(bytes), { isEvalSupported: false, verbosity: 0 })
        ),
        (document) => Effect.ignore(Effect.tryPromise(() => document.destroy()))
      )
      const breathe = yield* makeBreathe
      const pages: Array<string> = []
      let length = 0
      for (let number = 1; number <= document.numPages; number++) {
        const page = yield* reading(() => document.getPage(number))
        const { items } = yield* reading(() => page.getTextContent())
        page.cleanup()
        const text = items.map(textOf).join("")
        pages.push(text)
        length += text.length
        // A few compressed bytes can be any amount of text.
        if (length > limit) return yield* new TooLarge({ address, bytes: length, limit })
        yield* breathe
      }
      return pages
    })
  )
}

const textOf = (item: object): string => {
  if (!("str" in item) || typeof item.str !== "string") return ""
  return "hasEOL" in item && item.hasEOL === true ? `${item.str}\n` : item.str
}

const detailOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.name === "PasswordException"
    ? "it can be opened with a password only. Save it without one"
    : cause.message
}
